package subject

import (
	"encoding/binary"

	"github.com/google/uuid"
)

const google = "github.com/google/uuid"

var (
	googleV4 = Subject{
		Name: "google-uuid-v4", Label: "google/uuid v4", Kind: Peer, Bits: 128, Module: google, Shared: true,
		Open: func() (Source, error) { return uuids{version4: true}, nil },
	}
	// The pool is a setting of the whole process, on while this is open.
	googleV4Pool = Subject{
		Name: "google-uuid-v4-pool", Label: "google/uuid v4, pool", Kind: Peer, Bits: 128, Module: google, Shared: true,
		Open: func() (Source, error) { uuid.EnableRandPool(); return uuids{version4: true, pool: true}, nil },
	}
	googleV7 = Subject{
		Name: "google-uuid-v7", Label: "google/uuid v7", Kind: Peer, Bits: 128, Module: google, Shared: true,
		Open: func() (Source, error) { return uuids{}, nil },
	}
)

type uuids struct{ version4, pool bool }

func (s uuids) Drawer() Drawer {
	if s.version4 {
		return random{}
	}
	return sorted{}
}

func (s uuids) Close() error {
	if s.pool {
		uuid.DisableRandPool()
	}
	return nil
}

type random struct{}

func (random) Draw(n int) error {
	for range n {
		if _, err := uuid.NewRandom(); err != nil {
			return err
		}
	}
	return nil
}

func (random) Keys(dst []Key) error {
	for i := range dst {
		u, err := uuid.NewRandom()
		if err != nil {
			return err
		}
		dst[i] = key16(u)
	}
	return nil
}

type sorted struct{}

func (sorted) Draw(n int) error {
	for range n {
		if _, err := uuid.NewV7(); err != nil {
			return err
		}
	}
	return nil
}

func (sorted) Keys(dst []Key) error {
	for i := range dst {
		u, err := uuid.NewV7()
		if err != nil {
			return err
		}
		dst[i] = key16(u)
	}
	return nil
}

func key16(b [16]byte) Key {
	return Key{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])}
}
