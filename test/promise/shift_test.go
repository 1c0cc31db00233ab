package promise

import (
	"context"
	"time"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// A shifted store of leases has a clock that is ahead by the result of by, which may be negative and change at any time,
// and tells more of its history: another text is what a server that takes over, or is started again, has another
// history by.
type shifted struct {
	lease.Store
	by      func() time.Duration
	history func() string
}

func (s shifted) clock(c lease.Clock) lease.Clock {
	c.Now = c.Now.Add(s.by())
	c.History += s.history()
	return c
}

func (s shifted) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	// The store uses its clock only to see which leases are over.
	by, highest := s.by(), w.Highest
	w.Rest -= by
	w.Highest = func(now time.Time) int64 { return highest(now.Add(by)) }
	return s.Store.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, c lease.Clock) error { return decide(n, r, s.clock(c)) })
}

func (s shifted) Change(ctx context.Context, id int64, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	return s.Store.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, c lease.Clock) error { return decide(n, r, s.clock(c)) })
}

func (s shifted) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	return s.Store.Init(ctx, func(n *lease.Namespace, c lease.Clock) error { return decide(n, s.clock(c)) })
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
