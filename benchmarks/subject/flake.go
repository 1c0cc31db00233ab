package subject

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/bwmarrin/snowflake"
	"github.com/muyo/sno"
	"github.com/sony/sonyflake"
	sonyflake2 "github.com/sony/sonyflake/v2"
	"github.com/yitter/idgenerator-go/idgen"
)

var (
	snowflakeDefault = ofSnowflake("snowflake", "bwmarrin/snowflake", 10, 12)
	// With 16 step bits it is fastest: it seldom has to wait for the next millisecond.
	snowflake16 = ofSnowflake("snowflake-16", "bwmarrin/snowflake, 16 step bits", 6, 16)

	epoch      = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sonyflake1 = Subject{
		Name: "sonyflake", Label: "sony/sonyflake v1", Kind: Peer, Bits: 63, Module: "github.com/sony/sonyflake",
		Sustained: 25600, Beyond: Waits, // 256 in 10 ms
		Open: func() (Source, error) {
			machine := func() (uint16, error) { return 7, nil }
			s, err := sonyflake.New(sonyflake.Settings{StartTime: epoch, MachineID: machine})
			return sonyflakes{s}, err
		},
	}
	sonyflake2Default = ofSonyflake2("sonyflake-2", "sony/sonyflake v2", 25600, sonyflake2.Settings{})
	// Fastest: a unit has a millisecond at least, and 16 sequence bits seldom have to wait for the next.
	sonyflake2Wide = ofSonyflake2("sonyflake-2-16", "sony/sonyflake v2, 16 bits in 1 ms", 65536e3,
		sonyflake2.Settings{BitsSequence: 16, BitsMachineID: 6, TimeUnit: time.Millisecond})

	// Five numbers of each millisecond are reserved.
	yitterDefault = ofYitter("yitter", "yitter/idgenerator", 6, 2000)
	yitter16      = ofYitter("yitter-16", "yitter/idgenerator, 16 bits", 16, 10000)

	snoNew = Subject{
		Name: "sno", Label: "muyo/sno", Kind: Peer, Bits: 80, Module: "github.com/muyo/sno",
		Sustained: 16384e3, Beyond: Waits, // 65,536 in 4 ms
		Open: func() (Source, error) { g, err := sno.NewGenerator(nil, nil); return snos{g}, err },
	}
)

// bitsMutex guards bwmarrin/snowflake's settings, which are package variables.
var bitsMutex sync.Mutex

func ofSnowflake(name, label string, node, step uint8) Subject {
	return Subject{
		Name: name, Label: label, Kind: Peer, Bits: 63, Module: "github.com/bwmarrin/snowflake",
		Sustained: float64(int(1)<<step) * 1000, Beyond: Waits,
		Open: func() (Source, error) {
			bitsMutex.Lock()
			defer bitsMutex.Unlock()
			snowflake.NodeBits, snowflake.StepBits = node, step
			n, err := snowflake.NewNode(7)
			return flakes{n}, err
		},
	}
}

type flakes struct{ *snowflake.Node }

func (s flakes) Draw(n int) error { return each(n, func() error { s.Generate(); return nil }) }
func (s flakes) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.Generate(), nil) })
}

type sonyflakes struct{ *sonyflake.Sonyflake }

func (s sonyflakes) Draw(n int) error {
	return each(n, func() error { _, err := s.NextID(); return err })
}
func (s sonyflakes) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.NextID()) })
}

func ofSonyflake2(name, label string, sustained float64, settings sonyflake2.Settings) Subject {
	settings.MachineID = func() (int, error) { return 7, nil }
	return Subject{
		Name: name, Label: label, Kind: Peer, Bits: 63, Module: "github.com/sony/sonyflake/v2",
		Sustained: sustained, Beyond: Waits,
		Open: func() (Source, error) { s, err := sonyflake2.New(settings); return sonyflakes2{s}, err },
	}
}

type sonyflakes2 struct{ *sonyflake2.Sonyflake }

func (s sonyflakes2) Draw(n int) error {
	return each(n, func() error { _, err := s.NextID(); return err })
}
func (s sonyflakes2) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.NextID()) })
}

// ofYitter returns a subject that borrows so many milliseconds, and then waits for the clock.
func ofYitter(name, label string, sequenceBits byte, borrows uint32) Subject {
	return Subject{
		Name: name, Label: label, Kind: Peer, Bits: 63, Module: "github.com/yitter/idgenerator-go",
		Sustained: float64(int(1)<<sequenceBits-5) * 1000, Beyond: BorrowsSome,
		Open: func() (Source, error) {
			options := idgen.NewIdGeneratorOptions(7)
			options.SeqBitLength, options.TopOverCostCount = sequenceBits, borrows
			return yitters{idgen.NewDefaultIdGenerator(options)}, nil
		},
	}
}

type yitters struct{ *idgen.DefaultIdGenerator }

func (s yitters) Draw(n int) error { return each(n, func() error { s.NewLong(); return nil }) }
func (s yitters) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.NewLong(), nil) })
}

type snos struct{ *sno.Generator }

func (s snos) Draw(n int) error { return each(n, func() error { s.New(0); return nil }) }
func (s snos) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) {
		u := s.New(0)
		return Key{uint64(binary.BigEndian.Uint16(u[:])), binary.BigEndian.Uint64(u[2:])}, nil
	})
}
