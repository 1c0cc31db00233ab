package subject

import (
	"log/slog"

	"github.com/uidgen/uid/segment"
)

// fillStep is how many numbers are taken at a time where Fill draws them. The million that a
// generator takes by default lasts it no longer than the round trips for the next one.
const fillStep = 16e6

// openSegment makes a generator of one tag, the same for all. The servers are set up for speed,
// so that they may lose what they have acknowledged.
func openSegment(store func() (segment.Store, error), cfg segment.Config) (*segment.Generator, error) {
	s, err := store()
	if err != nil {
		return nil, err
	}
	cfg.Create, cfg.LossyStore, cfg.Logger = true, true, slog.New(slog.DiscardHandler)
	return segment.New(segment.Source{Store: s, Tag: "bench"}, cfg)
}

type segments struct{ *segment.Generator }

func (s segments) Drawer() Drawer { return s }
func (s segments) Step() int64    { return s.Stats().Step }

func (s segments) Draw(n int) error {
	for range n {
		if _, err := s.GetUID(); err != nil {
			return err
		}
	}
	return nil
}

func (s segments) Keys(dst []Key) error {
	for i := range dst {
		u, err := s.GetUID()
		if err != nil {
			return err
		}
		dst[i][0] = uint64(u)
	}
	return nil
}

type segmentFills struct{ *segment.Generator }

func (s segmentFills) Drawer() Drawer { return &fill{g: s.Generator} }
