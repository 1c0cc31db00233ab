package subject

import (
	"encoding/binary"

	"github.com/rs/xid"
)

// An xid holds a second, a process and a 24-bit counter, which is never checked against
// the second: the 16,777,217th ID of a second repeats the first.
var xidNew = Subject{
	Name: "xid", Label: "rs/xid", Kind: Peer, Bits: 96, Module: "github.com/rs/xid", Shared: true,
	Sustained: 1 << 24, Beyond: Repeats,
	Open: func() (Source, error) { return xids{}, nil },
}

type xids struct{ nothingToClose }

func (s xids) Drawer() Drawer { return s }

func (xids) Draw(n int) error {
	for range n {
		xid.New()
	}
	return nil
}

func (xids) Keys(dst []Key) error {
	for i := range dst {
		u := xid.New()
		dst[i] = Key{uint64(binary.BigEndian.Uint32(u[:4])), binary.BigEndian.Uint64(u[4:])}
	}
	return nil
}
