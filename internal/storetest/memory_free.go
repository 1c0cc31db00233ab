package storetest

import (
	"maps"
	"slices"
	"time"

	"github.com/uidgen/uid/internal/leasestore"
)

// free picks the row for a Take, and those that are made with it. It looks at every row.
func (s *space) free(w leasestore.Wanted, clock leasestore.Clock) (change, error) {
	namespace := *s.namespace
	ids, err := w.Within(namespace.value)
	if err != nil {
		return change{}, err
	}
	own := &namespace.value
	highest, rest := w.Highest(clock.Now), w.Rest+clock.Error
	before := clock.Now.Add(-rest)
	var usable, over, first ending
	for id, r := range s.rows {
		if id < ids.First || id > ids.Last {
			continue
		}
		own.Given = max(own.Given, id)
		first.earlier(id, r.value.Until)
		if r.value.Until.Before(before) {
			over.earlier(id, r.value.Until)
			if r.value.High <= highest {
				usable.earlier(id, r.value.Until)
			}
		}
	}
	fresh, some := own.NewIDs(ids)
	takes := func(id int64) (change, error) {
		row := s.rows[id]
		return change{space: s, namespace: &namespace, row: &row, id: id, given: own.Given}, nil
	}
	switch {
	case usable.found:
		return takes(usable.id)
	case some:
		row := record[leasestore.Row]{value: leasestore.NewRow(fresh.First)}
		return change{space: s, namespace: &namespace, row: &row, id: fresh.First, given: fresh.Last, fresh: fresh}, nil
	case over.found:
		return takes(over.id)
	case first.found:
		first.until = first.until.Add(rest)
	}
	return change{}, leasestore.NoneFree(ids, first.until, own.Missing(ids, slices.Sorted(maps.Keys(s.rows))))
}

// An ending is the row whose lease ends first of those that it was told of. Of two that end at
// once that is the one of the lower ID.
type ending struct {
	id    int64
	until time.Time
	found bool
}

func (e *ending) earlier(id int64, until time.Time) {
	if !e.found || until.Before(e.until) || until.Equal(e.until) && id < e.id {
		*e = ending{id, until, true}
	}
}
