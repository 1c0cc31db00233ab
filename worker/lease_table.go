package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// controlID is the worker ID of the control row of a namespace, which every acquisition
// locks first. No layout has it. Its HIGH is the namespace's floor: no acquisition gets a
// tick at or below it. Until its LEASE_UNTIL nobody acquires. Its REACH is the largest of
// any owner.
const controlID = -1

// A leaseRow is a row of the table. Times are of the database's clock.
type leaseRow struct {
	WorkerID int64
	Nonce    string // empty once released
	High     int64  // last tick that anyone may have used; only goes down to what was really used
	Until    micros
	Layout   string
	Holder   string
	Acquired micros
	Renewed  micros
	Reach    int64 // microseconds
}

const leaseColumns = "WORKER_ID, NONCE, HIGH, LEASE_UNTIL, LAYOUT, HOLDER, ACQUIRED, RENEWED, REACH"

// fields is where leaseColumns go, in their order.
func (r *leaseRow) fields() []any {
	return []any{&r.WorkerID, &r.Nonce, &r.High, &r.Until, &r.Layout, &r.Holder, &r.Acquired, &r.Renewed, &r.Reach}
}

// micros is a time in microseconds since 1970 UTC, a form that both dialects keep and
// compare alike.
type micros int64

func (m micros) time() time.Time            { return time.UnixMicro(int64(m)).UTC() }
func (m micros) add(d time.Duration) micros { return m + micros(d.Microseconds()) }
func (m micros) sub(n micros) time.Duration { return time.Duration(m-n) * time.Microsecond }
func (m micros) String() string             { return m.time().Format("2006-01-02T15:04:05.000Z07:00") }

// A leaseTable is a namespace of a table.
type leaseTable struct {
	db        *sqlx.DB
	dialect   Dialect
	clock     string // the query for the database's time
	name      string
	create    string // the statement that creates the table
	namespace string
	stall     time.Duration // after which a transaction that stands still is ended
	place     filePlace     // of a SQLite file
	written   leaseRow      // what the transaction has inserted or updated last
}

// transact runs do in a transaction on one connection. It returns ErrNoNamespace when
// there is no table: to create one here would hide from a running owner that its own was
// renamed or dropped.
func (t *leaseTable) transact(ctx context.Context, do func(tx session) error) error {
	conn, err := t.db.Connx(ctx)
	if err != nil {
		return failed("connect", err)
	}
	defer conn.Close()
	restore, err := t.prepare(ctx, conn)
	if err != nil {
		return err
	}
	defer restore()
	err = t.inPlace(ctx, conn, do)
	if kindOf(err) == missingTable {
		return fmt.Errorf("%w: %w", ErrNoNamespace, err)
	}
	return err
}

// now asks for the database's time in a statement of its own: one that waits for a lock
// tells the time at which it began to wait.
func (t *leaseTable) now(ctx context.Context, tx session) (now micros, err error) {
	if err := tx.GetContext(ctx, &now, t.clock); err != nil {
		return 0, failed("ask for the database's time", err)
	}
	return now, nil
}

// lock locks a row and returns it as it is then; found is false if there is none.
func (t *leaseTable) lock(ctx context.Context, tx session, id int64) (row leaseRow, found bool, err error) {
	return t.read(ctx, tx, id, t.dialect.forUpdate())
}

func (t *leaseTable) read(ctx context.Context, tx session, id int64, lock string) (row leaseRow, found bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT "+leaseColumns+" FROM `"+t.name+"` WHERE NAMESPACE = ? AND WORKER_ID = ?"+lock, t.namespace, id).
		Scan(row.fields()...)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return row, false, nil
	case err != nil:
		return row, false, failed("read a row", err)
	}
	return row, true, nil
}

// longestFree returns the ID within the maximum whose lease ended first of all, if that
// was before the time given, and whose ticks are used up to highest at most. It locks
// nothing.
func (t *leaseTable) longestFree(ctx context.Context, tx session, maxID int64, before micros, highest int64) (id int64, found bool, err error) {
	err = tx.GetContext(ctx, &id, "SELECT WORKER_ID FROM `"+t.name+"` WHERE NAMESPACE = ? AND WORKER_ID BETWEEN 0 AND ? AND LEASE_UNTIL < ? AND HIGH <= ?"+
		" ORDER BY LEASE_UNTIL, WORKER_ID LIMIT 1", t.namespace, maxID, before, highest)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, false, nil
	case err != nil:
		return 0, false, failed("look for a free ID", err)
	}
	return id, true, nil
}

// neverUsed returns an ID within the maximum that has no row: the one above the largest
// in use, or, when that is the maximum, the smallest in a gap.
func (t *leaseTable) neverUsed(ctx context.Context, tx session, maxID int64) (id int64, found bool, err error) {
	// The control row is there, so that there always is a largest one.
	if err = tx.GetContext(ctx, &id, "SELECT MAX(WORKER_ID) + 1 FROM `"+t.name+"` WHERE NAMESPACE = ? AND WORKER_ID BETWEEN -1 AND ?", t.namespace, maxID); err != nil {
		return 0, false, failed("look for an unused ID", err)
	}
	if id <= maxID {
		return id, true, nil
	}
	err = tx.GetContext(ctx, &id, "SELECT a.WORKER_ID + 1 FROM `"+t.name+"` a LEFT JOIN `"+t.name+"` b ON b.NAMESPACE = a.NAMESPACE AND b.WORKER_ID = a.WORKER_ID + 1"+
		" WHERE a.NAMESPACE = ? AND a.WORKER_ID BETWEEN -1 AND ? AND b.WORKER_ID IS NULL ORDER BY a.WORKER_ID LIMIT 1", t.namespace, maxID-1)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, false, nil
	case err != nil:
		return 0, false, failed("look for an unused ID", err)
	}
	return id, true, nil
}

// anyID returns an ID of the namespace that somebody has had, if there is one.
func (t *leaseTable) anyID(ctx context.Context, tx session) (id int64, found bool, err error) {
	err = tx.GetContext(ctx, &id, "SELECT WORKER_ID FROM `"+t.name+"` WHERE NAMESPACE = ? AND WORKER_ID <> ? LIMIT 1", t.namespace, controlID)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, false, nil
	case err != nil:
		return 0, false, failed("look for an ID", err)
	}
	return id, true, nil
}

// nextFree returns when the lease ends that ends first.
func (t *leaseTable) nextFree(ctx context.Context, tx session, maxID int64) (until micros, err error) {
	if err := tx.GetContext(ctx, &until, "SELECT MIN(LEASE_UNTIL) FROM `"+t.name+"` WHERE NAMESPACE = ? AND WORKER_ID BETWEEN 0 AND ?", t.namespace, maxID); err != nil {
		return 0, failed("look for the next free ID", err)
	}
	return until, nil
}

// widestReach returns the largest REACH of the namespace's rows.
func (t *leaseTable) widestReach(ctx context.Context, tx session) (reach int64, err error) {
	err = tx.GetContext(ctx, &reach, "SELECT COALESCE(MAX(REACH), 0) FROM `"+t.name+"` WHERE NAMESPACE = ?", t.namespace)
	if err != nil {
		return 0, failed("look for the widest reach", err)
	}
	return reach, nil
}

// setReach notes in the control row how far beyond the clock owners may reserve.
func (t *leaseTable) setReach(ctx context.Context, tx session, reach int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE `"+t.name+"` SET REACH = ? WHERE NAMESPACE = ? AND WORKER_ID = ?", reach, t.namespace, controlID)
	if err != nil {
		return failed("update the namespace's row", err)
	}
	return nil
}

func (t *leaseTable) insert(ctx context.Context, tx session, r leaseRow) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO `"+t.name+"` (NAMESPACE, "+leaseColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		t.namespace, r.WorkerID, r.Nonce, r.High, r.Until, r.Layout, r.Holder, r.Acquired, r.Renewed, r.Reach)
	if err != nil {
		return failed("insert a row", err)
	}
	t.written = r
	return nil
}

// update writes a row that is locked, and whose nonce was was.
func (t *leaseTable) update(ctx context.Context, tx session, r leaseRow, was string) error {
	res, err := tx.ExecContext(ctx, "UPDATE `"+t.name+"` SET NONCE = ?, HIGH = ?, LEASE_UNTIL = ?, LAYOUT = ?, HOLDER = ?, ACQUIRED = ?, RENEWED = ?, REACH = ?"+
		" WHERE NAMESPACE = ? AND WORKER_ID = ? AND NONCE = ?",
		r.Nonce, r.High, r.Until, r.Layout, r.Holder, r.Acquired, r.Renewed, r.Reach, t.namespace, r.WorkerID, was)
	if err != nil {
		return failed("update a row", err)
	}
	n, err := res.RowsAffected()
	if err != nil {
		return failed("update a row", err)
	}
	if n != 1 {
		return fmt.Errorf("%w: the update changed %d rows of worker ID %d, not 1", ErrUnconfirmed, n, r.WorkerID)
	}
	t.written = r
	return nil
}
