package subject

import (
	"log/slog"

	"github.com/uidgen/uid/bits"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker"
)

// uncachedWide has 30 sequence bits and ticks of a second. The uncached generator waits
// for the next tick where the cached one borrows it: with the default layout it would
// make 8,192 UIDs a second, and show nothing about its speed.
var uncachedWide = Subject{
	Name: "uid-uncached", Label: "uid uncached, GetUID", Kind: Ours, Bits: 63, Module: ours,
	Sustained: 1 << 30, Beyond: Waits,
	Open: openUncachedAt(bits.Config{TimeBits: 28, WorkerBits: 5, SequenceBits: 30}),
}

func openUncachedAt(c bits.Config) func() (Source, error) {
	return func() (Source, error) {
		layout, err := bits.NewLayout(c)
		if err != nil {
			return nil, err
		}
		g, err := uncached.New(worker.Static(7), uncached.Config{Layout: layout, Logger: slog.New(slog.DiscardHandler)})
		return plain{g}, err
	}
}

type plain struct{ *uncached.Generator }

func (s plain) Drawer() Drawer { return s }

func (s plain) Draw(n int) error {
	for range n {
		if _, err := s.GetUID(); err != nil {
			return err
		}
	}
	return nil
}

func (s plain) Keys(dst []Key) error {
	for i := range dst {
		u, err := s.GetUID()
		if err != nil {
			return err
		}
		dst[i][0] = uint64(u)
	}
	return nil
}
