package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
)

// An operator does to the tables of leases what people do by hand, while fleets run on
// them. It keeps within what leases allow: each method says why no UID may come twice.
type operator struct {
	*fleet
	vanished atomic.Int64 // rows that were away for a while
	edited   atomic.Int64 // rows that were
}

// leaseTable is the one that leases are in.
const leaseTable = "WORKER_LEASE"

// act does what an event says.
func (o *operator) act(e event) error {
	p := o.world.places[e.Space.Place]
	db, err := p.sql(e.Space.Share)
	if err != nil {
		return err
	}
	defer db.Close()
	switch e.Fault {
	case rename:
		err = o.rename(db, e.Space, e.For)
	case truncate:
		err = o.truncate(db, e.Space)
	case restore:
		err = o.restore(db, e.Space, e.For)
	case vanish:
		err = o.vanish(db, e.Space, e.For)
	case edit:
		err = o.edit(e)
	}
	if err != nil {
		return fmt.Errorf("soak: %v: %w", e, err)
	}
	// A failover must not lose what is done by hand: a table that is renamed away on the
	// replica only would never come back.
	if p.pair != nil {
		return p.pair.CatchUp()
	}
	return nil
}

// sql opens the database of a share, by no proxy.
func (p *place) sql(share string) (*sqlx.DB, error) {
	u, err := url.Parse(p.url(p.d.Addrs, 0, share))
	if err != nil || u.Scheme == "sqlite" {
		return sqlite.Open(context.Background(), u.Path)
	}
	// A row that is as an edit wants it counts, too; as on SQLite.
	return cluster.Connect("root@tcp("+u.Host+")/"+share+"?clientFoundRows=true", cluster.Quiet)
}

// rename takes the table away and puts it back, as a change of its schema in two steps
// does. Owners keep what they have; nobody gets an ID meanwhile.
func (o *operator) rename(db *sqlx.DB, sp space, d time.Duration) error {
	if err := insist(func() error { return renameTable(db, leaseTable, "AWAY") }); err != nil {
		return err
	}
	time.Sleep(d)
	return o.putBack(db, sp, "AWAY")
}

// putBack gives a table its name again. A start may have made another one by then, unless it insists on its
// namespace: whoever has an ID there began beyond what the owners before have, and whoever comes now begins
// beyond both, since the table's history is another one.
func (o *operator) putBack(db *sqlx.DB, sp space, from string) error {
	return insist(func() error {
		err := renameTable(db, from, leaseTable)
		if err == nil {
			return nil
		}
		if _, e := db.Exec("DROP TABLE " + leaseTable); e == nil && sp.Losses == lease.Never {
			o.violation("table %s of %s was made anew while it was away, though its namespace has to exist",
				leaseTable, sp.Share)
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
func (o *operator) truncate(db *sqlx.DB, sp space) error {
	return insist(func() error {
		if err := execAll(db, "TRUNCATE TABLE "+leaseTable); err != nil {
			return err
		}
		return o.world.found(sp, true)
	})
}

// restore brings back what the table held some time ago. It is what a failover does that
// loses so much: new owners burn what those before may have reserved since, as the table was made in another
// second than the one that was copied.
func (o *operator) restore(db *sqlx.DB, sp space, age time.Duration) error {
	err := insist(func() error {
		return execAll(db, "DROP TABLE IF EXISTS DUMP",
			"CREATE TABLE DUMP LIKE "+leaseTable, "INSERT INTO DUMP SELECT * FROM "+leaseTable)
	})
	if err != nil {
		return err
	}
	time.Sleep(age)
	if err := insist(func() error { return execAll(db, "DROP TABLE IF EXISTS "+leaseTable) }); err != nil {
		return err
	}
	err = o.putBack(db, sp, "DUMP")
	o.world.places[sp.Place].rewind(sp.Share)
	return err
}

// vanish lets all rows of IDs vanish, each at once with the others, and puts them back. Nobody gets one
// of these IDs meanwhile: its row could not come back.
func (o *operator) vanish(db *sqlx.DB, sp space, away time.Duration) error {
	move := func(from, to string) error {
		return insist(func() error {
			res, err := db.Exec(
				"UPDATE "+leaseTable+" SET NAMESPACE = ? WHERE NAMESPACE = ? AND WORKER_ID >= 0", to, from)
			if err != nil {
				return err
			}
			n, err := res.RowsAffected()
			o.vanished.Add(n)
			return err
		})
	}
	here := o.world.namespace(sp.Share)
	gone := here + " (gone)"
	if err := move(here, gone); err != nil {
		return err
	}
	time.Sleep(away)
	return move(gone, here)
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
func (o *operator) edit(e event) error {
	namespace := o.world.namespace(e.Space.Share)
	return o.world.ask(e.Space, func(ctx context.Context, s engines.Store) error {
		row, found, err := o.choose(e)
		if err != nil || !found {
			return err
		}
		if e.Edit == releaseLease {
			r, err := registry.New(s, registry.Config{Logger: quiet})
			if err != nil {
				return err
			}
			if _, err = r.Release(ctx, namespace, row.WorkerID, true); err == nil {
				o.edited.Add(1)
			}
			return err
		}
		ns, err := s.Namespace(namespace)
		if err != nil {
			return err
		}
		err = ns.Change(ctx, row.WorkerID, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
			if r == nil || r.Holder != row.Holder || r.High != row.High {
				return errors.New("the row has changed meanwhile")
			}
			switch e.Edit {
			case endLease:
				r.Until = time.Unix(0, 0)
			case changeHolder:
				r.Holder = "somebody else"
			case raiseHigh:
				r.High += int64(time.Second / tickUnit)
			case raiseFar:
				r.High += int64(farAhead / tickUnit)
			}
			return nil
		})
		if err == nil {
			o.edited.Add(1)
		}
		return err
	})
}

// choose returns the row to edit, if there is one that anybody has had.
func (o *operator) choose(e event) (row storage.Lease, found bool, err error) {
	page, err := o.world.rows(e.Space)
	if err != nil {
		return row, false, err
	}
	far := layout.TickAt(time.Now().Add(farAhead / 2))
	var able []storage.Lease
	for _, r := range page.Rows {
		ends := e.Edit == endLease || e.Edit == releaseLease
		live := !ends || e.Space.Losses == lease.Never || o.isGone(r.Holder)
		if r.Holder != "" && r.High < far && live {
			able = append(able, r)
		}
	}
	if len(able) == 0 {
		return row, false, nil
	}
	return able[e.Row%len(able)], true, nil
}

func execAll(db *sqlx.DB, statements ...string) error {
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return err
		}
	}
	return nil
}

var quiet = slog.New(slog.DiscardHandler)
