package kit

import (
	"context"
	"time"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

// Shifted returns a store of leases whose clock is ahead of s's by the result of by, which
// may be negative and change at any time.
func Shifted(s lease.Store, by func() time.Duration) lease.Store {
	return Promoted(s, by, func() string { return "" })
}

// Promoted is Shifted with more that is told of the store's history: another text is what a server that
// takes over, or is started again, has another history by.
func Promoted(s lease.Store, by func() time.Duration, history func() string) lease.Store {
	return shifted{s, by, history}
}

type shifted struct {
	lease.Store
	by      func() time.Duration
	history func() string
}

func (s shifted) clock(c leasestore.Clock) leasestore.Clock {
	c = ahead(c, s.by)
	c.History += s.history()
	return c
}

func (s shifted) Take(ctx context.Context, w leasestore.Wanted, decide func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error) error {
	// s uses its clock only to see which leases are over.
	by, highest := s.by(), w.Highest
	w.Rest -= by
	w.Highest = func(now time.Time) int64 { return highest(now.Add(by)) }
	return s.Store.Take(ctx, w, func(n *leasestore.Namespace, r *leasestore.Row, c leasestore.Clock) error {
		return decide(n, r, s.clock(c))
	})
}

func (s shifted) Change(ctx context.Context, id int64, decide func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error) error {
	return s.Store.Change(ctx, id, func(n *leasestore.Namespace, r *leasestore.Row, c leasestore.Clock) error {
		return decide(n, r, s.clock(c))
	})
}

func (s shifted) Init(ctx context.Context, decide func(*leasestore.Namespace, leasestore.Clock) error) error {
	return s.Store.Init(ctx, func(n *leasestore.Namespace, c leasestore.Clock) error { return decide(n, s.clock(c)) })
}

func ahead(c leasestore.Clock, by func() time.Duration) leasestore.Clock {
	c.Now = c.Now.Add(by())
	return c
}

// ShiftedRegistry is Shifted for a registry's store.
func ShiftedRegistry(s registry.Store, by func() time.Duration) registry.Store {
	return shiftedRegistry{s, by}
}

type shiftedRegistry struct {
	registry.Store
	by func() time.Duration
}

func (s shiftedRegistry) Namespaces(ctx context.Context) ([]string, leasestore.Clock, error) {
	names, c, err := s.Store.Namespaces(ctx)
	return names, ahead(c, s.by), err
}

func (s shiftedRegistry) Namespace(name string) (lease.Store, error) {
	l, err := s.Store.Namespace(name)
	if err != nil {
		return nil, err
	}
	return Shifted(l, s.by), nil
}

func (s shiftedRegistry) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	p, err := s.Store.Rows(ctx, namespace, above, most)
	p.Clock = ahead(p.Clock, s.by)
	return p, err
}
