package sqlstore

import (
	"context"
	"math/rand/v2"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker/lease"
)

// A search looks for an ID that nobody leases. The more often a Take has lost an ID to another
// one, the more of them it chooses from, at random: many that start at once would else all want
// the same one, and the next.
type search struct {
	*Leases
	wanted lease.Wanted
	n      int // how many are wanted
	races  int
}

// most is how many rows that are over a search reads.
func (s search) most() int { return max(4<<min(s.races, 6), s.n<<min(s.races, 2)) }

// batch is how many IDs it chooses: fewer, the more often one of them was lost to another Take.
func (s search) batch() int64 { return max(1, int64(s.n)>>min(s.races, 62)) }

// spread is how many IDs it chooses them from.
func (s search) spread() int64 { return int64(s.n) << min(s.races, 12) }

// A find is a row that a Take is offered; was is nil for an ID without a row.
type find struct {
	was *leaseRow
	id  int64
}

// find reads the namespace and finds IDs, at least one, in one statement where it can. All of them
// have a row, or none has.
func (s search) find(ctx context.Context, conn session) (sight, []find, error) {
	asked := s.wanted.IDs
	ids, err := s.wanted.Within(lease.Namespace{IDs: s.owned()})
	if err != nil {
		ids = asked // for the namespace as it is now to say so
	}
	seen, err := s.look(ctx, conn, s.quick(ids)...)
	if err != nil {
		return seen, nil, err
	}
	within, err := s.within(seen)
	if err != nil {
		return seen, nil, err
	}
	if within != ids {
		ids = within
		if seen, err = s.look(ctx, conn, s.quick(ids)...); err != nil {
			return seen, nil, err
		}
	}
	highest := s.wanted.Highest(seen.Now.Time())
	if f, found := s.choose(seen, ids, highest); found {
		return seen, f, nil
	}
	seen, err = s.look(ctx, conn, append(s.quick(ids), s.thorough(ids, highest)...)...)
	if err != nil {
		return seen, nil, err
	}
	if within, err = s.within(seen); err != nil {
		return seen, nil, err
	}
	if within != ids {
		return seen, nil, errMoved
	}
	if f, found := s.choose(seen, ids, highest); found {
		return seen, f, nil
	}
	if f, found := s.last(seen); found {
		return seen, f, nil
	}
	next, _ := seen.first(theNextFree)
	return seen, nil, lease.NoneFree(ids, next.Until.Add(s.wanted.Rest).Time())
}

// within returns the IDs to choose from, by the namespace that was seen.
func (s search) within(seen sight) (lease.Range, error) {
	control, found := seen.first(theNamespace)
	if !found {
		return lease.Range{}, s.missing()
	}
	ns, err := control.namespace()
	if err != nil {
		return lease.Range{}, err
	}
	s.ids.Store(&ns.IDs)
	return s.wanted.Within(ns)
}

// owned returns the IDs that the namespace had when it was read last.
func (s search) owned() lease.Range {
	if ids := s.ids.Load(); ids != nil {
		return *ids
	}
	return lease.Range{}
}

// quick selects what mostly suffices.
func (s search) quick(ids lease.Range) []string {
	return []string{
		s.rows(theNamespace, ofNamespace),
		s.rows(theFreed, s.over(ids)+s.longestFirst()),
		s.rows(theLargest, between(ids)+" ORDER BY a.WORKER_ID DESC LIMIT 1"),
	}
}

// thorough selects the rest.
func (s search) thorough(ids lease.Range, highest int64) []string {
	table := "`" + s.leases + "`"
	return []string{
		s.rows(theUsable, s.over(ids)+" AND a.HIGH <= "+database.Int(highest)+s.longestFirst()),
		s.rows(theFirst, between(ids)+" ORDER BY a.WORKER_ID LIMIT 1"),
		s.selects(theGap, "a.WORKER_ID + 1 AS WORKER_ID, '' AS NONCE,"+
			" (SELECT MIN(b.WORKER_ID) FROM "+table+" b WHERE b.NAMESPACE = a.NAMESPACE AND b.WORKER_ID > a.WORKER_ID) - 1 AS HIGH,"+
			" 0 AS LEASE_UNTIL, '' AS LAYOUT, '' AS HOLDER, 0 AS ACQUIRED, 0 AS RENEWED, 0 AS REACH",
			between(lease.Range{First: ids.First, Last: ids.Last - 1})+" AND NOT EXISTS (SELECT 1 FROM "+table+
				" n WHERE n.NAMESPACE = a.NAMESPACE AND n.WORKER_ID = a.WORKER_ID + 1) ORDER BY a.WORKER_ID LIMIT 16"),
		s.rows(theNextFree, between(ids)+" ORDER BY a.LEASE_UNTIL, a.WORKER_ID LIMIT 1"),
	}
}

func between(ids lease.Range) string {
	return "a.WORKER_ID BETWEEN " + database.Int(ids.First) + " AND " + database.Int(ids.Last)
}

// over is the condition that a lease has been over for long enough.
func (s search) over(ids lease.Range) string {
	return between(ids) + " AND a.LEASE_UNTIL < (" + s.dialect.Clock() + ") - " + database.Int(s.wanted.Rest.Microseconds())
}

func (s search) longestFirst() string {
	return " ORDER BY a.LEASE_UNTIL, a.WORKER_ID LIMIT " + database.Int(int64(s.most()))
}

// choose chooses what a Take offers first: a row that was not used too far ahead, or else an ID
// without a row. It does not find all of these if the sight is quick.
func (s search) choose(seen sight, ids lease.Range, highest int64) ([]find, bool) {
	var usable []leaseRow
	freed, quick := seen.parts[theFreed], !seen.has(theNextFree)
	over := freed
	if !quick { // which has those of theFreed that are usable, too
		over = seen.parts[theUsable]
	}
	for _, row := range over {
		if row.High <= highest {
			usable = append(usable, row)
		}
	}
	switch {
	case len(usable) > 0:
		return s.any(usable), true
	case quick && len(freed) == s.most(): // there may be more
		return nil, false
	}
	var free []lease.Range
	first, last := ids.First, ids.Last
	if largest, found := seen.first(theLargest); found {
		first = largest.WorkerID + 1
	}
	if first <= last {
		free = append(free, lease.Range{First: first, Last: last})
	} else {
		if row, found := seen.first(theFirst); found && row.WorkerID > ids.First {
			free = append(free, lease.Range{First: ids.First, Last: row.WorkerID - 1})
		}
		for _, gap := range seen.parts[theGap] {
			free = append(free, lease.Range{First: gap.WorkerID, Last: min(max(gap.High, gap.WorkerID), ids.Last)})
		}
	}
	return s.anyOf(free)
}

// last chooses rows that were used too far ahead, when there is nothing else.
func (s search) last(seen sight) ([]find, bool) {
	freed := seen.parts[theFreed]
	if len(freed) == 0 {
		return nil, false
	}
	return s.any(freed), true
}

// any chooses some of the first rows, one after another.
func (s search) any(rows []leaseRow) (chosen []find) {
	from, to := s.stretch(int64(len(rows)))
	for _, row := range rows[from:to] {
		chosen = append(chosen, find{&row, row.WorkerID})
	}
	return chosen
}

// anyOf chooses some of the first IDs, one after another.
func (s search) anyOf(free []lease.Range) (chosen []find, found bool) {
	var all int64
	for _, r := range free {
		all += min(r.Last-r.First+1, s.spread()) // enough of each
	}
	from, to := s.stretch(all)
	for _, r := range free {
		have := r.Last - r.First + 1
		for n := max(from, 0); n < min(to, have); n++ {
			chosen = append(chosen, find{id: r.First + n})
		}
		from, to = from-have, to-have
	}
	return chosen, len(chosen) > 0
}

// stretch chooses a batch of as many things. Stretches of two searches meet less often than as many
// things that are chosen one by one.
func (s search) stretch(of int64) (from, to int64) {
	last := min(of, s.spread()) - s.batch() // where the last stretch begins
	if last > 0 {
		from = rand.N(last + 1)
	}
	return from, min(of, from+s.batch())
}
