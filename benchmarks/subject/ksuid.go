package subject

import "github.com/segmentio/ksuid"

var ksuidNew = Subject{
	Name: "ksuid", Label: "segmentio/ksuid", Kind: Peer, Bits: 160, Module: "github.com/segmentio/ksuid", Shared: true,
	Open: func() (Source, error) { return ksuids{}, nil },
}

type ksuids struct{ nothingToClose }

func (s ksuids) Drawer() Drawer { return s }

func (ksuids) Draw(n int) error {
	for range n {
		if _, err := ksuid.NewRandom(); err != nil {
			return err
		}
	}
	return nil
}

// Keys keeps the 128 random bits without the second before them: a repetition in another
// second is no more likely.
func (ksuids) Keys(dst []Key) error {
	for i := range dst {
		u, err := ksuid.NewRandom()
		if err != nil {
			return err
		}
		dst[i] = key16([16]byte(u.Payload()))
	}
	return nil
}
