package sqlstore

import (
	"context"
	"math/rand/v2"
	"time"

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

// A find is what a Take is offered.
type find struct {
	namespace lease.Namespace
	id        int64
	was       *leaseRow   // nil for a new ID
	made      lease.Range // new IDs, of which id is the first
}

// find reads the namespace and finds an ID, in one statement where it can.
func (s search) find(ctx context.Context, conn session) (sight, find, error) {
	ids, err := s.wanted.Within(lease.Namespace{IDs: s.owned()})
	if err != nil {
		ids = s.wanted.IDs // for the namespace as it is now to say so
	}
	parts := s.quick(ids)
	for tries, thorough := 0, false; ; tries++ {
		seen, err := s.look(ctx, conn, parts...)
		if err != nil {
			return seen, find{}, err
		}
		ns, within, err := s.within(seen)
		switch {
		case err != nil:
			return seen, find{}, err
		case within != ids && tries > 1:
			return seen, find{}, errMoved
		case within != ids:
			ids, parts, thorough = within, s.quick(within), false
			continue
		}
		highest := s.wanted.Highest(seen.Now.Time())
		if f, found := s.choose(seen, thorough, ns, ids, highest); found {
			return seen, f, nil
		}
		if thorough {
			next, _ := seen.first(theNextFree)
			return seen, find{}, lease.NoneFree(ids, s.free(next), missing(seen, ids))
		}
		parts, thorough = append(parts, s.thorough(ids, highest)...), true
	}
}

// within returns the namespace that was seen, and the IDs to choose from. A row above Given is one
// that came back without the namespace's own.
func (s search) within(seen sight) (ns lease.Namespace, ids lease.Range, err error) {
	control, found := seen.first(theNamespace)
	if !found {
		return ns, ids, s.missing()
	}
	if ns, err = control.namespace(); err != nil {
		return ns, ids, err
	}
	if largest, found := seen.first(theLargest); found {
		ns.Given = max(ns.Given, largest.WorkerID)
	}
	s.ids.Store(&ns.IDs)
	ids, err = s.wanted.Within(ns)
	return ns, ids, err
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

// choose chooses what a Take offers. It may find nothing where a thorough sight would have something.
func (s search) choose(seen sight, thorough bool, ns lease.Namespace, ids lease.Range, highest int64) (find, bool) {
	freed := seen.parts[theFreed]
	over := freed
	if thorough { // which has those of theFreed that are usable, too
		over = seen.parts[theUsable]
	}
	var usable []leaseRow
	for _, row := range over {
		if row.High <= highest {
			usable = append(usable, row)
		}
	}
	fresh, some := ns.NewIDs(ids)
	switch {
	case len(usable) > 0:
		return s.any(ns, usable), true
	case !thorough && len(freed) == s.most(): // there may be more
		return find{}, false
	case some:
		return find{namespace: ns, id: fresh.First, made: fresh}, true
	case len(freed) > 0: // all were used too far ahead
		return s.any(ns, freed), true
	}
	return find{}, false
}

// any chooses one of the first rows.
func (s search) any(ns lease.Namespace, rows []leaseRow) find {
	row := rows[rand.N(min(len(rows), 1<<min(s.races, 12)))]
	return find{namespace: ns, id: row.WorkerID, was: &row}
}

// free returns when the ID of the row whose lease ends first is free, or zero if there is no row.
func (s search) free(next leaseRow) time.Time {
	if next == (leaseRow{}) {
		return time.Time{}
	}
	return next.Until.Add(s.wanted.Rest).Time()
}

// missing returns the IDs whose rows somebody has removed, or the first of many. None is above Given
// when there is nothing else to offer.
func missing(seen sight, ids lease.Range) (all []lease.Range) {
	add := func(first, last int64) {
		if first <= last {
			all = append(all, lease.Range{First: first, Last: last})
		}
	}
	first, found := seen.first(theFirst)
	if !found {
		return []lease.Range{ids}
	}
	add(ids.First, first.WorkerID-1)
	for _, gap := range seen.parts[theGap] {
		if gap.High < gap.WorkerID { // above all rows
			gap.High = ids.Last
		}
		add(gap.WorkerID, min(gap.High, ids.Last))
	}
	return all
}
