package storetest

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// spreading is a right store whose Take offers any row that is free, once it has lost one to
// another client: many that start at once then do not wait for each other.
func spreading() wrong {
	return wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
		lost := -1
		return c.transact(ctx, func(s *space) (change, error) {
			if s.namespace == nil {
				return change{}, c.missing()
			}
			lost++
			now := c.m.now()
			row, err := s.free(w, now)
			if err != nil {
				return change{}, err
			}
			w := w
			if w.IDs, err = w.Within(s.namespace.value); err != nil {
				return change{}, err
			}
			if lost > 0 {
				row = s.other(w, now, row, lost)
			}
			namespace := *s.namespace
			return change{space: s, namespace: &namespace, row: &row, id: row.value.WorkerID}, nil
		}, func(ch change, now lease.Clock) error { return decide(&ch.namespace.value, &ch.row.value, now) })
	}}
}

// other returns a row of the same kind as the first, at random: the wider spread the more often
// one was lost.
func (s *space) other(w lease.Wanted, now lease.Clock, first record[lease.Row], lost int) record[lease.Row] {
	n := int64(1) << min(lost, 10)
	if first.value.Fresh {
		id := first.value.WorkerID + rand.Int64N(n)
		if _, found := s.rows[id]; found || id > w.IDs.Last {
			return first
		}
		return fresh(id)
	}
	var over []record[lease.Row]
	for _, r := range slices.Collect(maps.Values(s.rows)) {
		if id := r.value.WorkerID; id >= w.IDs.First && id <= w.IDs.Last &&
			r.value.Until.Add(w.Rest+now.Error).Before(now.Now) && r.value.High <= w.Highest(now.Now) {
			over = append(over, r)
		}
	}
	if len(over) == 0 {
		return first
	}
	slices.SortFunc(over, func(a, b record[lease.Row]) int { return a.value.Until.Compare(b.value.Until) })
	return over[rand.Int64N(min(n, int64(len(over))))]
}

// A store may offer a later row once it has lost one: the suite asks for the order only of a Take
// that is alone.
func TestSpreadingTakes(t *testing.T) {
	t.Parallel()
	Run(t, Config{Histories: 100, Patience: time.Millisecond}, func(t *testing.T) Subject {
		clock := newHandClock()
		memory := NewMemory(MemoryConfig{Now: clock.Now, Versions: true})
		s := subject(memory, clock.Advance)
		s.Open = func(namespace string) (lease.Store, error) {
			w := spreading()
			w.Client = memory.Store(namespace)
			return w, nil
		}
		s.Fault = func(store lease.Store, f Fault) bool { return fault(store.(wrong).Client, f) }
		return s
	})
}
