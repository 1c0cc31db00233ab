package promise

import (
	"context"
	"time"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// A shifted store of leases has a clock that is ahead by the result of by, which may be negative and change at any
// time, and tells more of its history: another text is what a server that takes over, or is started again, has another
// history by.
type shifted struct {
	lease.Store
	by      func() time.Duration
	history func() string
}

func (s shifted) clock(c storage.Clock) storage.Clock {
	c.Now = c.Now.Add(s.by())
	c.History += s.history()
	return c
}

func (s shifted) shift(decide decision) decision {
	return func(n *storage.Namespace, r *storage.Lease, c storage.Clock) error {
		return decide(n, r, s.clock(c))
	}
}

func (s shifted) Take(ctx context.Context, w storage.Wanted, decide decision) error {
	// The store uses its clock only to see which leases are over.
	by, highest := s.by(), w.Highest
	w.Rest -= by
	w.Highest = func(now time.Time) int64 { return highest(now.Add(by)) }
	return s.Store.Take(ctx, w, s.shift(decide))
}

func (s shifted) Change(ctx context.Context, id int64, decide decision) error {
	return s.Store.Change(ctx, id, s.shift(decide))
}

func (s shifted) Init(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	return s.Store.Init(ctx, func(n *storage.Namespace, c storage.Clock) error { return decide(n, s.clock(c)) })
}

// A shiftedRegistry has stores whose clocks are ahead. Nobody who looks after them reads its own clock or pages.
type shiftedRegistry struct {
	registry.Store
	by func() time.Duration
}

func (s shiftedRegistry) Namespace(name string) (lease.Store, error) {
	l, err := s.Store.Namespace(name)
	return shifted{l, s.by, func() string { return "" }}, err
}
