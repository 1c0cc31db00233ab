package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/fitness"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
)

// The values of the column TYPE, as UidGenerator numbers them.
const (
	typeContainer = 1 // HOST_NAME and PORT are an address
	typeActual    = 2 // PORT is a random text
	// 3 and 4 are the same with a floor; see keep. 5 is a mark; see insertAbove.
)

// A numberTable is the table of disposable IDs, a [disposable.Numbers] that gives out the table's generated keys. Make
// it with [DB.Numbers]. Any number of goroutines may call all methods at once.
type numberTable struct{ tables }

var (
	_ disposable.Numbers = (*numberTable)(nil)
	_ storage.Beginner   = (*numberTable)(nil)
)

// Numbers returns the numbers of the table of disposable IDs.
func (d *DB) Numbers() disposable.Numbers { return &numberTable{d.tables} }

// Name returns the table: table WORKER_NODE.
func (s *numberTable) Name() string { return "table " + s.nodes }

// Inspect implements [disposable.Numbers]. It compares the table's columns with what workers write to them, and reads
// the settings by which a server or a SQLite connection can lose a commit in a crash. It skips settings that the
// account may not see.
func (s *numberTable) Inspect(ctx context.Context) (lossy []string, err error) {
	return s.inspect(ctx, false, fitness.Table{Name: s.nodes, Default: database.NodeTable})
}

// Next inserts a row and returns its generated key. It creates a missing table. The row has TYPE 1 (CONTAINER) if h has
// a port, else TYPE 2 (ACTUAL) and a random text as PORT. A call that fails after its insert leaves the row, which no
// other call uses: each inserts a row with a nonce of its own. A call uses one connection for all statements.
//
// It returns the errors of [disposable.Numbers], [uid.ErrConfig] for SQLite in memory or with locking_mode EXCLUSIVE,
// and [worker.ErrState] when the SQLite file is not in its place or has a second name.
func (s *numberTable) Next(ctx context.Context, h storage.Host, most int64) (int64, error) {
	id, _, err := s.NextFrom(ctx, h, most, time.Time{})
	return id, err
}

// NextFrom implements [storage.Beginner]. It rounds at up to whole seconds, and writes the latest floor of the newest
// 1,000 rows into its own row, in a transaction. Without a floor, and in a session with autocommit, it takes three
// round trips to a server, two more in a new session of MySQL, and one more for a port.
func (s *numberTable) NextFrom(ctx context.Context, h storage.Host, most int64,
	at time.Time) (id int64, first time.Time, err error) {
	conn, err := s.db.Connx(ctx)
	if err != nil {
		return 0, first, database.Failed("connect", err)
	}
	defer conn.Close()

	var place database.FilePlace
	if err := s.look(ctx, conn, &place); err != nil {
		return 0, first, err
	}
	row, err := s.insert(ctx, conn, &place, h, most)
	if database.IsMissingTable(err) {
		if err := s.create(ctx, conn, database.NodeTable, s.nodes); err != nil {
			return 0, first, err
		}
		row, err = s.insert(ctx, conn, &place, h, most)
	}
	if err != nil {
		return 0, first, err
	}
	if s.dialect == database.SQLite {
		if _, err := s.readBack(ctx, conn, row); err != nil {
			return 0, first, err
		}
		if err := place.Confirm(ctx, conn, row.nonce, "PORT", "`"+s.nodes+"` WHERE ID = ?", row.id); err != nil {
			return 0, first, err
		}
	}
	begin, err := s.confirm(ctx, conn, row, h.Port)
	if !at.IsZero() {
		begin = max(begin, at.Add(time.Second-1).Unix())
	}
	if err == nil && begin > 0 {
		first = time.Unix(begin, 0).UTC()
		err = database.Transact(ctx, conn, s.dialect, func(tx session) error { return s.keep(ctx, tx, row.id, begin) })
	}
	if err == nil {
		err = s.look(ctx, conn, &place)
	}
	if err != nil {
		return 0, time.Time{}, err
	}
	return row.id, first, nil
}

// look checks the place of a SQLite file.
func (s *numberTable) look(ctx context.Context, conn *sqlx.Conn, place *database.FilePlace) error {
	if s.dialect != database.SQLite {
		return nil
	}
	return place.Look(ctx, conn)
}

// An insertedRow has a nonce as PORT.
type insertedRow struct {
	id    int64
	nonce string
	by    *database.Origin // where a single statement has committed it; nil after a transaction
}

// insert commits a row whose PORT is a nonce, and returns the ID from the insert's own result.
func (s *numberTable) insert(ctx context.Context, conn *sqlx.Conn, place *database.FilePlace, h storage.Host,
	most int64) (row insertedRow, err error) {
	kind := int64(typeActual)
	if h.Port != "" {
		kind = typeContainer
	}
	if row, err = s.insertKnown(ctx, conn, h.Name, kind, most); err != nil || row.by != nil {
		return row, err
	}
	err = database.Transact(ctx, conn, s.dialect, func(tx session) error {
		if row.id, row.nonce, err = s.insertAbove(ctx, tx, place, h.Name, kind, most); err != nil {
			return err
		}
		return within(row.id, most)
	})
	return row, err
}

// within returns an error unless a reported ID is in the layout's range.
func within(id, most int64) error {
	if id <= 0 {
		return fmt.Errorf("%w: the database reported ID %d for the new row; "+
			"is the column ID an AUTO_INCREMENT key?", worker.ErrUnconfirmed, id)
	}
	if id > most {
		return fmt.Errorf("%w: the table's next ID is %d, the layout's maximum is %d", uid.ErrNoWorkerID, id, most)
	}
	return nil
}

// insertRow inserts a row, and returns the ID that the insert itself reports.
func (s *numberTable) insertRow(ctx context.Context, tx session, host, nonce string, kind int64) (int64, error) {
	return s.insertWhere(ctx, tx, "VALUES (?, ?, ?, "+dates+")", host, nonce, kind)
}

// dates are the values of a new row's last columns.
const dates = "CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP"

// insertWhere is insertRow with the statement's part that has the values. It returns errElsewhere if no row is
// inserted.
func (s *numberTable) insertWhere(ctx context.Context, tx session, values string, args ...any) (id int64, err error) {
	const doing = "insert a row"
	insert := "INSERT INTO `" + s.nodes + "` (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED) " + values
	if s.dialect == database.Postgres { // whose drivers know no LastInsertId
		insert, args = bind(s.dialect, insert+" RETURNING ID", args...)
		ids, err := database.SelectRows(ctx, tx, func(id *int64) []any { return []any{id} }, insert, args...)
		if err != nil {
			return 0, database.Failed(doing, err)
		}
		if len(ids) == 0 {
			return 0, errElsewhere
		}
		return ids[0], nil
	}
	res, err := s.exec(ctx, tx, insert, args...)
	switch n, err := changed(doing, res, err); {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, errElsewhere
	}
	id, err = res.LastInsertId()
	return id, database.Failed("read the insert's ID", err)
}

// exec executes a statement in one round trip.
func (s *numberTable) exec(ctx context.Context, tx session, statement string, args ...any) (sql.Result, error) {
	statement, args = bind(s.dialect, statement, args...)
	return tx.ExecContext(ctx, statement, args...)
}

// confirm reads the row back after its commit, and then replaces the nonce with the port, if there is one. It returns
// the latest floor, as readBack does. It uses a transaction unless it reads where the row was written: a proxy that
// spreads reads over replicas sends a transaction to the server that accepts writes.
func (s *numberTable) confirm(ctx context.Context, conn *sqlx.Conn, row insertedRow,
	port string) (floor int64, err error) {
	do := func(tx session) error {
		if floor, err = s.readBack(ctx, tx, row); err != nil || port == "" {
			return err
		}
		return s.writePort(ctx, tx, row, port)
	}
	if row.by != nil {
		if err := do(conn); !errors.Is(err, errElsewhere) {
			return floor, err
		}
		row.by = nil
	}
	return floor, database.Transact(ctx, conn, s.dialect, do)
}

// readBack returns the latest floor up to a row, which must be as it was inserted.
func (s *numberTable) readBack(ctx context.Context, tx session, row insertedRow) (floor int64, err error) {
	type found struct {
		port sql.NullString
		same bool
	}
	same := sqlOf("1 = 1")
	if row.by != nil {
		same = concat(sqlOf("("), s.here(s.nodes, row.by), sqlOf(")"))
	}
	p := s.latestFloor(row.id, same)
	query, args := bind(s.dialect, p.text, p.args...)
	fields := func(f *found) []any { return []any{&f.port, &f.same, &floor} }
	all, err := database.SelectRows(ctx, tx, fields, query, args...)
	switch {
	case err != nil:
		return 0, database.Failed("read the new row back", err)
	case len(all) != 1 || !all[0].same:
		return 0, errElsewhere
	case !all[0].port.Valid:
		return 0, fmt.Errorf("%w: the row just inserted, ID %d, is not there; did the read go to another server?",
			worker.ErrUnconfirmed, row.id)
	case all[0].port.String != row.nonce:
		return 0, fmt.Errorf("%w: the row with ID %d does not have the random text just written: "+
			"it is another client's, or was changed", worker.ErrUnconfirmed, row.id)
	}
	return floor, nil
}

// writePort replaces a row's nonce with the port.
func (s *numberTable) writePort(ctx context.Context, tx session, row insertedRow, port string) error {
	res, err := s.exec(ctx, tx, "UPDATE `"+s.nodes+"` SET PORT = ?, MODIFIED = CURRENT_TIMESTAMP"+
		" WHERE ID = ? AND PORT = ?", port, row.id, row.nonce)
	if database.IsDuplicate(err) {
		// The table has a unique key over host and port. The other process has ended, or uses the port, too. It keeps
		// its row, and this one keeps the random text.
		s.log.WarnContext(ctx, "the table of worker IDs takes no second row with this host and port, "+
			"whose row therefore keeps a random text for the port",
			"worker_id", row.id, "store", s.Name(), "port", port)
		return nil
	}
	return changedOne("the port", row.id, res, err)
}

// changedOne returns an error unless a statement has changed exactly the row with the ID.
func changedOne(what string, id int64, res sql.Result, err error) error {
	n, err := changed("write "+what, res, err)
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: writing %s changed %d rows with ID %d, not 1", worker.ErrUnconfirmed, what, n, id)
	}
	return err
}
