package subject

import "github.com/gofrs/uuid/v5"

var gofrsV7 = Subject{
	Name: "gofrs-uuid-v7", Label: "gofrs/uuid v7", Kind: Peer, Bits: 128, Module: "github.com/gofrs/uuid/v5",
	Open: func() (Source, error) { return gofrs{Gen: uuid.NewGen()}, nil },
}

type gofrs struct {
	*uuid.Gen
	nothingToClose
}

func (s gofrs) Drawer() Drawer { return s }

func (s gofrs) Draw(n int) error {
	for range n {
		if _, err := s.NewV7(); err != nil {
			return err
		}
	}
	return nil
}

func (s gofrs) Keys(dst []Key) error {
	for i := range dst {
		u, err := s.NewV7()
		if err != nil {
			return err
		}
		dst[i] = key16(u)
	}
	return nil
}
