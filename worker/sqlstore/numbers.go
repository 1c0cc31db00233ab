package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/fitness"
	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
)

// The values of the column TYPE, as UidGenerator numbers them.
const (
	typeContainer = 1 // HOST_NAME and PORT are an address
	typeActual    = 2 // PORT is a random text
	// 3 and 4 are the same of rows with a floor; see Begin. 5 is a mark; see insertAbove.
)

// A numberTable is the table of disposable IDs. It is a [disposable.Numbers] and hands out the table's
// generated keys. Make it with [DB.Numbers]. All methods may be called by any number of
// goroutines at once.
type numberTable struct{ tables }

var (
	_ disposable.Numbers   = (*numberTable)(nil)
	_ numberstore.Beginner = (*numberTable)(nil)
)

// Numbers returns the numbers of the table of disposable IDs. It does not touch the database.
func (d *DB) Numbers() disposable.Numbers { return &numberTable{d.tables} }

// Name returns the table: table WORKER_NODE.
func (s *numberTable) Name() string { return "table " + s.nodes }

// Inspect implements [disposable.Numbers]. It compares the table's columns with what workers write
// to them, and reads the settings by which a server or a SQLite connection can lose a commit in a
// crash. It skips what the account may not see.
func (s *numberTable) Inspect(ctx context.Context) (lossy []string, err error) {
	return s.inspect(ctx, false, fitness.Table{Name: s.nodes, Columns: database.NodeColumns})
}

// Next inserts a row and returns the row's generated key. It creates a missing table. The row has
// TYPE 1 (CONTAINER) when h has a port, else TYPE 2 (ACTUAL) and a random text for a port. A call
// that fails after its insert leaves the row. No other call takes it up: each inserts a row of
// its own, with a nonce of its own. A call uses one connection for all statements.
//
// It fails as [disposable.Numbers] says, with [uid.ErrConfig] for SQLite in memory or with
// locking_mode EXCLUSIVE, and with [worker.ErrState] when the SQLite file is not in its place or
// has a second name.
func (s *numberTable) Next(ctx context.Context, h numberstore.Host, most int64) (int64, error) {
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return 0, database.Failed("connect", err)
	}
	defer conn.Close()

	var place database.Place
	if err := s.look(ctx, conn, &place); err != nil {
		return 0, err
	}
	id, nonce, err := s.insert(ctx, conn, &place, h, most)
	if database.KindOf(err) == database.MissingTable {
		if err := s.create(ctx, conn, database.NodeTable, s.nodes); err != nil {
			return 0, err
		}
		id, nonce, err = s.insert(ctx, conn, &place, h, most)
	}
	if err != nil {
		return 0, err
	}
	if s.dialect == database.SQLite {
		if err := s.confirm(ctx, conn, id, nonce, ""); err != nil {
			return 0, err
		}
		if err := place.Confirm(ctx, conn, nonce, "PORT", "`"+s.nodes+"` WHERE ID = ?", id); err != nil {
			return 0, err
		}
	}
	if err := s.confirm(ctx, conn, id, nonce, h.Port); err != nil {
		return 0, err
	}
	return id, s.look(ctx, conn, &place)
}

// look checks the place of a SQLite file.
func (s *numberTable) look(ctx context.Context, conn *sqlx.Conn, place *database.Place) error {
	if s.dialect != database.SQLite {
		return nil
	}
	return place.Look(ctx, conn)
}

// insert commits a row whose PORT is a nonce, and returns the ID from the insert's own result.
func (s *numberTable) insert(ctx context.Context, conn *sqlx.Conn, place *database.Place, h numberstore.Host,
	most int64) (id int64, nonce string, err error) {
	kind := typeActual
	if h.Port != "" {
		kind = typeContainer
	}
	err = database.Transact(ctx, conn, s.dialect, func(tx session) error {
		if id, nonce, err = s.insertAbove(ctx, tx, place, h.Name, kind, most); err != nil {
			return err
		}
		if id <= 0 {
			return fmt.Errorf("%w: the database reported ID %d for the new row; "+
				"is the column ID an AUTO_INCREMENT key?", worker.ErrUnconfirmed, id)
		}
		if id > most {
			return fmt.Errorf("%w: the table's next ID is %d, the layout's maximum is %d", uid.ErrNoWorkerID, id, most)
		}
		return nil
	})
	return id, nonce, err
}

// insertRow returns the ID that the insert itself reports.
func (s *numberTable) insertRow(ctx context.Context, tx session, host, nonce string,
	kind int) (id int64, err error) {
	const doing = "insert a row"
	insert := s.dialect.SQL("INSERT INTO `" + s.nodes + "` (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED)" +
		" VALUES (?, ?, ?, CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)")
	if s.dialect == database.Postgres { // whose drivers know no LastInsertId
		err = tx.QueryRowContext(ctx, insert+" RETURNING ID", host, nonce, kind).Scan(&id)
		return id, database.Failed(doing, err)
	}
	res, err := tx.ExecContext(ctx, insert, host, nonce, kind)
	if err != nil {
		return 0, database.Failed(doing, err)
	}
	id, err = res.LastInsertId()
	return id, database.Failed("read the insert's ID", err)
}

// confirm reads the row back after its commit, and then replaces the nonce with the port, if one
// is known. It does so in a transaction, because a proxy that spreads reads over replicas leaves
// a transaction with the server that writes.
func (s *numberTable) confirm(ctx context.Context, conn *sqlx.Conn, id int64, nonce, port string) error {
	return database.Transact(ctx, conn, s.dialect, func(tx session) error {
		var found string
		err := tx.GetContext(ctx, &found, s.dialect.SQL("SELECT PORT FROM `"+s.nodes+"` WHERE ID = ?"), id)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("%w: the row just inserted, ID %d, is not there; did the read go to another server?",
				worker.ErrUnconfirmed, id)
		case err != nil:
			return database.Failed("read the new row back", err)
		case found != nonce:
			return fmt.Errorf("%w: the row with ID %d does not bear the random text just written: "+
				"it is another's, or was changed", worker.ErrUnconfirmed, id)
		}
		if port == "" {
			return nil
		}
		update := s.dialect.SQL("UPDATE `" + s.nodes + "` SET PORT = ?, MODIFIED = CURRENT_TIMESTAMP" +
			" WHERE ID = ? AND PORT = ?")
		res, err := tx.ExecContext(ctx, update, port, id, nonce)
		if database.IsDuplicate(err) {
			// The table has a unique key over host and port. The process before has ended, or
			// also uses the port. It keeps its row, and this one keeps the random text.
			s.log.WarnContext(ctx, "the table of worker IDs takes no second row with this host and port, "+
				"whose row therefore keeps a random text for the port",
				"worker_id", id, "store", s.Name(), "port", port)
			return nil
		}
		return changedOne("the port", id, res, err)
	})
}

// changedOne returns an error unless a statement has written what it had to, in the row with the ID.
func changedOne(what string, id int64, res sql.Result, err error) error {
	n, err := database.Changed("write "+what, res, err)
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: writing %s changed %d rows with ID %d, not 1", worker.ErrUnconfirmed, what, n, id)
	}
	return err
}
