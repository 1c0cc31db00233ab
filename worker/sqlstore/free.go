package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// A search looks for an ID that can be leased.
type search struct {
	*leaseTable
	wanted storage.Wanted
	races  int // how many IDs this Take has lost to other clients
}

// A search reads few rows: those whose leases ended first or, once it has lost one to another client, any of many.
// Processes that start at once would else all choose the same row, and then the next.
const (
	few  = 16
	many = 256
)

// A candidate is the ID that a Take may lease.
type candidate struct {
	namespace storage.Namespace
	id        int64
	was       *leaseRow   // nil for a new ID
	made      lease.Range // new IDs, if was is nil; id is the first
}

// find reads the namespace and finds an ID, in one statement where it can.
func (s search) find(ctx context.Context, conn session) (seen snapshot, f candidate, err error) {
	// A subquery, since PostgreSQL would read the clock for each row.
	over := s.where(inRange + " AND LEASE_UNTIL < (" + s.dialect.Clock() + ") - ?")
	rows := over + bySoon
	if s.races > 0 {
		random := phrases[s.dialect].random
		rows = fmt.Sprintf("SELECT * FROM (%s LIMIT %d) free ORDER BY %s LIMIT ?", over, many, random)
	}
	ids := s.wanted.IDs
	for most := few; ; {
		seen, err = s.look(ctx, conn, rows, ids.First, ids.Last, s.wanted.Rest.Microseconds(), int64(most))
		if err == nil {
			f.namespace, err = s.namespaceOf(seen)
		}
		if err != nil {
			return seen, f, err
		}
		within, err := s.wanted.Within(f.namespace)
		if err != nil {
			return seen, f, err
		}
		if within != ids { // the namespace has some of them
			ids = within
			continue
		}
		var usable []leaseRow
		for _, row := range seen.rows {
			if row.High <= s.wanted.Highest(seen.clock.Now) {
				usable = append(usable, row)
			}
		}
		made, some := f.namespace.NewIDs(ids)
		switch {
		case len(usable) > 0:
			f.offer(usable[0])
		case len(seen.rows) == most && most < many: // there may be more
			most = many
			continue
		case some:
			f.id, f.made = made.First, made
		case len(seen.rows) > 0: // the ticks of all were used too far ahead
			f.offer(seen.rows[0])
		default:
			return seen, f, s.none(ctx, conn, ids, f.namespace)
		}
		return seen, f, nil
	}
}

func (f *candidate) offer(row leaseRow) { f.was, f.id = &row, row.WorkerID }

// none returns the error that no ID is free, with the reason.
func (s search) none(ctx context.Context, conn session, ids lease.Range, ns storage.Namespace) error {
	const most = 10_000
	all, err := s.look(ctx, conn, s.where(inRange+" ORDER BY WORKER_ID LIMIT ?"), ids.First, ids.Last, int64(most))
	if err != nil {
		return err
	}
	next, err := s.look(ctx, conn, s.where(inRange+bySoon), ids.First, ids.Last, int64(1))
	if err != nil {
		return err
	}
	var until time.Time
	for _, row := range next.rows {
		until = timeOf(row.Until).Add(s.wanted.Rest)
	}
	var have []int64
	for _, row := range all.rows {
		have = append(have, row.WorkerID)
	}
	in := ids
	if len(have) == most {
		in.Last = have[most-1]
	}
	return storage.NoneFree(ids, until, ns.Missing(in, have))
}
