package subject

import (
	"io"
	"log/slog"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
)

const ours = "github.com/uidgen/uid"

// sustainedDefault is the rate of the default layout: 13 sequence bits a second.
const sustainedDefault = 1 << 13

var (
	cachedStrict = Subject{
		Name: "uid-cached", Label: "uid cached, GetUID", Kind: Ours, Bits: 63, Module: ours,
		Sustained: sustainedDefault, Beyond: Borrows,
		Open: func() (Source, error) { g, err := openCached(); return strict{g}, err },
	}
	cachedLane = Subject{
		Name: "uid-lane", Label: "uid cached, Lane", Kind: Ours, Bits: 63, Module: ours,
		Sustained: sustainedDefault, Beyond: Borrows,
		Open: func() (Source, error) { g, err := openCached(); return lanes{g}, err },
	}
	cachedFill = Subject{
		Name: "uid-fill", Label: "uid cached, Fill of 1,024", Kind: Ours, Bits: 63, Module: ours, Batches: true,
		Sustained: sustainedDefault, Beyond: Borrows,
		Open: func() (Source, error) { g, err := openCached(); return fills{g}, err },
	}
	cachedUnordered = Subject{
		Name: "uid-unordered", Label: "uid cached, Unordered", Kind: Ours, Bits: 63, Module: ours,
		Sustained: sustainedDefault, Beyond: Borrows,
		Open: func() (Source, error) {
			g, err := openCached()
			if err != nil {
				return nil, err
			}
			return unordered{g.Unordered(), g}, nil
		},
	}
)

// openCached makes a generator of the default layout without a bound on what it borrows:
// with the default MaxLead it would wait after 4.9 million UIDs.
func openCached() (*cached.Generator, error) {
	return cached.New(worker.Static(7), cached.Config{MaxLead: cached.Unbounded, Logger: slog.New(slog.DiscardHandler)})
}

type strict struct{ *cached.Generator }

func (s strict) Drawer() Drawer { return s }

func (s strict) Draw(n int) error {
	for range n {
		if _, err := s.GetUID(); err != nil {
			return err
		}
	}
	return nil
}

func (s strict) Keys(dst []Key) error {
	for i := range dst {
		u, err := s.GetUID()
		if err != nil {
			return err
		}
		dst[i][0] = uint64(u)
	}
	return nil
}

type lanes struct{ *cached.Generator }

func (s lanes) Drawer() Drawer { return lane{s.Lane()} }

type lane struct{ *cached.Lane }

func (l lane) Draw(n int) error {
	for range n {
		if _, err := l.GetUID(); err != nil {
			return err
		}
	}
	return nil
}

func (l lane) Keys(dst []Key) error {
	for i := range dst {
		u, err := l.GetUID()
		if err != nil {
			return err
		}
		dst[i][0] = uint64(u)
	}
	return nil
}

type fills struct{ *cached.Generator }

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

type unordered struct {
	*cached.Unordered
	io.Closer
}

func (s unordered) Drawer() Drawer { return s }

func (s unordered) Draw(n int) error {
	for range n {
		if _, err := s.GetUID(); err != nil {
			return err
		}
	}
	return nil
}

func (s unordered) Keys(dst []Key) error {
	for i := range dst {
		u, err := s.GetUID()
		if err != nil {
			return err
		}
		dst[i][0] = uint64(u)
	}
	return nil
}
