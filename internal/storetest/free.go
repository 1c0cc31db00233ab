package storetest

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// A space is what a namespace holds.
type space struct {
	namespace *common // nil while there is none
	rows      map[int64]row
}

// A change is what a Take is to offer, and to store with it.
type change struct {
	id    int64       // of the row
	given int64       // of the namespace, when it is stored
	fresh lease.Range // of rows that are made with it, when it is new
}

// others returns the IDs of the rows that are made with the row that is taken.
func (ch *change) others() iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for id := ch.id + 1; id <= ch.fresh.Last && yield(id); id++ {
		}
	}
}

// free picks the row for a Take, and those that are made with it. It looks at every row.
func (s *space) free(w storage.Wanted, clock storage.Clock) (change, error) {
	own := *s.namespace
	ids, err := w.Within(own)
	if err != nil {
		return change{}, err
	}
	highest, rest := w.Highest(clock.Now), w.Rest+clock.Error
	before := clock.Now.Add(-rest)
	var usable, over, first ending
	for id, r := range s.rows {
		if id < ids.First || id > ids.Last {
			continue
		}
		own.Given = max(own.Given, id)
		first.earlier(id, r.Until)
		if r.Until.Before(before) {
			over.earlier(id, r.Until)
			if r.High <= highest {
				usable.earlier(id, r.Until)
			}
		}
	}
	fresh, some := own.NewIDs(ids)
	switch {
	case usable.found:
		return change{id: usable.id, given: own.Given}, nil
	case some:
		return change{fresh.First, fresh.Last, fresh}, nil
	case over.found:
		return change{id: over.id, given: own.Given}, nil
	case first.found:
		first.until = first.until.Add(rest)
	}
	return change{}, storage.NoneFree(ids, first.until, own.Missing(ids, slices.Sorted(maps.Keys(s.rows))))
}

// sample returns what a store may see of a namespace of more rows than n when it offers one: no other that is free.
func (s *space) sample(n int64, w storage.Wanted, id int64) *space {
	own := *s.namespace
	for at := range s.rows {
		own.Given = max(own.Given, at)
	}
	ids, err := w.Within(own)
	if err != nil || n == 0 || min(own.Given, ids.Last)-ids.First < n {
		return s
	}
	seen := &space{&own, map[int64]row{}}
	if r, there := s.rows[id]; there {
		seen.rows[id] = r
	}
	return seen
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
