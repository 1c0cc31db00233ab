package storetest

import (
	"context"
	"errors"
	"slices"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// wrongBatches are wrong in what they do with many rows at once.
func wrongBatches() []mistake {
	// offers is wrong in what is offered, or in what becomes of it.
	offers := func(f func(w lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error) wrong {
		return wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			return c.TakeBatch(ctx, w, n, func(ns *lease.Namespace, rows []*lease.Row, now lease.Clock) error {
				return f(w, rows, func(rows []*lease.Row) error { return decide(ns, rows, now) })
			})
		}}
	}
	return []mistake{
		{"TakeBatch offers a row twice", byBatch, offers(func(_ lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error {
			if len(rows) < 2 {
				return decide(rows)
			}
			twice := *rows[0]
			rows[len(rows)-1] = &twice
			err := decide(rows)
			rows[len(rows)-1] = nil
			return err
		})},
		{"TakeBatch offers the last row first", byBatch, offers(func(_ lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error {
			turned := slices.Clone(rows)
			slices.Reverse(turned)
			err := decide(turned)
			slices.Reverse(turned)
			copy(rows, turned)
			return err
		})},
		{"TakeBatch offers no row at times", byBatch, offers(func(_ lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error {
			if len(rows) == 2 {
				return decide(nil)
			}
			return decide(rows)
		})},
		{"TakeBatch offers one more", byBatch, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			return c.TakeBatch(ctx, w, n+1, decide)
		}}},
		{"TakeBatch does not wait for Rest", byBatch, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			w.Rest = 0
			return c.TakeBatch(ctx, w, n, decide)
		}}},
		{"TakeBatch does not ask for Highest", byBatch, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			w.Highest = wanted(0, 0).Highest
			return c.TakeBatch(ctx, w, n, decide)
		}}},
		{"TakeBatch takes all that are asked for or none", byBatch, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			return c.TakeBatch(ctx, w, n, func(ns *lease.Namespace, rows []*lease.Row, now lease.Clock) error {
				if len(rows) < n {
					return lease.NoneFree(w.IDs, now.Now)
				}
				return decide(ns, rows, now)
			})
		}}},
		{"TakeBatch loses one of many", byBatch, offers(func(_ lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error {
			err := decide(rows)
			if len(rows) > 1 {
				rows[len(rows)-1] = nil
			}
			return err
		})},
		{"TakeBatch finds no row and says something else", byBatchNone, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			err := c.TakeBatch(ctx, w, n, decide)
			if errors.Is(err, uid.ErrNoWorkerID) {
				return uid.ErrNoWorkerID
			}
			return err
		}}},
		{"TakeBatch loses one of new rows", byBatchWhole, offers(func(_ lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error {
			fresh := rows[0].Fresh
			err := decide(rows)
			if len(rows) > 3 && fresh {
				rows[len(rows)-1] = nil
			}
			return err
		})},
		{"TakeBatch writes half of it when it fails", byBatchWhole, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			var half []lease.Row
			err := c.TakeBatch(ctx, w, n, func(ns *lease.Namespace, rows []*lease.Row, now lease.Clock) error {
				err := decide(ns, rows, now)
				half = values(rows[:len(rows)/2])
				return err
			})
			if isLost(err) {
				for _, r := range half {
					c.m.SetRow(c.namespace, r)
				}
			}
			return err
		}}},
		{"TakeBatch writes what was refused", byBatchWhole, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			var refused error
			err := c.TakeBatch(ctx, w, n, func(ns *lease.Namespace, rows []*lease.Row, now lease.Clock) error {
				if refused = decide(ns, rows, now); errors.Is(refused, errLook) {
					return refused
				}
				return nil
			})
			return errors.Join(refused, err)
		}}},
		{"TakeBatch forgets the namespace", byBatchWhole, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			return c.TakeBatch(ctx, w, n, func(ns *lease.Namespace, rows []*lease.Row, now lease.Clock) error {
				other := *ns
				return decide(&other, rows, now)
			})
		}}},
		{"TakeBatch writes rows that are not taken", byBatchWhole, offers(func(_ lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error {
			return decide(slices.Clone(rows))
		})},
		{"TakeBatch makes rows of IDs that are not taken", byBatchWhole, offers(func(_ lease.Wanted, rows []*lease.Row, decide func([]*lease.Row) error) error {
			was := values(rows)
			err := decide(rows)
			for i := range rows {
				if rows[i] == nil {
					rows[i] = &was[i]
				}
			}
			return err
		})},
		{"TakeBatch guards its first row alone, in a history", byHistories, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			return lookThenTakes(c, ctx, w, n, decide, func(ns lease.Namespace, rows []lease.Row) error {
				first := w
				first.IDs = lease.Range{First: rows[0].WorkerID, Last: rows[0].WorkerID}
				err := c.Take(ctx, first, func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
					*n, *r = ns, rows[0]
					return nil
				})
				if err != nil {
					return err
				}
				for _, r := range rows[1:] {
					c.m.SetRow(c.namespace, r)
				}
				return nil
			})
		}}},
		{"TakeBatch guards the namespace and not the rows", byBatches, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			return lookThenTakes(c, ctx, w, n, decide, func(ns lease.Namespace, rows []lease.Row) error {
				now, _ := c.m.Namespace(c.namespace)
				if now.Floor >= ns.Floor && ns.Floor >= 0 {
					return worker.Transient(errors.New("the namespace was written"))
				}
				c.m.SetNamespace(c.namespace, ns)
				for _, r := range rows {
					c.m.SetRow(c.namespace, r)
				}
				return nil
			})
		}}},
		{"TakeBatch without a lock: two win the same rows", byBatches, wrong{batch: func(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision) error {
			return lookThenTakes(c, ctx, w, n, decide, func(ns lease.Namespace, rows []lease.Row) error {
				c.m.SetNamespace(c.namespace, ns)
				for _, r := range rows {
					c.m.SetRow(c.namespace, r)
				}
				return nil
			})
		}}},
	}
}

func lookThenTakes(c *Client, ctx context.Context, w lease.Wanted, n int, decide batchDecision, write func(lease.Namespace, []lease.Row) error) error {
	var namespace lease.Namespace
	var rows []lease.Row
	var clock lease.Clock
	err := c.TakeBatch(ctx, w, n, func(ns *lease.Namespace, all []*lease.Row, now lease.Clock) error {
		namespace, rows, clock = *ns, values(all), now
		return errLook
	})
	if !errors.Is(err, errLook) {
		return err
	}
	pointers := make([]*lease.Row, len(rows))
	for i := range rows {
		pointers[i] = &rows[i]
	}
	if err := decide(&namespace, pointers, clock); err != nil {
		return err
	}
	return write(namespace, values(pointers))
}

// values returns the rows that are not nil.
func values(rows []*lease.Row) (all []lease.Row) {
	for _, r := range rows {
		if r != nil {
			all = append(all, *r)
		}
	}
	return all
}
