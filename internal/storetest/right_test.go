package storetest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/worker/lease"
)

// spreading is a right store whose Take offers any row that is free, once it has lost one to
// another client: many that start at once then do not wait for each other.
func spreading() wrongStore {
	return of("Take", func(k *attempt) error {
		lost, w := -1, k.wants
		return k.transact(k.Ctx, func(s *space) (change, error) {
			if s.namespace == nil {
				return change{}, k.missing()
			}
			lost++
			now := k.m.now()
			ch, err := s.free(w, now)
			if err != nil || lost == 0 || ch.row.version == 0 {
				return ch, err
			}
			ids, err := w.Within(s.namespace.value)
			if err != nil {
				return change{}, err
			}
			row := s.other(ids, w, now, *ch.row, lost)
			ch.row, ch.id = &row, row.value.WorkerID
			return ch, nil
		}, func(ch *change, now leasestore.Clock) error { return k.decide(&ch.namespace.value, &ch.row.value, now) })
	})
}

// other returns a row that is free, as the first is, at random: the wider spread the more often one
// was lost.
func (s *space) other(
	ids lease.Range, w leasestore.Wanted, now leasestore.Clock, first record[leasestore.Row], lost int,
) record[leasestore.Row] {
	var over []record[leasestore.Row]
	for _, r := range slices.Collect(maps.Values(s.rows)) {
		if id := r.value.WorkerID; id >= ids.First && id <= ids.Last &&
			r.value.Until.Add(w.Rest+now.Error).Before(now.Now) && r.value.High <= w.Highest(now.Now) {
			over = append(over, r)
		}
	}
	if len(over) == 0 {
		return first
	}
	slices.SortFunc(over, func(a, b record[leasestore.Row]) int { return a.value.Until.Compare(b.value.Until) })
	return over[rand.N(min(1<<min(lost, 10), len(over)))]
}

// A store may offer a later row once it has lost one: the suite asks for the order only of a Take
// that is alone.
func TestSpreadingTakes(t *testing.T) {
	t.Parallel()
	cfg := Config{Histories: 20, Patience: time.Millisecond}
	open := func(t *testing.T) Subject {
		clock := newHandClock()
		memory := NewMemory(MemoryConfig{Now: clock.Now, Versions: true})
		s := subject(memory, clock.Advance)
		opens(memory, &s, spreading())
		return s
	}
	Run(t, cfg, open)
	RunRegistry(t, cfg, open)
}
