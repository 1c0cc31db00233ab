package storetest

import (
	"errors"
	"maps"
	"slices"

	"github.com/uidgen/uid/worker/lease"
)

// free picks the row for a Take. It looks at every row.
func (s *space) free(w lease.Wanted, clock lease.Clock) (row record[lease.Row], err error) {
	highest, rest := w.Highest(clock.Now), w.Rest+clock.Error
	var ids []int64 // of all rows within the range
	var usable, over, first *record[lease.Row]
	for _, id := range slices.Sorted(maps.Keys(s.rows)) {
		if id < w.IDs.First || id > w.IDs.Last {
			continue
		}
		ids = append(ids, id)
		r := s.rows[id]
		earliest(&first, r)
		if r.value.Until.Add(rest).Before(clock.Now) {
			earliest(&over, r)
			if r.value.High <= highest {
				earliest(&usable, r)
			}
		}
	}
	if usable != nil {
		return *usable, nil
	}
	if id, found := unused(ids, w.IDs); found {
		return record[lease.Row]{value: lease.Row{WorkerID: id, High: -1, Fresh: true}}, nil
	}
	switch {
	case over != nil:
		return *over, nil
	case first == nil:
		return row, errors.New("storetest: no worker IDs are wanted")
	}
	return row, lease.NoneFree(w.IDs, first.value.Until.Add(rest))
}

// earliest replaces at with r if r's lease ends earlier.
func earliest(at **record[lease.Row], r record[lease.Row]) {
	if *at == nil || r.value.Until.Before((*at).value.Until) {
		*at = &r
	}
}

// unused returns the ID above all of ids, which are sorted, or the lowest one in a gap.
func unused(ids []int64, in lease.Range) (id int64, found bool) {
	n := len(ids)
	switch {
	case in.First > in.Last:
		return 0, false
	case n == 0:
		return in.First, true
	case ids[n-1] < in.Last:
		return ids[n-1] + 1, true
	case int64(n-1) == in.Last-in.First:
		return 0, false
	}
	id = in.First
	for _, used := range ids {
		if id < used {
			break
		}
		id = used + 1
	}
	return id, true
}
