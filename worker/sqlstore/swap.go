package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
)

// Everything is written by compare-and-swap: one statement reads rows and identifies the server; the decision is
// written if both are still the same. No lock is held in between.

// An attempt is a decision, and where and by which rows it was made.
type attempt struct {
	database.Origin
	what   string // is to be replaced, for people
	found  any    // that, comparable
	writes []write
	left   *readback // in a SQLite file
	again  bool      // after this one comes another, on a server
	wrong  error     // the sentinel if a write changes the wrong number of rows; the default is worker.ErrUnconfirmed
	// crowded: many clients may want the same row, so that one that loses waits before the next attempt.
	crowded bool
}

// A write is a statement, and how many rows it changes: fewer if the server does not count a row that stays the same,
// none if something has changed since it was read.
type write struct {
	piece
	rows int64
}

// A readback confirms a commit in a SQLite file: the expression text, from a table with a WHERE clause, must yield
// wrote.
type readback struct {
	wrote, text string
	from        piece
}

// A session carries out statements: a connection, or a transaction of a SQLite file.
type session = database.Session

var (
	// errRaced is returned when a row is not as it was read.
	errRaced = worker.Transient(errors.New("write a row: another client has written it"))
	// errElsewhere is returned when a decision would be written where its rows were not read.
	errElsewhere = worker.Transient(errors.New("write a row: the statement before it ran on another server, in " +
		"another session, or before the server lost commits: does a proxy share connections?"))
)

// swap makes attempts until a decision is stored. try gets the number of attempts that have lost to other clients.
// Between two attempts on a server swap holds no connection.
func (t *tables) swap(ctx context.Context, place *database.FilePlace,
	try func(conn session, races int) (attempt, error)) error {
	if t.dialect == database.SQLite {
		return t.swapInFile(ctx, place, try)
	}
	r := race{tables: t, try: try}
	err := r.run(ctx)
	if ended := ctx.Err(); ended != nil && r.lost > 0 && errors.Is(err, ended) {
		return worker.Transient(fmt.Errorf("write a row: %w, %d times in a row: %w", retry.ErrRaced, r.lost, err))
	}
	return err
}

// swapInFile makes the only attempt in a file, which is locked before it is read, so that no other process writes.
func (t *tables) swapInFile(ctx context.Context, place *database.FilePlace,
	try func(conn session, races int) (attempt, error)) error {
	return t.connected(ctx, func(conn *sqlx.Conn) error {
		return t.inPlace(ctx, conn, place, func(tx session) (*readback, error) {
			a, err := try(tx, 0)
			if err == nil {
				err = t.carry(ctx, tx, a)
			}
			if errors.Is(err, errRaced) {
				err = a.unconfirmed()
			}
			return a.left, err
		})
	})
}

// A race is the attempts of a swap on a server, where other clients may write between the read and the write of one.
type race struct {
	*tables
	try  func(conn session, races int) (attempt, error)
	lost int      // attempts that have lost to other clients
	kept *attempt // the last one, if its write changed no row
}

func (r *race) run(ctx context.Context) error {
	for {
		var a attempt
		again, began := false, time.Now()
		err := r.connected(ctx, func(conn *sqlx.Conn) (err error) {
			a, again, err = r.attempt(ctx, conn)
			return err
		})
		if err != nil || !again {
			return err
		}
		if r.lost++; a.crowded {
			backOff(ctx, time.Since(began), r.lost)
		}
	}
}

// attempt reads, decides and writes. It reports whether another attempt must follow: this one has lost to another
// client, or has only prepared the next.
func (r *race) attempt(ctx context.Context, conn *sqlx.Conn) (a attempt, again bool, err error) {
	a, err = r.try(conn, r.lost)
	if err == nil && r.kept != nil && r.kept.found == a.found {
		// No other client has changed the row: something else has prevented the write.
		if err = a.unconfirmed(); !a.SameAs(r.kept.Origin) {
			err = errElsewhere
		}
	}
	if err != nil || len(a.writes) == 0 {
		if r.dialect == database.MySQL && !a.Autocommits() {
			_, _ = conn.ExecContext(ctx, r.dialect.Rollback()) // if it fails the next look commits, or the session ends
		}
		return a, false, err
	}
	err = r.store(ctx, conn, a)
	r.kept = nil
	switch {
	case errors.Is(err, errRaced):
		r.kept = &a
		return a, true, nil
	case database.IsRaced(err), err == nil && a.again:
		return a, true, nil
	}
	return a, false, err
}

// backOff waits after an attempt has lost to another client, for a random time: at most twice as long as the attempt
// took, and twice as long after each further one, up to sixteen times. Of many clients that start at once all but a few
// lose. Clients that retry at once keep the server so busy that their rows are old before they write; clients that wait
// longer are still waiting when the others are done.
func backOff(ctx context.Context, attempt time.Duration, races int) {
	const longest = 10 * time.Second
	select {
	case <-time.After(rand.N(min(attempt<<min(races, 4), longest) + 1)):
	case <-ctx.Done():
	}
}

// unconfirmed returns the error of a write that changed no row, though no other client has written.
func (a *attempt) unconfirmed() error {
	return fmt.Errorf("%w: the update of %s changed 0 rows, though no other client has written: "+
		"is there a trigger, or does a proxy share connections?", a.kind(), a.what)
}

func (a *attempt) kind() error { return cmp.Or(a.wrong, worker.ErrUnconfirmed) }

// store runs writes on a server, more than one in a transaction.
func (t *tables) store(ctx context.Context, conn *sqlx.Conn, a attempt) error {
	if len(a.writes) == 1 && a.Autocommits() {
		return t.carry(ctx, conn, a)
	}
	restore, err := database.Prepare(ctx, conn, t.dialect)
	if err != nil {
		return err
	}
	defer restore()
	return database.Transact(ctx, conn, t.dialect, func(tx session) error { return t.carry(ctx, tx, a) })
}

// changed returns how many rows a statement has changed.
func changed(doing string, res sql.Result, err error) (n int64, _ error) {
	if err == nil {
		n, err = res.RowsAffected()
	}
	return n, database.Failed(doing, err)
}

func (t *tables) carry(ctx context.Context, conn session, a attempt) error {
	const doing = "write a row"
	for _, w := range a.writes {
		text, args := bind(t.dialect, w.text, w.args...)
		res, err := conn.ExecContext(ctx, text, args...)
		switch n, err := changed(doing, res, err); {
		case err != nil:
			return err
		case n == 0:
			return errRaced
		case n < 0 || n > w.rows:
			return fmt.Errorf("%w: a write changed %d rows, not %d", a.kind(), n, w.rows)
		}
	}
	return nil
}

// inPlace runs a transaction on a SQLite file. Its commit counts only if the file is in its place before and after, and
// can be read back there. Else it returns an error, as for a commit whose reply was lost. do returns a nil readback if
// there is nothing to read.
func (t *tables) inPlace(ctx context.Context, conn *sqlx.Conn, place *database.FilePlace,
	do func(session) (*readback, error)) error {
	if err := place.Look(ctx, conn); err != nil {
		return err
	}
	var left *readback
	err := database.Transact(ctx, conn, t.dialect, func(s session) (err error) {
		left, err = do(s)
		return err
	})
	if err == nil && left != nil {
		err = place.Confirm(ctx, conn, left.wrote, left.text, left.from.text, left.from.args...)
	}
	if err != nil {
		return err
	}
	return place.Look(ctx, conn)
}
