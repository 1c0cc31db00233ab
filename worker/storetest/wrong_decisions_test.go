package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/uidgen/uid/worker/lease"
)

// wrongDecisions are wrong in what decide agrees to and refuses.
func wrongDecisions() []mistake {
	return []mistake{
		{"Change stores what decide refused", byChange, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			var refused error
			err := c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				if refused = decide(n, r, now); r == nil {
					return refused
				}
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Take stores what decide refused", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var refused error
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				refused = decide(n, r, now)
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Take makes the rows that decide refused", byGrowth, wrong{take: func(
			c *Client, ctx context.Context, w lease.Wanted, decide takeDecision,
		) error {
			var refused error
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				wasN, wasR := *n, *r
				if refused = decide(n, r, now); refused != nil {
					*n, *r = wasN, wasR
				}
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Take stores the namespace that decide refused", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				err := decide(n, r, now)
				if err != nil {
					defer c.m.SetNamespace(c.namespace, *n)
				}
				return err
			})
		}}},
		{"decide's error is lost", byChange, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, decided *error) error {
			err := call(ctx)
			if *decided != nil {
				return nil
			}
			return err
		})},
		{"decide's error is told in other words", byChange, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, decided *error) error {
			err := call(ctx)
			if *decided != nil {
				return fmt.Errorf("storetest: %v", err)
			}
			return err
		})},
		{"Change offers an ID without a row", byNoRow, wrong{change: func(
			c *Client, ctx context.Context, id int64, decide changeDecision,
		) error {
			return c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				if r == nil {
					unused := lease.NewRow(id)
					r = &unused
				}
				return decide(n, r, now)
			})
		}}},
		{"Change makes a row", byNoRow, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			err := c.Change(ctx, id, decide)
			if _, found := c.m.Row(c.namespace, id); !found && !errors.Is(err, errMissing) {
				c.m.SetRow(c.namespace, lease.Row{WorkerID: id, High: -1})
			}
			return err
		}}},
		{"no write is stored", byInit, decides(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock, decide func() error) error {
			return cmp.Or(decide(), errSkip)
		}).thenNil()},
		{"Change to a released row is not stored", byChange, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			err := c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				released := r != nil && r.Nonce == ""
				if err := decide(n, r, now); err != nil || !released {
					return err
				}
				return errSkip
			})
			if errors.Is(err, errSkip) {
				return nil
			}
			return err
		}}},
		{"every fifth write is lost", byHistories, func() wrong {
			var n atomic.Int64
			return decides(func(_ *lease.Namespace, _ *lease.Row, _ *lease.Clock, decide func() error) error {
				if err := decide(); err != nil || n.Add(1)%5 != 0 {
					return err
				}
				return errSkip
			}).thenNil()
		}()},
	}
}
