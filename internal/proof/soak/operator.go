package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/registry"
)

// An operator does to the tables of leases what people do by hand, while fleets run on
// them. It keeps within what leases allow: each method says why no UID may come twice.
type operator struct {
	stores    *stores
	fleet     *fleet
	collected atomic.Int64 // rows that gc has removed
	edited    atomic.Int64 // rows that were
}

const (
	// initRest is how long a namespace rests after its rows were removed: longer than any
	// lease or reservation of its owners.
	initRest = 2 * leaseTTL
	// collectAge is the least age that Collect accepts. The rows to remove are made agedBy
	// old, or the clocks are set agedBy ahead.
	collectAge = time.Hour
	agedBy     = 2 * collectAge
	agedRows   = 4
	// handLimit bounds the operator's retries.
	handLimit = 30 * time.Second
)

// act does what an event says.
func (o *operator) act(e event) error {
	db, err := o.stores.open(e.Table.store)
	if err != nil {
		return err
	}
	defer db.Close()
	switch e.Fault {
	case rename:
		err = o.rename(db, e.Table, e.For)
	case truncate:
		err = o.truncate(db, e.Table)
	case restore:
		err = o.restore(db, e.Table, e.For)
	case collect:
		err = o.collect(db, e)
	case wrongClock:
		err = o.collectRefused(e)
	case edit:
		err = o.edit(db, e)
	}
	if err != nil {
		return fmt.Errorf("soak: %v: %w", e, err)
	}
	// A failover must not lose what is done by hand: a table that is renamed away on the
	// replica only would never come back.
	if e.Table.store == pair {
		return o.stores.pair.CatchUp()
	}
	return nil
}

// rename takes the table away and puts it back, as a change of its schema in two steps
// does. Owners keep what they have; nobody gets an ID meanwhile.
func (o *operator) rename(db *sqlx.DB, t leaseTable, d time.Duration) error {
	away := t.name + "_AWAY"
	if err := insist(func() error { return renameTable(db, t.name, away) }); err != nil {
		return err
	}
	time.Sleep(d)
	return o.putBack(db, t, away)
}

// putBack gives a table its name again. A start may have made another one by then, but
// not where the store is durable, and not one in which anybody has got an ID.
func (o *operator) putBack(db *sqlx.DB, t leaseTable, from string) error {
	return insist(func() error {
		err := renameTable(db, from, t.name)
		if err == nil {
			return nil
		}
		var rows []int64
		if e := db.Select(&rows, "SELECT WORKER_ID FROM "+t.name); e != nil {
			return errors.Join(err, e)
		}
		if t.durable {
			o.fleet.violation("table %s was made anew while it was renamed, though its store is durable", t.name)
		}
		for _, id := range rows {
			if id >= 0 {
				o.fleet.violation("worker ID %d was leased in table %s, which had been made anew and is to rest", id, t.name)
			}
		}
		_, e := db.Exec("DROP TABLE " + t.name)
		return errors.Join(err, e)
	})
}

// renameTable is the same in both dialects.
func renameTable(db *sqlx.DB, from, to string) error {
	_, err := db.Exec("ALTER TABLE " + from + " RENAME TO " + to)
	return err
}

// truncate removes all rows, and makes the namespace anew: it rests until the owners of
// the removed rows have nothing left, and begins above what they have.
func (o *operator) truncate(db *sqlx.DB, t leaseTable) error {
	return insist(func() error {
		if _, err := db.Exec("TRUNCATE TABLE " + t.name); err != nil {
			return err
		}
		if err := o.stores.found(db, t, initRest); err != nil {
			return err
		}
		// A start that was there before Init lets the namespace rest for minutes.
		var rests int64
		if err := db.Get(&rests, "SELECT LEASE_UNTIL - ACQUIRED FROM "+t.name+" WHERE WORKER_ID = -1"); err != nil {
			return err
		}
		if d := time.Duration(rests) * time.Microsecond; d > initRest {
			return fmt.Errorf("table %s rests for %v", t.name, d)
		}
		return nil
	})
}

// restore brings back what the table held some time ago. It is what a failover does that
// loses so much: new owners burn what those before may have reserved since.
func (o *operator) restore(db *sqlx.DB, t leaseTable, age time.Duration) error {
	dump := t.name + "_DUMP"
	err := insist(func() error {
		return execAll(db, "DROP TABLE IF EXISTS "+dump, "CREATE TABLE "+dump+" LIKE "+t.name, "INSERT INTO "+dump+" SELECT * FROM "+t.name)
	})
	if err != nil {
		return err
	}
	time.Sleep(age)
	if err := insist(func() error { return execAll(db, "DROP TABLE IF EXISTS "+t.name) }); err != nil {
		return err
	}
	err = o.putBack(db, t, dump)
	o.stores.rewind(t.name)
	return err
}

// collect removes old rows, of which it adds some: those of processes of two hours ago. Or
// both clocks that gc looks at, the database's and its own, are two hours ahead: then all
// rows seem to be old, those of running processes included, and the namespace's floor is
// all that is left of them.
func (o *operator) collect(db *sqlx.DB, e event) error {
	t, dbAhead := e.Table, time.Duration(0)
	if e.By == 0 {
		if err := insist(func() error { return addAged(db, t, e.Row) }); err != nil {
			return err
		}
	} else {
		dbAhead = e.By
	}
	result, err := o.gc(t, dbAhead, e.By)
	o.collected.Add(int64(len(result.Removed)))
	return err
}

// addAged adds rows of worker IDs that have none, as processes of some time ago leave them.
func addAged(db *sqlx.DB, t leaseTable, from int) error {
	now := time.Now().Add(-agedBy)
	insert := "INSERT IGNORE INTO "
	if t.store == embedded {
		insert = "INSERT OR IGNORE INTO "
	}
	const half = 1 << (idBits - 1) // the lower ones are in use
	for i := range agedRows {
		_, err := db.Exec(insert+t.name+" (NAMESPACE, WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)",
			t.namespace, half+(from+i)%half, "aged", soakLayout.TickAt(now), now.UnixMicro(), soakLayout.Terms().Layout, "a process of former times",
			now.UnixMicro(), now.UnixMicro())
		if err != nil {
			return err
		}
	}
	return nil
}

// collectRefused lets gc run with one of its two clocks off, and wants it to be refused.
func (o *operator) collectRefused(e event) error {
	var theirs, own time.Duration
	if e.Row%2 == 0 && e.Table.store != embedded {
		theirs = e.By
	} else {
		own = e.By
	}
	result, err := o.gc(e.Table, theirs, own)
	if len(result.Removed) > 0 {
		o.fleet.violation("gc of table %s by a clock that is off by %v removed %d rows", e.Table.name, e.By, len(result.Removed))
	}
	switch {
	case errors.Is(err, worker.ErrClock):
		return nil
	case err == nil:
		o.fleet.violation("gc of table %s was not refused, by a clock that is off by %v", e.Table.name, e.By)
	}
	return err
}

// gc collects the rows of a table, by clocks that are off: the database's by theirs, the
// program's by own.
func (o *operator) gc(t leaseTable, theirs, own time.Duration) (registry.Collected, error) {
	db, err := o.stores.openAt(t.store, theirs)
	if err != nil {
		return registry.Collected{}, err
	}
	defer db.Close()
	now := func() time.Time { return time.Now().Add(own) }
	r, err := t.registry(db, now)
	if err != nil {
		return registry.Collected{}, err
	}
	// A database's clock that is set for a session stands still.
	return r.Collect(context.Background(), registry.Collection{OlderThan: collectAge, Terms: termsOf, MaxClockOffset: handLimit})
}

func termsOf(layout string) (uid.Terms, error) {
	l, err := bits.ParseLayout(layout)
	return l.Terms(), err
}

// An alteration is of a row.
type alteration int

const (
	endLease     alteration = iota // LEASE_UNTIL = 0
	releaseLease                   // by Registry.Release, forced
	changeHolder
	raiseHigh // by a second
	raiseFar  // beyond what anybody would take
	alterations
)

func (a alteration) String() string {
	return [...]string{"LEASE_UNTIL = 0", "release", "HOLDER", "HIGH + 1 s", "HIGH + 3 h"}[a]
}

// farAhead is more than the MaxAhead of any lease, and more than gc takes for over when its
// clocks are ahead.
const farAhead = agedBy + collectAge

// edit changes a row. An owner that lives after all loses its lease. Where commits can be
// lost, only leases of processes that are gone are ended: the former state could come back
// (as after a failover) to an owner that has not noticed yet, beside the next one. Without
// such a row there is nothing to do.
func (o *operator) edit(db *sqlx.DB, e event) error {
	t := e.Table
	return insist(func() error {
		row, found, err := o.choose(db, e)
		if err != nil || !found {
			return err
		}
		set := map[alteration]string{
			endLease: "LEASE_UNTIL = 0", changeHolder: "HOLDER = 'somebody else'",
			raiseHigh: fmt.Sprint("HIGH = HIGH + ", int64(time.Second/tickUnit)), raiseFar: fmt.Sprint("HIGH = HIGH + ", int64(farAhead/tickUnit)),
		}[e.Edit]
		if e.Edit == releaseLease {
			r, err := t.registry(db, nil)
			if err == nil {
				_, err = r.Release(context.Background(), t.namespace, row.WorkerID, true)
			}
			if err == nil {
				o.edited.Add(1)
			}
			return err
		}
		res, err := db.Exec("UPDATE "+t.name+" SET "+set+" WHERE NAMESPACE = ? AND WORKER_ID = ? AND HOLDER = ? AND HIGH = ?",
			t.namespace, row.WorkerID, row.Holder, row.High)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); n == 0 {
			return errors.Join(errors.New("the row has changed meanwhile"), err)
		}
		o.edited.Add(1)
		return nil
	})
}

// choose returns the row to edit, if there is one.
func (o *operator) choose(db *sqlx.DB, e event) (row leaseRow, found bool, err error) {
	rows, err := o.stores.leasesIn(db, e.Table)
	if err != nil {
		return row, false, err
	}
	far := soakLayout.TickAt(time.Now().Add(farAhead / 2))
	var able []leaseRow
	for _, r := range rows {
		ends := e.Edit == endLease || e.Edit == releaseLease
		if r.WorkerID != controlID && r.High < far && (!ends || e.Table.durable || o.fleet.isGone(r.Holder)) {
			able = append(able, r)
		}
	}
	if len(able) == 0 {
		return row, false, nil
	}
	return able[e.Row%len(able)], true, nil
}

// insist tries again what is not possible yet, or what others' locks prevent.
func insist(do func() error) error {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if err := do(); err == nil || time.Since(began) > handLimit {
			return err
		}
	}
}

func execAll(db *sqlx.DB, statements ...string) error {
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}
