package subject

import (
	"crypto/rand"
	"log/slog"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

const ours = "github.com/uidgen/uid"

// sustainedDefault is the rate of the default layout: 13 sequence bits a second.
const sustainedDefault = 1 << 13

var (
	cachedStrict = ofCached("uid-cached", "uid cached, GetUID", func(g *cached.Generator) Source { return strict{g} })
	cachedLane   = ofCached("uid-lane", "uid cached, Lane",
		func(g *cached.Generator) Source { return lanes{strict{g}} })
	cachedFill = ofCached("uid-fill", "uid cached, Fill of 1,024",
		func(g *cached.Generator) Source { return fills{strict{g}} })
	// Unordered of a generator is another object, and so is what has to be closed.
	cachedUnordered = ofCached("uid-unordered", "uid cached, Unordered", func(g *cached.Generator) Source {
		return unordered{g.Unordered(), g}
	})
	// uncachedWide has 30 sequence bits and ticks of a second. The uncached generator waits for the
	// next tick where the cached one borrows it: with the default layout it would make 8,192 UIDs a
	// second, and show nothing about its speed.
	uncachedWide = Subject{
		Name: "uid-uncached", Label: "uid uncached, GetUID", Kind: Ours, Bits: 63, Module: ours,
		Sustained: 1 << 30, Beyond: Waits,
		Open: openUncached(bits.MustParseLayout("28/5/30")),
	}
)

// ofCached returns a subject of the default layout without a bound on what it borrows: with the
// default MaxLead it would wait after 737,280 UIDs.
func ofCached(name, label string, source func(*cached.Generator) Source) Subject {
	return Subject{
		Name: name, Label: label, Kind: Ours, Bits: 63, Module: ours, Batches: name == "uid-fill",
		Sustained: sustainedDefault, Beyond: Borrows,
		Open: func() (Source, error) {
			g, err := NewCached(bits.Layout{}, cached.Unbounded)
			if err != nil {
				return nil, err
			}
			return source(g), nil
		},
	}
}

// NewCached returns a cached generator that borrows so much time at most.
func NewCached(layout bits.Layout, lead time.Duration) (*cached.Generator, error) {
	return cached.New(worker.Static(7, rand.Text()),
		cached.Config{Layout: layout, MaxLead: lead, Logger: slog.New(slog.DiscardHandler)})
}

// OfCached returns a generator as a source.
func OfCached(g *cached.Generator) Source { return strict{g} }

type strict struct{ *cached.Generator }

func (s strict) Draw(n int) error { return each(n, func() error { _, err := s.GetUID(); return err }) }
func (s strict) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.GetUID()) })
}

type lanes struct{ strict }

func (s lanes) Drawer() Drawer { return lane{s.Lane()} }

type lane struct{ *cached.Lane }

func (l lane) Draw(n int) error { return each(n, func() error { _, err := l.GetUID(); return err }) }
func (l lane) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(l.GetUID()) })
}

type unordered struct {
	*cached.Unordered
	g *cached.Generator
}

func (s unordered) Close() error { return s.g.Close() }
func (s unordered) Draw(n int) error {
	return each(n, func() error { _, err := s.GetUID(); return err })
}
func (s unordered) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.GetUID()) })
}

type fills struct{ strict }

func (s fills) Drawer() Drawer { return &fill{g: s.Generator} }

// A fill calls its generator once for a thousand IDs, so that the interface costs nothing.
type fill struct {
	g   interface{ Fill([]uid.UID) (int, error) }
	buf [1024]uid.UID
}

func (f *fill) Draw(n int) error {
	for n > 0 {
		got, err := f.g.Fill(f.buf[:min(n, len(f.buf))])
		if err != nil {
			return err
		}
		n -= got
	}
	return nil
}

func (f *fill) Keys(dst []Key) error {
	for len(dst) > 0 {
		got, err := f.g.Fill(f.buf[:min(len(dst), len(f.buf))])
		if err != nil {
			return err
		}
		for i, u := range f.buf[:got] {
			dst[i][0] = uint64(u)
		}
		dst = dst[got:]
	}
	return nil
}

func openUncached(layout bits.Layout) func() (Source, error) {
	return func() (Source, error) {
		cfg := uncached.Config{Layout: layout, Logger: slog.New(slog.DiscardHandler)}
		g, err := uncached.New(worker.Static(7, rand.Text()), cfg)
		return plain{g}, err
	}
}

type plain struct{ *uncached.Generator }

func (s plain) Draw(n int) error { return each(n, func() error { _, err := s.GetUID(); return err }) }
func (s plain) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.GetUID()) })
}

// AtCeiling returns subjects that can be asked for more than they may give, so that calls have to
// wait: this library's generators without a lead, and the peers of the same ticks. Those of one
// layout follow each other.
func AtCeiling() (out []Subject) {
	for _, at := range []struct {
		name, label, layout string
		peer                Subject
	}{
		{"256", "256 in 10 ms", "39/16/8 unit=10ms", sonyflake1},
		{"4096", "4,096 in 1 ms", "41ms/10/12", snowflakeDefault},
	} {
		layout := bits.MustParseLayout(at.layout)
		open := func() (Source, error) {
			g, err := NewCached(layout, time.Nanosecond) // which borrows nothing
			return strict{g}, err
		}
		s := Subject{Name: "uid-cached-" + at.name, Label: "uid cached, " + at.label, Kind: Ours, Bits: 63,
			Module: ours, Sustained: at.peer.Sustained, Beyond: Waits, Open: open}
		out = append(out, s)
		s.Name, s.Label, s.Open = "uid-uncached-"+at.name, "uid uncached, "+at.label, openUncached(layout)
		out = append(out, s, at.peer)
	}
	return out
}

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
	return segment.New(s, "bench", cfg)
}

type segments struct{ *segment.Generator }

func (s segments) Step() int64 { return s.Health().Numbers.Step }
func (s segments) Draw(n int) error {
	return each(n, func() error { _, err := s.GetUID(); return err })
}
func (s segments) Keys(dst []Key) error {
	return keep(dst, func() (Key, error) { return word(s.GetUID()) })
}

type segmentFills struct{ segments }

func (s segmentFills) Drawer() Drawer { return &fill{g: s.Generator} }
