package kit

import (
	"context"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// Shifted is a store of leases whose clock is ahead of s's by what by returns, which may
// change at any time and be negative.
func Shifted(s lease.Store, by func() time.Duration) lease.Store { return shifted{s, by} }

type shifted struct {
	lease.Store
	by func() time.Duration
}

func (s shifted) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	// All that s does with its clock is to see what is over.
	by, highest := s.by(), w.Highest
	w.Rest -= by
	w.Highest = func(now time.Time) int64 { return highest(now.Add(by)) }
	return s.Store.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, c lease.Clock) error { return decide(n, r, s.ahead(c)) })
}

func (s shifted) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	return s.Store.Change(ctx, id, func(r *lease.Row, c lease.Clock) error { return decide(r, s.ahead(c)) })
}

func (s shifted) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	return s.Store.Init(ctx, func(n *lease.Namespace, c lease.Clock) error { return decide(n, s.ahead(c)) })
}

func (s shifted) ahead(c lease.Clock) lease.Clock {
	c.Now = c.Now.Add(s.by())
	return c
}
