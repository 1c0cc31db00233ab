package storetest

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// wrongChoices are wrong in which row Take offers.
func wrongChoices() map[string]wrong {
	return map[string]wrong{
		"Take offers the lowest ID": picks(func(
			s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock,
		) (change, error) {
			if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.WorkerID < b.WorkerID }); found {
				return s.takes(row), nil
			}
			return s.free(w, now)
		}),
		"Take offers what was released last": picks(func(
			s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock,
		) (change, error) {
			if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.Until.After(b.Until) }); found {
				return s.takes(row), nil
			}
			return s.free(w, now)
		}),
		"Take offers only what was released": picks(func(
			s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock,
		) (change, error) {
			rows = slices.DeleteFunc(rows, func(r record[lease.Row]) bool { return r.value.Nonce != "" })
			if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.Until.Before(b.Until) }); found {
				return s.takes(row), nil
			}
			return s.free(w, now)
		}),
		"Take offers IDs beyond the range":          wants(func(w *lease.Wanted) { w.IDs.Last += 10 }),
		"Take offers IDs below the range":           wants(func(w *lease.Wanted) { w.IDs.First = 0 }),
		"Take does not wait for Rest":               wants(func(w *lease.Wanted) { w.Rest = 0 }),
		"Take offers what is over for exactly Rest": wants(func(w *lease.Wanted) { w.Rest -= time.Microsecond }),
		"Take offers what is held":                  wants(func(w *lease.Wanted) { w.Rest -= 24 * time.Hour }),
		"Take waits longer than Rest":               wants(func(w *lease.Wanted) { w.Rest += 10 * time.Minute }),
		"Take does not ask for Highest":             wants(func(w *lease.Wanted) { w.Highest = func(time.Time) int64 { return math.MaxInt64 } }),
		"Take wants ticks below Highest": wants(func(w *lease.Wanted) {
			highest := w.Highest
			w.Highest = func(now time.Time) int64 { return max(highest(now), math.MinInt64+1) - 1 }
		}),
		"Take asks for Highest by no clock": wants(func(w *lease.Wanted) {
			highest := w.Highest
			w.Highest = func(time.Time) int64 { return highest(time.Time{}) }
		}),
		"Take knows no last resort": wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide decision) error {
			return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
				if r.High > w.Highest(now.Now) {
					return lease.NoneFree(w.IDs, now.Now, nil)
				}
				return decide(n, r, now)
			})
		}},
		"Take offers ticks of the future before a new ID": picks(func(
			s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock,
		) (change, error) {
			any := w
			any.Highest = func(time.Time) int64 { return math.MaxInt64 }
			for _, w := range []lease.Wanted{w, any} {
				if row, found := best(rows, w, now.Now, func(a, b lease.Row) bool { return a.Until.Before(b.Until) }); found {
					return s.takes(row), nil
				}
			}
			return s.free(w, now)
		}),
		"Take knows no namespace's IDs": picksWithin(func(w lease.Wanted, _ lease.Namespace) (lease.Range, error) { return w.IDs, nil }),
		"Take refuses what is not all the namespace's": picksWithin(func(w lease.Wanted, n lease.Namespace) (lease.Range, error) {
			w.Must = w.IDs
			return w.Within(n)
		}),
		"Take never minds which IDs the namespace has": picksWithin(func(
			w lease.Wanted, n lease.Namespace,
		) (lease.Range, error) {
			w.Must = lease.Range{}
			return w.Within(n)
		}),
		"Take knows the first of the namespace's IDs alone": picksWithin(func(w lease.Wanted, n lease.Namespace) (lease.Range, error) {
			if n.IDs != (lease.Range{}) {
				n.IDs.Last = math.MaxInt64
			}
			return w.Within(n)
		}),
		"IDs that the namespace lacks are none free": picksWithin(func(w lease.Wanted, n lease.Namespace) (lease.Range, error) {
			ids, err := w.Within(n)
			if err != nil {
				err = lease.NoneFree(w.IDs, time.Now(), nil)
			}
			return ids, err
		}),
		"IDs that the namespace lacks are an error that may pass": picksWithin(func(w lease.Wanted, n lease.Namespace) (lease.Range, error) {
			ids, err := w.Within(n)
			if err != nil {
				err = retry.Transient(err)
			}
			return ids, err
		}),
		"none free is told of all IDs that are wanted": wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide decision) error {
			err := c.Take(ctx, w, decide)
			if errors.Is(err, uid.ErrNoWorkerID) {
				err = lease.NoneFree(w.IDs, late, nil)
			}
			return err
		}},
		"none free is told without Rest": wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide decision) error {
			err := c.Take(ctx, w, decide)
			if err != nil && w.Rest == time.Hour {
				w.Rest = 0
				return c.Take(ctx, w, decide)
			}
			return err
		}},
		"none free is told of all IDs": wants(func(w *lease.Wanted) { w.IDs.Last++ }),
		"none free is an error of its own": wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide decision) error {
			err := c.Take(ctx, w, decide)
			if err != nil && !errors.Is(err, errMissing) && !errors.Is(err, suite.ErrLook) {
				return errors.New("no rows in result set")
			}
			return err
		}},
	}
}

// wants is wrong about what it is asked for.
func wants(f func(w *lease.Wanted)) wrong {
	return wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide decision) error {
		f(&w)
		return c.Take(ctx, w, decide)
	}}
}

// picks is wrong in which row it picks, out of those in the range, by their IDs.
func picks(f func(s *space, rows []record[lease.Row], w lease.Wanted, now lease.Clock) (change, error)) wrong {
	return wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide decision) error {
		return c.transact(ctx, func(s *space) (change, error) {
			if s.namespace == nil {
				return change{}, c.missing()
			}
			var rows []record[lease.Row]
			for _, id := range slices.Sorted(maps.Keys(s.rows)) {
				if id >= w.IDs.First && id <= w.IDs.Last {
					rows = append(rows, s.rows[id])
				}
			}
			return f(s, rows, w, c.m.now())
		}, func(ch *change, now lease.Clock) error { return decide(&ch.namespace.value, &ch.row.value, now) })
	}}
}

// picksWithin is wrong in which IDs a Take chooses from.
func picksWithin(within func(lease.Wanted, lease.Namespace) (lease.Range, error)) wrong {
	return picks(func(s *space, _ []record[lease.Row], w lease.Wanted, now lease.Clock) (ch change, err error) {
		if w.IDs, err = within(w, s.namespace.value); err != nil {
			return ch, err
		}
		w.Must = lease.Range{}
		return s.as(func(n *lease.Namespace) { n.IDs = lease.Range{} }).free(w, now)
	})
}

// best is the row that is over, and can be had, which is before all others.
func best(rows []record[lease.Row], w lease.Wanted, now time.Time, before func(a, b lease.Row) bool) (row record[lease.Row], found bool) {
	for _, r := range rows {
		over := r.value.Until.Add(w.Rest).Before(now) && r.value.High <= w.Highest(now)
		if over && (!found || before(r.value, row.value)) {
			row, found = r, true
		}
	}
	return row, found
}

// takes takes a row, and makes no other.
func (s *space) takes(row record[lease.Row]) change {
	namespace := *s.namespace
	return change{space: s, namespace: &namespace, row: &row,
		id: row.value.WorkerID, given: max(namespace.value.Given, row.value.WorkerID)}
}

// as returns the space with a namespace that is read in another way.
func (s *space) as(f func(n *lease.Namespace)) *space {
	is, namespace := *s, *s.namespace
	f(&namespace.value)
	is.namespace = &namespace
	return &is
}
