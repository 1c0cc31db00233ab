package zookeeper

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

const (
	// exact is how many rows a Take reads at most to find the one that has been over for longest.
	exact = 256
	// sample is how many rows it reads at random where there are more, and how many it guesses
	// before it has seen the namespace.
	sample = 64
	// newest is how many of the rows with the highest IDs it reads before it makes new ones: at most
	// as many are made at once, and others may have left some of theirs.
	newest = 100
	// batch is how many rows are read at once.
	batch = 256
	// growth is how many rows more than last time it guesses there to be: as many as are made at
	// once.
	growth = 16
	// spread is among how many rows Takes that have lost races choose at most.
	spread = 4096
)

// found is a row that was read, or a new one.
type found struct {
	row  lease.Row
	node node  // without its data
	last int64 // of a new row: the last ID whose row is made with it
}

// A survey is what a Take has read.
type survey struct {
	*Leases
	namespace node
	control   lease.Namespace
	given     int64 // the highest ID that the namespace says, or that was read
	ids       lease.Range
	rows      map[int64]found // those that were read; a missing one has no node
}

// survey reads the namespace and a first part of its rows.
func (l *Leases) survey(ctx context.Context, w lease.Wanted, above int64) (*survey, error) {
	s := &survey{Leases: l, rows: map[int64]found{}}
	var leader reading
	guesses := l.guess(w.IDs)
	nodes := make([]node, len(guesses))
	requests := []func(){l.get(l.path, &s.namespace), l.ask(&leader)}
	for i, id := range guesses {
		requests = append(requests, l.get(l.row(id), &nodes[i]))
	}
	if err := together(ctx, requests...); err != nil {
		return nil, err
	}
	if s.namespace.err != nil {
		return nil, s.namespace.err
	}
	if !s.namespace.made() {
		return nil, refused{l.missing(), false, nil, true}
	}
	var err error
	if s.control, err = readNamespace(l.path, s.namespace.data); err != nil {
		return nil, err
	}
	if err := l.measured(ctx, leader); err != nil {
		return nil, err
	}
	if s.ids, err = w.Within(s.control); err != nil {
		return nil, refused{err, false, []any{l.as(s.namespace)}, false}
	}
	if s.ids.First < 0 || s.ids.First > s.ids.Last {
		return nil, errors.New("zookeeper: no worker IDs are wanted")
	}
	s.given = max(s.control.Given, above)
	if err := s.add(guesses, nodes); err != nil {
		return nil, err
	}
	// What is missing may have been read before the namespace.
	maps.DeleteFunc(s.rows, func(_ int64, f found) bool { return !f.node.found })
	l.known.Store(s.given + 1)
	return s, nil
}

// guess returns the worker IDs whose rows a Take reads before it has seen the namespace: those that
// there were last time, and some more, or the lowest.
func (l *Leases) guess(in lease.Range) (ids []int64) {
	last := min(l.known.Load()-1, in.Last)
	n := last - in.First + 1
	switch {
	case n > exact:
		ids = draw(lease.Range{First: in.First, Last: last - newest}, sample, nil)
		return append(ids, draw(lease.Range{First: last - newest + 1, Last: last}, newest, nil)...)
	case n <= 0:
		n = sample
	default:
		n += growth
	}
	return draw(lease.Range{First: in.First, Last: in.First + min(n-1, in.Last-in.First)}, int(n), nil)
}

// draw returns the IDs of a range that are not among the rows: n of them at random, or all if the
// range has few more.
func draw(of lease.Range, n int, but map[int64]found) (ids []int64) {
	if of.Last-of.First < int64(len(but)+n) {
		for i := range of.Last - of.First + 1 {
			if _, is := but[of.First+i]; !is {
				ids = append(ids, of.First+i)
			}
		}
		return ids
	}
	drawn := map[int64]bool{}
	for len(ids) < n {
		id := of.First + rand.Int64N(of.Last-of.First+1)
		if _, is := but[id]; !is && !drawn[id] {
			ids, drawn[id] = append(ids, id), true
		}
	}
	return ids
}

// add takes in rows that were read.
func (s *survey) add(ids []int64, nodes []node) error {
	for i, id := range ids {
		if err := nodes[i].err; err != nil {
			return err
		}
		if id < s.ids.First || id > s.ids.Last {
			continue
		}
		var f found
		if nodes[i].found {
			r, err := readRow(s.row(id), id, nodes[i].data)
			if err != nil {
				return err
			}
			nodes[i].data = nil
			f = found{row: r, node: nodes[i]}
			s.given = max(s.given, id)
		}
		s.rows[id] = f
	}
	return nil
}

// read reads rows.
func (s *survey) read(ctx context.Context, ids []int64) error {
	for part := range slices.Chunk(ids, batch) {
		nodes, err := s.getRows(ctx, part)
		if err != nil {
			return err
		}
		if err := s.add(part, nodes); err != nil {
			return err
		}
	}
	return nil
}

// getRows reads the rows of some worker IDs at once.
func (l *Leases) getRows(ctx context.Context, ids []int64) ([]node, error) {
	nodes := make([]node, len(ids))
	gets := make([]func(), len(ids))
	for i, id := range ids {
		gets[i] = l.get(l.row(id), &nodes[i])
	}
	return nodes, together(ctx, gets...)
}

// free returns the row for a Take, with the clock by which it is free. It may read more rows.
func (s *survey) free(ctx context.Context, w lease.Wanted, lost int) (found, lease.Clock, error) {
	reach := 1 // how many rows to choose from
	if lost > 0 {
		reach = min(growth<<min(lost, 16), spread)
	}
	for {
		now := s.clock()
		usable, over := s.over(w, now)
		there := lease.Range{First: s.ids.First, Last: min(s.given, s.ids.Last)}
		all, many := int64(len(s.rows)) > there.Last-there.First, there.Last-there.First >= exact
		more, ends := exact, lease.Range{First: max(there.Last-newest+1, there.First), Last: there.Last}
		switch {
		case len(usable) > 0 && (all || many):
			return usable[rand.IntN(min(reach, len(usable)))], now, nil
		case all || many && len(draw(ends, newest, s.rows)) == 0:
			n := s.control
			n.Given = s.given
			if ids, some := n.NewIDs(s.ids); some {
				return found{row: lease.NewRow(ids.First), last: ids.Last}, now, nil
			}
			if !all {
				more = batch
				break
			}
			if len(over) > 0 {
				return over[rand.IntN(min(reach, len(over)))], now, nil
			}
			return found{}, now, refused{s.none(n, w.Rest+now.Error), false, []any{s.as(s.namespace)}, true}
		case many:
			there, more = ends, newest
		}
		if err := s.read(ctx, draw(there, more, s.rows)); err != nil {
			return found{}, now, err
		}
	}
}

// over returns the rows whose leases have been over for long enough, longest first; usable ones
// have no ticks too far ahead.
func (s *survey) over(w lease.Wanted, now lease.Clock) (usable, over []found) {
	highest := w.Highest(now.Now)
	for r := range maps.Values(s.rows) {
		if r.node.found && r.row.Until.Add(w.Rest+now.Error).Before(now.Now) {
			over = append(over, r)
		}
	}
	slices.SortFunc(over, func(a, b found) int {
		return cmp.Or(a.row.Until.Compare(b.row.Until), cmp.Compare(a.row.WorkerID, b.row.WorkerID))
	})
	for _, r := range over {
		if r.row.High <= highest {
			usable = append(usable, r)
		}
	}
	return usable, over
}

// none returns the error when no row is free, of which all were read.
func (s *survey) none(n lease.Namespace, rest time.Duration) error {
	var first time.Time
	var have []int64
	for id, r := range s.rows {
		if !r.node.found {
			continue
		}
		have = append(have, id)
		if until := r.row.Until.Add(rest); first.IsZero() || until.Before(first) {
			first = until
		}
	}
	slices.Sort(have)
	return lease.NoneFree(s.ids, first, n.Missing(s.ids, have))
}
