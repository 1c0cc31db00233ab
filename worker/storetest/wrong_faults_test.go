package storetest

import (
	"context"
	"errors"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

// wrongFaults are wrong in what becomes of faults.
func wrongFaults() []mistake {
	return []mistake{
		{"a Take whose context ends stores the row alone", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return c.Take(context.WithoutCancel(ctx), w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				was := *n
				err := decide(n, r, now)
				if ctx.Err() != nil {
					*n = was
				}
				return err
			})
		}}},
		{"a Take that fails stores the namespace alone", byBoth, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var namespace lease.Namespace
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				err := decide(n, r, now)
				namespace = *n
				return err
			})
			if isLost(err) {
				c.m.SetNamespace(c.namespace, namespace)
			}
			return err
		}}},
		{"a Take that fails stores the row alone, in a history", byHistories, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			var row lease.Row
			err := c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				err := decide(n, r, now)
				row = *r
				return err
			})
			if isLost(err) {
				c.m.SetRow(c.namespace, row)
			}
			return err
		}}},
		{"a call whose reply was lost is made again", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if isLost(err) {
				return call(ctx)
			}
			return err
		})},
		{"a call whose reply was lost is made again, in a history", byHistories, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if isLost(err) {
				return call(ctx)
			}
			return err
		})},
		{"a call whose reply was lost is acknowledged", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if isLost(err) {
				return nil
			}
			return err
		})},
		{"what may pass is not marked", byOpen, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if retry.IsTransient(err) {
				return errors.New(err.Error())
			}
			return err
		})},
	}
}
