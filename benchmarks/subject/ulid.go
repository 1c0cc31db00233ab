package subject

import "github.com/oklog/ulid/v2"

// ulidMake is the library's call that is safe for many goroutines: it draws from one
// monotonic source per process, behind a lock.
var ulidMake = Subject{
	Name: "ulid", Label: "oklog/ulid, Make", Kind: Peer, Bits: 128, Module: "github.com/oklog/ulid/v2", Shared: true,
	Open: func() (Source, error) { return ulids{}, nil },
}

type ulids struct{ nothingToClose }

func (s ulids) Drawer() Drawer { return s }

func (ulids) Draw(n int) error {
	for range n {
		ulid.Make()
	}
	return nil
}

func (ulids) Keys(dst []Key) error {
	for i := range dst {
		dst[i] = key16(ulid.Make())
	}
	return nil
}
