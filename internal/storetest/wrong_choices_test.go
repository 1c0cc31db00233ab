package storetest

import (
	"errors"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// wrongChoices are wrong in which row Take offers.
func wrongChoices() map[string]wrongStore {
	return map[string]wrongStore{
		"Take offers the lowest ID":          prefers(func(a, b row) bool { return a.WorkerID < b.WorkerID }),
		"Take offers what was released last": prefers(func(a, b row) bool { return a.Until.After(b.Until) }),
		"Take offers only what was released": prefers(func(a, b row) bool { return a.Until.Before(b.Until) },
			func(r row) bool { return r.Nonce != "" }),
		"Take offers IDs beyond the range":          wants(func(w *wish) { w.IDs.Last += 10 }),
		"Take offers IDs below the range":           wants(func(w *wish) { w.IDs.First = 0 }),
		"Take does not wait for Rest":               wants(func(w *wish) { w.Rest = 0 }),
		"Take offers what is over for exactly Rest": wants(func(w *wish) { w.Rest -= time.Microsecond }),
		"Take offers what is held":                  wants(func(w *wish) { w.Rest -= 24 * time.Hour }),
		"Take waits longer than Rest":               wants(func(w *wish) { w.Rest += 10 * time.Minute }),
		"Take does not ask for Highest":             wants(func(w *wish) { w.Highest = wanted(0, 0).Highest }),
		"Take wants ticks below Highest": wants(func(w *wish) {
			highest := w.Highest
			w.Highest = func(now time.Time) int64 { return max(highest(now), math.MinInt64+1) - 1 }
		}),
		"Take asks for Highest by no clock": wants(func(w *wish) {
			highest := w.Highest
			w.Highest = func(time.Time) int64 { return highest(time.Time{}) }
		}),
		"Take knows no last resort": of("Take", func(k *attempt) error {
			return k.decides(func(n *common, r *row, now clock, decide decision) error {
				if r.High > k.wants.Highest(now.Now) {
					return leasestore.NoneFree(k.wants.IDs, now.Now, nil)
				}
				return decide(n, r, now)
			})
		}),
		"Take offers ticks of the future before a new ID": picks(func(p pick) (change, error) {
			any := p.wants
			any.Highest = func(time.Time) int64 { return math.MaxInt64 }
			for _, w := range []wish{p.wants, any} {
				before := func(a, b row) bool { return a.Until.Before(b.Until) }
				if row, found := best(p.in, w, p.now.Now, before); found {
					return p.takes(row), nil
				}
			}
			return p.free(p.wants, p.now)
		}),
		"Take knows no namespace's IDs": picksWithin(func(w wish, _ common) (lease.Range, error) { return w.IDs, nil }),
		"Take refuses what is not all the namespace's": picksWithin(func(w wish, n common) (lease.Range, error) {
			w.Must = w.IDs
			return w.Within(n)
		}),
		"Take never minds which IDs the namespace has": picksWithin(func(w wish, n common) (lease.Range, error) {
			w.Must = lease.Range{}
			return w.Within(n)
		}),
		"Take knows the first of the namespace's IDs alone": picksWithin(func(w wish, n common) (lease.Range, error) {
			if n.IDs != (lease.Range{}) {
				n.IDs.Last = math.MaxInt64
			}
			return w.Within(n)
		}),
		"IDs that the namespace lacks are none free": picksWithin(func(w wish, n common) (lease.Range, error) {
			ids, err := w.Within(n)
			if err != nil {
				err = leasestore.NoneFree(w.IDs, time.Now(), nil)
			}
			return ids, err
		}),
		"IDs that the namespace lacks may pass": picksWithin(func(w wish, n common) (lease.Range, error) {
			ids, err := w.Within(n)
			if err != nil {
				err = retry.Transient(err)
			}
			return ids, err
		}),
		"none free is told of all IDs that are wanted": after("Take", func(k *attempt, err error) error {
			if errors.Is(err, uid.ErrNoWorkerID) {
				err = leasestore.NoneFree(k.wants.IDs, late, nil)
			}
			return err
		}),
		"none free is told without Rest": after("Take", func(k *attempt, err error) error {
			if err != nil && k.wants.Rest == time.Hour {
				k.wants.Rest = 0
				return k.make(k.Ctx)
			}
			return err
		}),
		"none free is told of all IDs": wants(func(w *wish) { w.IDs.Last++ }),
		"none free is an error of its own": after("Take", func(k *attempt, err error) error {
			if err != nil && !errors.Is(err, errMissing) && !errors.Is(err, suite.ErrLook) {
				return errors.New("no rows in result set")
			}
			return err
		}),
	}
}

// wants is wrong about what it is asked for.
func wants(f func(w *wish)) wrongStore {
	return of("Take", func(k *attempt) error {
		f(&k.wants)
		return k.make(k.Ctx)
	})
}

// A pick is what a Take sees: a space, and its rows in the range, by their IDs.
type pick struct {
	*space
	in    []record[row]
	wants wish
	now   clock
}

// picks is wrong in which row it picks.
func picks(f func(p pick) (change, error)) wrongStore {
	return of("Take", func(k *attempt) error {
		return k.transact(k.Ctx, func(s *space) (change, error) {
			if s.namespace == nil {
				return change{}, k.missing()
			}
			var rows []record[row]
			for _, id := range slices.Sorted(maps.Keys(s.rows)) {
				if id >= k.wants.IDs.First && id <= k.wants.IDs.Last {
					rows = append(rows, s.rows[id])
				}
			}
			return f(pick{s, rows, k.wants, k.m.now()})
		}, func(ch *change, now clock) error { return k.decide(&ch.namespace.value, &ch.row.value, now) })
	})
}

// prefers is wrong in which of the rows that can be had it picks, but for some.
func prefers(before func(a, b row) bool, but ...func(row) bool) wrongStore {
	return picks(func(p pick) (change, error) {
		p.in = slices.DeleteFunc(p.in, func(r record[row]) bool { return len(but) > 0 && but[0](r.value) })
		if row, found := best(p.in, p.wants, p.now.Now, before); found {
			return p.takes(row), nil
		}
		return p.free(p.wants, p.now)
	})
}

// picksWithin is wrong in which IDs a Take chooses from.
func picksWithin(within func(wish, common) (lease.Range, error)) wrongStore {
	return picks(func(p pick) (ch change, err error) {
		if p.wants.IDs, err = within(p.wants, p.namespace.value); err != nil {
			return ch, err
		}
		p.wants.Must = lease.Range{}
		return p.as(func(n *common) { n.IDs = lease.Range{} }).free(p.wants, p.now)
	})
}

// best is the row that is over, and can be had, which is before all others.
func best(rows []record[row], w wish, now time.Time, before func(a, b row) bool) (row record[row], found bool) {
	for _, r := range rows {
		over := r.value.Until.Add(w.Rest).Before(now) && r.value.High <= w.Highest(now)
		if over && (!found || before(r.value, row.value)) {
			row, found = r, true
		}
	}
	return row, found
}

// takes takes a row, and makes no other.
func (s *space) takes(row record[row]) change {
	namespace := *s.namespace
	return change{space: s, namespace: &namespace, row: &row,
		id: row.value.WorkerID, given: max(namespace.value.Given, row.value.WorkerID)}
}

// as returns the space with a namespace that is read in another way.
func (s *space) as(f func(n *common)) *space {
	is, namespace := *s, *s.namespace
	f(&namespace.value)
	is.namespace = &namespace
	return &is
}
