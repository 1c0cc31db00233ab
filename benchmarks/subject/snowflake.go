package subject

import (
	"sync"

	"github.com/bwmarrin/snowflake"
)

const bwmarrin = "github.com/bwmarrin/snowflake"

var (
	snowflakeDefault = Subject{
		Name: "snowflake", Label: "bwmarrin/snowflake", Kind: Peer, Bits: 63, Module: bwmarrin,
		Sustained: 4096e3, Beyond: Waits,
		Open: func() (Source, error) { return openSnowflake(10, 12) },
	}
	// With 16 step bits it is fastest: it seldom has to wait for the next millisecond.
	snowflake16 = Subject{
		Name: "snowflake-16", Label: "bwmarrin/snowflake, 16 step bits", Kind: Peer, Bits: 63, Module: bwmarrin,
		Sustained: 65536e3, Beyond: Waits,
		Open: func() (Source, error) { return openSnowflake(6, 16) },
	}
)

// bitsMutex guards the library's settings, which are package variables.
var bitsMutex sync.Mutex

func openSnowflake(node, step uint8) (Source, error) {
	bitsMutex.Lock()
	defer bitsMutex.Unlock()
	snowflake.NodeBits, snowflake.StepBits = node, step
	n, err := snowflake.NewNode(7)
	return flakes{Node: n}, err
}

type flakes struct {
	*snowflake.Node
	nothingToClose
}

func (s flakes) Drawer() Drawer { return s }

func (s flakes) Draw(n int) error {
	for range n {
		s.Generate()
	}
	return nil
}

func (s flakes) Keys(dst []Key) error {
	for i := range dst {
		dst[i][0] = uint64(s.Generate())
	}
	return nil
}
