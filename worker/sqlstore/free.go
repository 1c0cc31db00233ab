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
	races  int
}

// most is how many rows that are over a search reads.
func (s search) most() int { return 4 << min(s.races, 6) }

// spread is how many IDs it chooses from.
func (s search) spread() int64 { return 1 << min(s.races, 12) }

// A find is the row that a Take is offered; was is nil for an ID without a row.
type find struct {
	was *leaseRow
	id  int64
}

// find reads the namespace and finds an ID, in one statement where it can.
func (s search) find(ctx context.Context, conn session) (sight, find, error) {
	asked := s.wanted.IDs
	ids, err := s.wanted.Within(lease.Namespace{IDs: s.owned()})
	if err != nil {
		ids = asked // for the namespace as it is now to say so
	}
	seen, err := s.look(ctx, conn, s.quick(ids)...)
	if err != nil {
		return seen, find{}, err
	}
	within, err := s.within(seen)
	if err != nil {
		return seen, find{}, err
	}
	if within != ids {
		ids = within
		if seen, err = s.look(ctx, conn, s.quick(ids)...); err != nil {
			return seen, find{}, err
		}
	}
	highest := s.wanted.Highest(seen.Now.Time())
	if f, found := s.choose(seen, ids, highest); found {
		return seen, f, nil
	}
	seen, err = s.look(ctx, conn, append(s.quick(ids), s.thorough(ids, highest)...)...)
	if err != nil {
		return seen, find{}, err
	}
	if within, err = s.within(seen); err != nil {
		return seen, find{}, err
	}
	if within != ids {
		return seen, find{}, errMoved
	}
	if f, found := s.choose(seen, ids, highest); found {
		return seen, f, nil
	}
	if f, found := s.last(seen); found {
		return seen, f, nil
	}
	next, _ := seen.first(theNextFree)
	return seen, find{}, lease.NoneFree(ids, next.Until.Add(s.wanted.Rest).Time())
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
func (s search) choose(seen sight, ids lease.Range, highest int64) (find, bool) {
	var usable []leaseRow
	freed, quick := seen.parts[theFreed], !seen.has(theNextFree)
	for _, row := range append(freed[:len(freed):len(freed)], seen.parts[theUsable]...) {
		if row.High <= highest {
			usable = append(usable, row)
		}
	}
	switch {
	case len(usable) > 0:
		return s.any(usable), true
	case quick && len(freed) == s.most(): // there may be more
		return find{}, false
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

// last chooses a row that was used too far ahead, when there is nothing else.
func (s search) last(seen sight) (find, bool) {
	freed := seen.parts[theFreed]
	if len(freed) == 0 {
		return find{}, false
	}
	return s.any(freed), true
}

// any chooses one of the first rows.
func (s search) any(rows []leaseRow) find {
	row := rows[rand.N(min(int64(len(rows)), s.spread()))]
	return find{&row, row.WorkerID}
}

// anyOf chooses one of the first IDs.
func (s search) anyOf(free []lease.Range) (find, bool) {
	var all int64
	for _, r := range free {
		all += min(r.Last-r.First+1, s.spread()) // enough of each
	}
	if all == 0 {
		return find{}, false
	}
	n := rand.N(min(all, s.spread()))
	for _, r := range free {
		if have := r.Last - r.First + 1; n < have {
			return find{id: r.First + n}, true
		} else {
			n -= have
		}
	}
	return find{}, false
}
