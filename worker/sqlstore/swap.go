package sqlstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/worker"
)

// An attempt reads, and decides what to write. races is how many attempts of the call have lost
// to others.
type attempt func(conn session, races int) (sight, write, error)

// mostRaces is how many attempts a call makes in a row before it leaves the rest to its caller,
// who pauses.
const mostRaces = 30

// swap makes attempts until what one has decided is stored. It holds no lock while it decides:
// the write is refused if anything that was read has changed.
func (l *Leases) swap(ctx context.Context, try attempt) error {
	conn, err := l.db.Connx(ctx)
	if err != nil {
		return database.Failed("connect", err)
	}
	defer conn.Close()
	if l.dialect == database.SQLite {
		return noNamespace(l.inPlace(ctx, conn, &l.place, func(tx session) (*trace, error) {
			_, w, err := try(tx, 0)
			if err == nil {
				err = l.storeInFile(ctx, tx, w)
			}
			return l.trace(w), err
		}))
	}
	if err := l.learn(ctx, conn); err != nil {
		return err
	}
	var lost *refused
	for races := 0; ; races++ {
		s, w, err := try(conn, races)
		if err == nil {
			err = lost.again(s, w)
		}
		if err != nil || !w.changes() {
			if !s.Plain() {
				l.rollback(ctx, conn)
			}
			return err
		}
		switch err := l.store(ctx, conn, w, s); {
		case errors.Is(err, errRaced):
			lost = &refused{s, w}
		case errors.Is(err, errConflict):
			lost = nil
		default:
			return err
		}
		if races == mostRaces {
			return worker.Transient(fmt.Errorf("write a row: others have written it before, %d times in a row", races+1))
		}
	}
}

// changes reports whether there is anything to write.
func (w write) changes() bool { return w.control.changes() || w.row.changes() }

// A refused write is one that has changed no row.
type refused struct {
	sight
	write
}

// again returns an error if the next attempt has found what the refused one was to replace just as
// it was before, at the same server: then it is not another client that has kept it from being
// written.
func (r *refused) again(s sight, w write) error {
	switch {
	case r == nil || !r.write.control.sameAs(w.control, w.row != nil) || !r.write.row.sameAs(w.row, false):
		return nil
	case !s.SameAs(r.Origin):
		return errElsewhere
	case w.row != nil:
		return unconfirmed(w.row.is.WorkerID)
	}
	return unconfirmed(controlID)
}

// sameAs reports whether two changes are of the same row, which is as it was, its NONCE aside if
// that is not compared.
func (c *change) sameAs(d *change, anyNonce bool) bool {
	switch {
	case c == nil || d == nil:
		return c == d
	case c.was == nil || d.was == nil:
		return c.was == d.was && c.is.WorkerID == d.is.WorkerID
	}
	was := *c.was
	if anyNonce {
		was.Nonce = d.was.Nonce
	}
	return was == *d.was
}

// trace returns how an ID's row that was written can be told.
func (l *Leases) trace(w write) *trace {
	if !w.row.changes() {
		return nil
	}
	row := w.row.is
	return &trace{
		wrote: fmt.Sprintf("%s %d %d %d", row.Nonce, row.High, row.Until, row.Renewed), text: "NONCE || ' ' || HIGH || ' ' || LEASE_UNTIL || ' ' || RENEWED",
		from: "`" + l.leases + "` WHERE NAMESPACE = ? AND WORKER_ID = ?", args: []any{l.namespace, row.WorkerID},
	}
}
