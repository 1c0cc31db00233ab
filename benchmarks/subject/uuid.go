package subject

import (
	"encoding/binary"

	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/uuid"
)

const google = "github.com/google/uuid"

var (
	googleV4 = ofProcess("google-uuid-v4", "google/uuid v4", google, 128, func() Source { return random{} })
	// The pool is a setting of the whole process, on while this is open.
	googleV4Pool = ofProcess("google-uuid-v4-pool", "google/uuid v4, pool", google, 128, func() Source {
		uuid.EnableRandPool()
		return pooled{}
	})
	googleV7 = ofProcess("google-uuid-v7", "google/uuid v7", google, 128, func() Source { return sorted{} })
	gofrsV7  = Subject{
		Name: "gofrs-uuid-v7", Label: "gofrs/uuid v7", Kind: Peer, Bits: 128, Module: "github.com/gofrs/uuid/v5",
		Open: func() (Source, error) { return gofrsSorted{gofrs.NewGen()}, nil },
	}
)

// ofProcess returns a library that has no generators: its state is the process's.
func ofProcess(name, label, module string, bits int, source func() Source) Subject {
	return Subject{
		Name: name, Label: label, Kind: Peer, Bits: bits, Module: module, Shared: true,
		Open: func() (Source, error) { return source(), nil },
	}
}

type random struct{}

func (random) Draw(n int) error {
	return each(n, func() error { _, err := uuid.NewRandom(); return err })
}
func (random) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { u, err := uuid.NewRandom(); return key16(u), err })
}

type pooled struct{ random }

func (pooled) Close() error {
	uuid.DisableRandPool()
	return nil
}

type sorted struct{}

func (sorted) Draw(n int) error { return each(n, func() error { _, err := uuid.NewV7(); return err }) }
func (sorted) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { u, err := uuid.NewV7(); return key16(u), err })
}

type gofrsSorted struct{ *gofrs.Gen }

func (s gofrsSorted) Draw(n int) error {
	return each(n, func() error { _, err := s.NewV7(); return err })
}
func (s gofrsSorted) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { u, err := s.NewV7(); return key16(u), err })
}

func key16(b [16]byte) Key { return Key{binary.BigEndian.Uint64(b[:]), binary.BigEndian.Uint64(b[8:])} }
