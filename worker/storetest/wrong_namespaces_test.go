package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/uidgen/uid/worker/lease"
)

// wrongNamespaces are wrong in who makes a namespace, and what becomes of one.
func wrongNamespaces() []mistake {
	return []mistake{
		{"Take makes the namespace", byMissing, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			if _, found := c.m.Namespace(c.namespace); !found {
				c.m.SetNamespace(c.namespace, lease.Namespace{Given: -1, Floor: -1})
			}
			return c.Take(ctx, w, decide)
		}}},
		{"Take makes a namespace that it does not use", byMissing, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			err := c.Take(ctx, w, decide)
			if errors.Is(err, errMissing) {
				c.m.SetNamespace(c.namespace, lease.Namespace{Given: -1, Floor: -1})
			}
			return err
		}}},
		{"Change writes only the row", byBothRows, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			return c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				shown := *n
				return decide(&shown, r, now)
			})
		}}},
		{"Change writes the namespace though it was refused", byBothRows, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			var written lease.Namespace
			err := c.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				err := decide(n, r, now)
				written = *n
				return err
			})
			if err != nil && written.Layout != "" {
				c.m.SetNamespace(c.namespace, written)
			}
			return err
		}}},
		{"a history that changes for nothing", byHistory, func() wrong {
			var n atomic.Int64
			return reads(func(_ *lease.Namespace, _ *lease.Row, now *lease.Clock) { now.History = fmt.Sprint(n.Add(1)) })
		}()},
		{"a history that is too long", byHistory, reads(func(_ *lease.Namespace, _ *lease.Row, now *lease.Clock) {
			now.History = strings.Repeat("x", lease.MostHistory+1)
		})},
		{"a history in Greek", byHistory, reads(func(_ *lease.Namespace, _ *lease.Row, now *lease.Clock) { now.History = "ἱστορία" })},
		{"Change finds no row in no namespace", byMissing, wrong{change: func(c *Client, ctx context.Context, id int64, decide changeDecision) error {
			if _, found := c.m.Namespace(c.namespace); !found {
				return decide(&lease.Namespace{}, nil, c.m.now())
			}
			return c.Change(ctx, id, decide)
		}}},
		{"a missing namespace is an error of its own", byMissing, returns(func(ctx context.Context, _ *Client, call func(context.Context) error, _ *error) error {
			err := call(ctx)
			if errors.Is(err, errMissing) {
				return errors.New("no such table")
			}
			return err
		})},
		{"Init makes what decide refused", byInit, wrong{init: func(c *Client, ctx context.Context, decide initDecision) error {
			var refused error
			err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
				was := *n
				if refused = decide(n, now); refused != nil {
					*n = was
				}
				return nil
			})
			return cmp.Or(refused, err)
		}}},
		{"Init always makes", byInit, reads(func(n *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if n != nil && r == nil {
				*n = lease.Namespace{Given: n.Given, Floor: -1, Fresh: true}
			}
		})},
		{"Init never says that it is Fresh", byInit, reads(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock) {
			if n != nil {
				n.Fresh = false
			}
		})},
		{"Init knows no ID that was given", byInit, reads(func(n *lease.Namespace, r *lease.Row, _ *lease.Clock) {
			if n != nil && r == nil {
				n.Given = -1
			}
		})},
		{"Init leaves what is there", byInit, wrong{init: func(c *Client, ctx context.Context, decide initDecision) error {
			return c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
				was := *n
				err := decide(n, now)
				if !was.Fresh {
					*n = was
				}
				return err
			})
		}}},
		{"a new namespace has a Floor of 0", byInit, reads(func(n *lease.Namespace, _ *lease.Row, _ *lease.Clock) {
			if n != nil && n.Fresh {
				n.Floor = 0
			}
		})},
		{"a namespace made anew has given no ID", byAgain, reads(func(
			n *lease.Namespace, _ *lease.Row, _ *lease.Clock,
		) {
			if n != nil && n.Fresh {
				n.Given = -1
			}
		})},
		{"a namespace made anew loses its rows", byAgain, wrong{init: func(c *Client, ctx context.Context, decide initDecision) error {
			made := false
			err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error { made = n.Fresh; return decide(n, now) })
			if err == nil && made {
				for id := range int64(10) {
					c.m.RemoveRow(c.namespace, id)
				}
			}
			return err
		}}},
		{"Take goes on in a namespace that was lost", byAgain, wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			if _, found := c.m.Row(c.namespace, 0); found {
				if _, found := c.m.Namespace(c.namespace); !found {
					c.m.SetNamespace(c.namespace, lease.Namespace{Given: -1, Floor: -1})
				}
			}
			return c.Take(ctx, w, decide)
		}}},
		{"Init without a guard", byInits, wrong{init: unguardedInit}},
	}
}
