package subject

import (
	"time"

	"github.com/sony/sonyflake"
)

var sonyflake1 = Subject{
	Name: "sonyflake", Label: "sony/sonyflake v1", Kind: Peer, Bits: 63, Module: "github.com/sony/sonyflake",
	Sustained: 25600, Beyond: Waits, // 256 in 10 ms
	Open: func() (Source, error) {
		s, err := sonyflake.New(sonyflake.Settings{
			StartTime: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			MachineID: func() (uint16, error) { return 7, nil },
		})
		return sonyflakes{Sonyflake: s}, err
	},
}

type sonyflakes struct {
	*sonyflake.Sonyflake
	nothingToClose
}

func (s sonyflakes) Drawer() Drawer { return s }

func (s sonyflakes) Draw(n int) error {
	for range n {
		if _, err := s.NextID(); err != nil {
			return err
		}
	}
	return nil
}

func (s sonyflakes) Keys(dst []Key) error {
	for i := range dst {
		u, err := s.NextID()
		if err != nil {
			return err
		}
		dst[i][0] = u
	}
	return nil
}
