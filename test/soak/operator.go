package main

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/worker/lease"
)

// An operator does to the tables of leases what people do by hand, while fleets run on
// them. It keeps within what leases allow: each method says why no UID may come twice.
type operator struct {
	stores   *stores
	fleet    *fleet
	vanished atomic.Int64 // rows that were away for a while
	edited   atomic.Int64 // rows that were
}

// handLimit bounds the operator's retries.
const handLimit = 30 * time.Second

// act does what an event says.
func (o *operator) act(e event) error {
	db, err := o.stores.open(e.Table.Store)
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
	case vanish:
		err = o.vanish(db, e.Table, e.For)
	case edit:
		err = o.edit(db, e)
	}
	if err != nil {
		return fmt.Errorf("soak: %v: %w", e, err)
	}
	// A failover must not lose what is done by hand: a table that is renamed away on the
	// replica only would never come back.
	if e.Table.Store == pair {
		return o.stores.pair.CatchUp()
	}
	return nil
}

// rename takes the table away and puts it back, as a change of its schema in two steps
// does. Owners keep what they have; nobody gets an ID meanwhile.
func (o *operator) rename(db *sqlx.DB, t leaseTable, d time.Duration) error {
	away := t.Name + "_AWAY"
	if err := insist(func() error { return renameTable(db, t.Name, away) }); err != nil {
		return err
	}
	time.Sleep(d)
	return o.putBack(db, t, away)
}

// putBack gives a table its name again. A start may have made another one by then, unless it insists on its
// namespace: whoever has an ID there began beyond what the owners before have, and whoever comes now begins
// beyond both, since the table's history is another one.
func (o *operator) putBack(db *sqlx.DB, t leaseTable, from string) error {
	return insist(func() error {
		err := renameTable(db, from, t.Name)
		if err == nil {
			return nil
		}
		if _, e := db.Exec("DROP TABLE " + t.Name); e == nil && t.Losses == lease.Never {
			o.fleet.violation("table %s was made anew while it was away, though its namespace has to exist", t.Name)
		}
		return err
	})
}

// renameTable is the same in both dialects.
func renameTable(db *sqlx.DB, from, to string) error {
	return execAll(db, "ALTER TABLE "+from+" RENAME TO "+to)
}

// truncate removes all rows, and says that they were lost: whoever gets an ID begins beyond what the owners of
// the removed rows have.
func (o *operator) truncate(db *sqlx.DB, t leaseTable) error {
	return insist(func() error {
		if _, err := db.Exec("TRUNCATE TABLE " + t.Name); err != nil {
			return err
		}
		return o.stores.found(db, t, true)
	})
}

// restore brings back what the table held some time ago. It is what a failover does that
// loses so much: new owners burn what those before may have reserved since, as the table was made in another
// second than the one that was copied.
func (o *operator) restore(db *sqlx.DB, t leaseTable, age time.Duration) error {
	dump := t.Name + "_DUMP"
	err := insist(func() error {
		return execAll(db, "DROP TABLE IF EXISTS "+dump,
			"CREATE TABLE "+dump+" LIKE "+t.Name, "INSERT INTO "+dump+" SELECT * FROM "+t.Name)
	})
	if err != nil {
		return err
	}
	time.Sleep(age)
	if err := insist(func() error { return execAll(db, "DROP TABLE IF EXISTS "+t.Name) }); err != nil {
		return err
	}
	err = o.putBack(db, t, dump)
	o.stores.rewind(t.Name)
	return err
}

// vanish lets all rows of IDs vanish, each at once with the others, and puts them back. Nobody gets one
// of these IDs meanwhile: its row could not come back.
func (o *operator) vanish(db *sqlx.DB, t leaseTable, away time.Duration) error {
	move := func(from, to string) error {
		return insist(func() error {
			res, err := db.Exec("UPDATE "+t.Name+" SET NAMESPACE = ? WHERE NAMESPACE = ? AND WORKER_ID >= 0", to, from)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			o.vanished.Add(n)
			return err
		})
	}
	const gone = " (gone)"
	if err := move(t.Namespace, t.Namespace+gone); err != nil {
		return err
	}
	time.Sleep(away)
	return move(t.Namespace+gone, t.Namespace)
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

// farAhead is more than any lease believes.
const farAhead = 3 * time.Hour

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
			raiseHigh: fmt.Sprint("HIGH = HIGH + ", int64(time.Second/tickUnit)),
			raiseFar:  fmt.Sprint("HIGH = HIGH + ", int64(farAhead/tickUnit)),
		}[e.Edit]
		if e.Edit == releaseLease {
			r, err := t.registry(db)
			if err == nil {
				_, err = r.Release(context.Background(), t.Namespace, row.WorkerID, true)
			}
			if err == nil {
				o.edited.Add(1)
			}
			return err
		}
		res, err := db.Exec("UPDATE "+t.Name+" SET "+set+
			" WHERE NAMESPACE = ? AND WORKER_ID = ? AND HOLDER = ? AND HIGH = ?",
			t.Namespace, row.WorkerID, row.Holder, row.High)
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

// choose returns the row to edit, if there is one that anybody has had.
func (o *operator) choose(db *sqlx.DB, e event) (row leaseRow, found bool, err error) {
	rows, err := o.stores.leasesIn(db, e.Table)
	if err != nil {
		return row, false, err
	}
	far := soakLayout.TickAt(time.Now().Add(farAhead / 2))
	var able []leaseRow
	for _, r := range rows {
		ends := e.Edit == endLease || e.Edit == releaseLease
		live := !ends || e.Table.Losses == lease.Never || o.fleet.isGone(r.Holder)
		if r.WorkerID != controlID && r.Holder != "" && r.High < far && live {
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
