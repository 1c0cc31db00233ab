package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

// wrongAtOnce are wrong in what happens at once.
func wrongAtOnce() []mistake {
	return []mistake{
		{"Take without a lock: two win the same row", byTakes, wrong{take: unguardedTake}},
		{"Take guards the row and not the namespace", byTakes, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return lookThenTake(c, ctx, w, decide, func(n lease.Namespace, r lease.Row) error {
				err := c.Take(ctx, lease.Wanted{IDs: lease.Range{First: r.WorkerID, Last: r.WorkerID}, Highest: w.Highest}, func(n *lease.Namespace, now *lease.Row, _ lease.Clock) error {
					*now = r
					return nil
				})
				if err != nil {
					return retry.Transient(err)
				}
				c.m.SetNamespace(c.namespace, n)
				return nil
			})
		}}},
		{"Change without a guard: a write after the lease was lost", byChanges, wrong{change: unguardedChange}},
		{"Change without a guard, in a history", byHistories, wrong{change: unguardedChange}},
		{"Take without a lock, in a history", byHistories, wrong{take: unguardedTake}},
		{"Init without a guard, in a history", byHistories, wrong{init: unguardedInit}},
		{"a Change that is outdated is acknowledged", byChanges, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			var was string
			var row *lease.Row
			err := c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				if r == nil {
					return decide(n, nil, now)
				}
				copied := *r
				row, was = &copied, r.Nonce
				return errLook
			})
			if row == nil || !errors.Is(err, errLook) {
				return err
			}
			n, _ := c.m.Namespace(c.namespace)
			if err := decide(&n, row, c.m.now()); err != nil {
				return err
			}
			return c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
				if r.Nonce == was { // else UPDATE ... WHERE NONCE = ? changes no row, and nobody asks
					*r = *row
				}
				return nil
			})
		}}},
		{"refused decisions see what is old", byRows, cached()},
		{"refused decisions see what is old, in a history", byHistories, cached()},
		{"the clock is read before the lock", byClock, wrong{
			take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
				early := c.m.now()
				return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error { return decide(n, r, early) })
			},
		}},
		{"Change's clock is read before the lock", byClock, wrong{
			change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
				early := c.m.now()
				return c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error { return decide(n, r, early) })
			},
		}},
		{"Init's clock is read before the lock", byClock, wrong{
			init: func(c *Client, ctx context.Context, decide initDecision) error {
				early := c.m.now()
				return c.Init(ctx, func(n *lease.Namespace, _ lease.Clock) error { return decide(n, early) })
			},
		}},
		{"a call that meets another fails for good", byChanges, func() wrong {
			var busy atomic.Bool
			return returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
				if !busy.CompareAndSwap(false, true) {
					return errors.New("deadlock found when trying to get lock")
				}
				defer busy.Store(false)
				return call(ctx)
			})
		}()},
		{"waits for a lock whatever the context", byContexts, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			return call(context.WithoutCancel(ctx))
		})},
		{"goes on after the context has ended", byContexts, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			done := make(chan error, 1)
			go func() { done <- call(context.WithoutCancel(ctx)) }()
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		})},
		{"the end of a context is an error for good", byContexts, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if err != nil && ctx.Err() != nil {
				return errors.New("i/o timeout")
			}
			return err
		})},
	}
}

// The guards that are left out: what is read is not locked, and what is written is written.
func unguardedTake(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
	return lookThenTake(c, ctx, w, decide, func(n lease.Namespace, r lease.Row) error {
		c.m.SetNamespace(c.namespace, n)
		c.m.SetRow(c.namespace, r)
		return nil
	})
}

func lookThenTake(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision, write func(lease.Namespace, lease.Row) error) error {
	var namespace lease.Namespace
	var row lease.Row
	var clock lease.Clock
	err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
		namespace, row, clock = *n, *r, now
		return errLook
	})
	if !errors.Is(err, errLook) {
		return err
	}
	if err := decide(&namespace, &row, clock); err != nil {
		return err
	}
	return write(namespace, row)
}

func unguardedChange(c *Client, ctx context.Context, id int64, decide changeDecision) error {
	var row lease.Row
	var found bool
	var clock lease.Clock
	namespace, _ := c.m.Namespace(c.namespace)
	err := c.Change(ctx, id, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
		if found, clock = r != nil, now; found {
			row = *r
		}
		return errLook
	})
	switch {
	case !errors.Is(err, errLook):
		return err
	case !found:
		return decide(&namespace, nil, clock)
	}
	if err := decide(&namespace, &row, clock); err != nil {
		return err
	}
	c.m.SetRow(c.namespace, row)
	return nil
}

func unguardedInit(c *Client, ctx context.Context, decide initDecision) error {
	var namespace lease.Namespace
	var clock lease.Clock
	err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
		namespace, clock = *n, now
		return errLook
	})
	if !errors.Is(err, errLook) {
		return err
	}
	if err := decide(&namespace, clock); err != nil {
		return err
	}
	c.m.SetNamespace(c.namespace, namespace)
	return nil
}

// cached offers a client's decisions rows as the client saw them last; only what they write is
// checked.
func cached() wrong {
	var rows sync.Map // by client and worker ID
	type key struct {
		c  *Client
		id int64
	}
	return wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
		if r, found := rows.Load(key{c, id}); found {
			r := r.(lease.Row)
			n, _ := c.m.Namespace(c.namespace)
			if err := decide(&n, &r, c.m.now()); err != nil {
				return err
			}
		}
		return c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
			if r != nil {
				rows.Store(key{c, id}, *r)
			}
			return decide(n, r, now)
		})
	}}
}
