package zookeeper

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/uidgen/uid/worker/lease"
)

const (
	// exact is how many rows a Take reads at most to find the one that has been over for longest.
	exact = 256
	// sample is how many rows it reads where there are more, and how many it guesses before it
	// has seen the list.
	sample = 64
	// batch is how many rows are read at once.
	batch = 256
	// growth is how many rows more than last time it guesses there to be.
	growth = 16
	// spread is how far the candidates of Takes that have lost a row are spread at most.
	spread = 4096
)

// found is a row that was read, or a Fresh one.
type found struct {
	row  lease.Row
	node node // without its data
}

// A survey is what a Take has read.
type survey struct {
	*Leases
	namespace node
	control   lease.Namespace
	used      bool // it has the mark
	ids       lease.Range
	names     []int64         // worker IDs of ids that have rows, in ascending order
	rows      map[int64]found // those that were read
}

// survey reads the namespace and a first part of its rows.
func (l *Leases) survey(ctx context.Context, w lease.Wanted) (*survey, error) {
	s := &survey{Leases: l, rows: map[int64]found{}}
	var children names
	var leader reading
	guesses := l.guess(w.IDs)
	nodes := make([]node, len(guesses))
	requests := []func(){l.get(l.path, &s.namespace), l.children(l.path, &children), l.ask(&leader)}
	for i, id := range guesses {
		requests = append(requests, l.get(l.row(id), &nodes[i]))
	}
	if err := together(ctx, requests...); err != nil {
		return nil, err
	}
	if err := cmp.Or(s.namespace.err, children.err); err != nil {
		return nil, err
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
	s.used = children.has(usedName)
	all := children.ids()
	l.remember(all)
	s.names = within(all, s.ids)
	return s, s.add(guesses, nodes)
}

// within returns the part of ids, which are in ascending order, that is in a range.
func within(ids []int64, in lease.Range) []int64 {
	from, _ := slices.BinarySearch(ids, in.First)
	to, last := slices.BinarySearch(ids, in.Last)
	if last {
		to++
	}
	return slices.Clone(ids[from:to])
}

// guess returns the worker IDs whose rows a Take reads before it has seen the list: those that
// there were last time, or the lowest.
func (l *Leases) guess(in lease.Range) (ids []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids = within(l.known, in)
	next, more := in.First, sample
	switch n := len(ids); {
	case n > exact:
		return draw(ids, sample)
	case n > 0:
		next, more = ids[n-1]+1, growth
	}
	for ; next >= in.First && next <= in.Last && more > 0; more-- { // it may overflow
		ids = append(ids, next)
		next++
	}
	return ids
}

// add takes in that there is a row now.
func (l *Leases) add(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if at, found := slices.BinarySearch(l.known, id); !found {
		l.known = slices.Insert(slices.Clone(l.known), at, id)
	}
}

func (l *Leases) remember(ids []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.known = ids
}

// draw returns n of ids, or all, at random. It changes their order.
func draw(ids []int64, n int) []int64 {
	n = min(n, len(ids))
	for i := range n {
		j := i + rand.IntN(len(ids)-i)
		ids[i], ids[j] = ids[j], ids[i]
	}
	return ids[:n]
}

// add takes in rows that were read.
func (s *survey) add(ids []int64, nodes []node) error {
	gone := map[int64]bool{}
	for i, id := range ids {
		if err := nodes[i].err; err != nil {
			return err
		}
		if id < s.ids.First || id > s.ids.Last {
			continue
		}
		if !nodes[i].found {
			gone[id] = true
			continue
		}
		r, err := readRow(s.row(id), id, nodes[i].data)
		if err != nil {
			return err
		}
		nodes[i].data = nil
		s.rows[id] = found{r, nodes[i]}
		if at, listed := slices.BinarySearch(s.names, id); !listed { // it was made since
			s.names = slices.Insert(s.names, at, id)
		}
	}
	s.names = slices.DeleteFunc(s.names, func(id int64) bool { return gone[id] })
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

// unread returns the worker IDs of rows that were not read.
func (s *survey) unread() (ids []int64) {
	for _, id := range s.names {
		if _, is := s.rows[id]; !is {
			ids = append(ids, id)
		}
	}
	return ids
}

// free returns the row for a Take, with the clock by which it is free. It may read more rows.
func (s *survey) free(ctx context.Context, w lease.Wanted, lost int) (found, lease.Clock, error) {
	reach := 1 // how many candidates there are
	for range lost {
		reach = min(2*reach, spread)
	}
	var unread []int64
	for {
		now := s.clock()
		usable, over := s.over(w, now)
		unread = s.unread()
		all := len(unread) == 0
		switch many := len(s.names) > exact; {
		case len(usable) > 0 && (all || many):
			return usable[rand.IntN(min(reach, len(usable)))], now, nil
		case all || many && len(s.rows) >= sample:
			if id, is := s.unused(reach); is {
				return found{row: lease.Row{WorkerID: id, High: -1, Fresh: true}}, now, nil
			}
			if !all { // every ID has a row
				unread = draw(unread, batch)
				break
			}
			if len(over) > 0 {
				return over[rand.IntN(min(reach, len(over)))], now, nil
			}
			none := lease.NoneFree(s.ids, s.first().Until.Add(w.Rest+now.Error))
			return found{}, now, refused{none, false, []any{s.as(s.namespace)}, true}
		case many:
			unread = draw(unread, sample)
		}
		if err := s.read(ctx, unread); err != nil {
			return found{}, now, err
		}
	}
}

// over returns the rows whose leases have been over for long enough, longest first; usable ones
// have no ticks too far ahead.
func (s *survey) over(w lease.Wanted, now lease.Clock) (usable, over []found) {
	highest := w.Highest(now.Now)
	for r := range maps.Values(s.rows) {
		if r.row.Until.Add(w.Rest + now.Error).Before(now.Now) {
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

// first returns the row whose lease ends first.
func (s *survey) first() lease.Row {
	return slices.MinFunc(slices.Collect(maps.Values(s.rows)), func(a, b found) int { return a.row.Until.Compare(b.row.Until) }).row
}

// unused returns an ID without a row: one of the lowest above all rows, as many as reach says, or
// else one of the lowest in gaps.
func (s *survey) unused(reach int) (id int64, found bool) {
	above := s.ids.First
	if n := len(s.names); n > 0 {
		above = s.names[n-1] + 1
	}
	if above >= s.ids.First && above <= s.ids.Last { // it may overflow
		return above + rand.Int64N(min(int64(reach), s.ids.Last-above+1)), true
	}
	gaps := s.ids.Last - s.ids.First + 1 - int64(len(s.names))
	if gaps <= 0 {
		return 0, false
	}
	skip := rand.Int64N(min(int64(reach), gaps))
	id = s.ids.First
	for _, used := range s.names {
		if free := used - id; skip < free {
			break
		} else if free > 0 {
			skip -= free
		}
		id = used + 1
	}
	return id + skip, true
}
