package storetest

import (
	"errors"
	"maps"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// free picks the row for a Take. It looks at every row.
func (s *space) free(w lease.Wanted, clock lease.Clock) (row record[lease.Row], err error) {
	if w.IDs, err = w.Within(s.namespace.value); err != nil {
		return row, err
	}
	highest, rest := w.Highest(clock.Now), w.Rest+clock.Error
	before := clock.Now.Add(-rest)
	used, top := int64(0), int64(-1) // rows within the range, and the highest ID of all of them
	var usable, over, first ending
	for id, r := range s.rows {
		if id < w.IDs.First || id > w.IDs.Last {
			continue
		}
		used, top = used+1, max(top, id)
		first.earlier(id, r.value.Until)
		if r.value.Until.Before(before) {
			over.earlier(id, r.value.Until)
			if r.value.High <= highest {
				usable.earlier(id, r.value.Until)
			}
		}
	}
	if usable.found {
		return s.rows[usable.id], nil
	}
	if id, found := s.unused(w.IDs, used, top); found {
		return record[lease.Row]{value: lease.Row{WorkerID: id, High: -1, Fresh: true}}, nil
	}
	switch {
	case over.found:
		return s.rows[over.id], nil
	case !first.found:
		return row, errors.New("storetest: no worker IDs are wanted")
	}
	return row, lease.NoneFree(w.IDs, first.until.Add(rest))
}

// severalFree picks the rows for as many Takes, one after another.
func (s *space) severalFree(w lease.Wanted, n int, clock lease.Clock) (rows []record[lease.Row], err error) {
	then := &space{namespace: s.namespace, rows: maps.Clone(s.rows)}
	for len(rows) < n {
		row, err := then.free(w, clock)
		if err != nil && len(rows) > 0 {
			break
		} else if err != nil {
			return nil, err
		}
		rows = append(rows, row)
		row.value.Until = clock.Now.Add(time.Hour) // nobody else takes it
		then.rows[row.value.WorkerID] = row
	}
	return rows, nil
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

// unused returns the ID above all of the rows within a range, or the lowest one in a gap.
func (s *space) unused(in lease.Range, used, top int64) (id int64, found bool) {
	switch {
	case in.First > in.Last:
		return 0, false
	case used == 0:
		return in.First, true
	case top < in.Last:
		return top + 1, true
	case used > in.Last-in.First:
		return 0, false
	}
	for id = in.First; ; id++ {
		if _, taken := s.rows[id]; !taken {
			return id, true
		}
	}
}
