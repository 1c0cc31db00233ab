package sqlstore

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"

	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
)

// A server that has lost its newest commits gives out the same IDs again. So rows of the table, the marks, name the
// server's history (see database.Origin). A start that finds another history than that of the newest mark skips as many
// IDs as may have been lost, and inserts a new mark.
//
// The number of skipped IDs is random. Two servers that continue from the same rows, one after the other, see the same
// newest mark: with a fixed number the second server would give out the ID that the first one gave out and lost. The
// range is as wide as mostSkip allows, and no wider, since each restart of a server costs that many IDs.

// typeMark is the TYPE of a mark. Its HOST_NAME is a digest of a history, and its PORT a random text.
const typeMark = 5

// The default skip covers the starts that one failover may lose: only a large fleet starts 255 processes within a
// replica's lag. At most four times as many IDs are skipped, 637 on average: the 4,194,303 IDs of the default layout
// last for 6,500 restarts of a server, one a day for 18 years. Small layouts skip less.
const (
	defaultSkip = 255
	skipShare   = 4096 // the default skip is the layout's IDs divided by it, at least 1
	mostSkip    = 4    // times the skip
)

// markEvery is how many rows may follow a mark before a start inserts the next one, so that a mark is found by reading
// few rows.
const markEvery = 500

// errYoung is returned while the history is not known.
var errYoung = retry.Transient(errors.New("the database server was started within the last two seconds"))

var errMarked = retry.Transient(errors.New("another start has inserted a mark meanwhile"))

// A mark is the table's newest one, as it was read with the history.
type mark struct {
	id         int64
	host, port string
	last       int64 // the newest row's ID
	unsure     bool  // a single statement may not be enough; see oneStatement
	began      int64 // the transaction, if there is one; see oneStatement
	by         database.Origin
}

// skipOf returns how many IDs a start with another history skips at least.
func (s *numberTable) skipOf(most int64) int64 {
	if s.skip == 0 {
		return min(max(most/skipShare, 1), defaultSkip)
	}
	return s.skip
}

// hostOf returns HOST_NAME of a history's marks.
func hostOf(history string) string {
	return fmt.Sprintf("history %.20x", sha256.Sum256([]byte(history)))
}

// insertKnown inserts a row as insertAbove does, without a transaction, if the newest mark has the server's history and
// is near: the statement does nothing with another history. Else the row has a nil by.
func (s *numberTable) insertKnown(ctx context.Context, conn *sqlx.Conn, h string,
	kind, most int64) (row insertedRow, err error) {
	if s.dialect == database.SQLite || s.skipOf(most) < 1 {
		return row, nil
	}
	history, m, err := s.newestMark(ctx, conn, nil)
	if err != nil || history == "" || m.host != hostOf(history) || m.last-m.id >= markEvery || m.last >= most ||
		m.unsure || !m.by.Autocommits() {
		return row, err
	}
	row.nonce, row.by = rand.Text(), &m.by
	p := concat(sqlOf("SELECT "), listed(h, row.nonce, kind), sqlOf(", "+dates+" FROM (SELECT 1 AS ONE) o WHERE "),
		s.here(s.nodes, &m.by))
	if s.dialect == database.Postgres {
		p = concat(p, sqlOf(" AND "+oneStatement[s.dialect].began+" <> ?", m.began))
	}
	row.id, err = s.insertWhere(ctx, conn, p.text, p.args...)
	if err == nil {
		err = within(row.id, most)
	}
	if errors.Is(err, errElsewhere) {
		return insertedRow{}, nil
	}
	return row, err
}

// insertAbove inserts a row whose PORT is a nonce, with an ID above all that lost commits can have given out.
func (s *numberTable) insertAbove(ctx context.Context, tx session, place *database.FilePlace, h string,
	kind, most int64) (id int64, nonce string, err error) {
	skip := s.skipOf(most)
	nonce = rand.Text()
	id, err = s.insertRow(ctx, tx, h, nonce, kind)
	if err != nil || skip < 1 || id < 1 || id > most {
		return id, nonce, err
	}
	// It inserts the row first, so that a file is locked before it is read.
	history, newest, err := s.newestMark(ctx, tx, place)
	if err != nil || history == "" {
		return id, nonce, err
	}
	host := hostOf(history)
	switch {
	case newest.id == 0, newest.host == host && newest.id < id-markEvery:
		_, err := s.insertRow(ctx, tx, host, rand.Text(), typeMark)
		return id, nonce, err
	case newest.host == host && newest.id < id:
		return id, nonce, nil
	case newest.host != host:
		if known, err := s.known(ctx, tx, history, host); known || err != nil {
			return id, nonce, err
		}
		if skip >= (most-id)/mostSkip {
			return 0, "", fmt.Errorf("%w: the database has another history than before and may have lost IDs above "+
				"%d: up to %d times %d have to be skipped (Skip of sqlstore.Config), and the layout's maximum is %d",
				uid.ErrNoWorkerID, id, mostSkip, skip, most)
		}
		skip += mathrand.Int64N((mostSkip-1)*skip + 1)
		if newest.id, err = s.follow(ctx, tx, newest, id+skip, skip, host); err != nil {
			return 0, "", err
		}
	}
	nonce, above := rand.Text(), newest.id
	if id, err = s.insertRow(ctx, tx, h, nonce, kind); err == nil && id <= above {
		err = fmt.Errorf("%w: the database reported ID %d for a row inserted after ID %d",
			worker.ErrUnconfirmed, id, above)
	}
	return id, nonce, err
}

// oneStatement has conditions under which a single statement is not enough: replicas would evaluate it by their own
// state, or the program may have left a transaction open. MySQL, unlike MariaDB, does not tell the latter. On
// PostgreSQL all statements of a transaction have the same time at which it began.
var oneStatement = map[database.Dialect]struct{ unsure, began string }{
	database.MySQL:    {"/*M! @@binlog_format = 'STATEMENT' AND */ 1 = 1", "0"},
	database.Postgres: {"FALSE", "CAST(EXTRACT(EPOCH FROM NOW()) * 1000000 AS BIGINT)"},
	database.SQLite:   {"1 = 1", "0"},
}

// newestMark returns the table's history, which is empty if the database does not tell it, and the newest mark.
func (s *numberTable) newestMark(ctx context.Context, tx session,
	place *database.FilePlace) (history string, m mark, err error) {
	marks := " FROM `" + s.nodes + "` WHERE TYPE = 5 ORDER BY ID DESC LIMIT 1), "
	query := s.dialect.SQL("SELECT " + s.dialect.OriginColumns(s.nodes) + ", COALESCE((SELECT ID" + marks + "0), " +
		"COALESCE((SELECT HOST_NAME" + marks + "''), COALESCE((SELECT PORT" + marks + "''), " +
		"COALESCE((SELECT MAX(ID) FROM `" + s.nodes + "`), 0), " +
		oneStatement[s.dialect].unsure + ", " + oneStatement[s.dialect].began)
	for again := true; again; {
		all, err := database.SelectRows(ctx, tx, func(*struct{}) []any {
			return append(m.by.Fields(), &m.id, &m.host, &m.port, &m.last, &m.unsure, &m.began)
		}, query)
		if err != nil || len(all) != 1 {
			return "", m, database.Failed("read the newest mark", cmp.Or(err, sql.ErrNoRows))
		}
		if again, err = m.by.SetUp(ctx, tx, s.dialect); err != nil {
			return "", m, err
		}
	}
	o := &m.by
	if o.JustStarted() {
		return "", m, errYoung
	}
	if s.dialect == database.SQLite {
		history, err = place.History(ctx, tx)
		return history, m, err
	}
	return o.History(), m, nil
}

// known reports whether a mark of the history exists, if it is that of a node of a cluster, which loses nothing while a
// node is up.
func (s *numberTable) known(ctx context.Context, tx session, history, host string) (known bool, err error) {
	if !strings.Contains(history, ", cluster ") {
		return false, nil
	}
	err = sqlx.GetContext(ctx, tx, &known, s.dialect.SQL("SELECT COUNT(*) > 0 FROM `"+s.nodes+
		"` WHERE TYPE = 5 AND HOST_NAME = ?"), host)
	return known, database.Failed("look for a mark of the node", err)
}

// follow inserts a mark after the last one, with an ID that skips so many, and returns the ID. Only one start succeeds;
// others that have read the same last mark have to read again. It needs the same rights as a start with a port.
func (s *numberTable) follow(ctx context.Context, tx session, last mark, id, skip int64,
	host string) (int64, error) {
	const columns = "HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED) "
	const now = "CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP"
	do := func(statement string, args ...any) (changed int64, err error) {
		res, err := s.exec(ctx, tx, strings.ReplaceAll(statement, "{nodes}", "`"+s.nodes+"`"), args...)
		if err != nil {
			return 0, err
		}
		return res.RowsAffected()
	}
	n, err := do("UPDATE {nodes} SET PORT = ? WHERE ID = ? AND PORT = ?", rand.Text(), last.id, last.port)
	if err == nil && n != 1 {
		return 0, errMarked
	}
	switch {
	case err != nil:
	case s.dialect != database.Postgres:
		_, err = do("INSERT INTO {nodes} (ID, "+columns+"VALUES (?, ?, ?, ?, "+now+")",
			id, host, rand.Text(), int64(typeMark))
	default:
		// Only the sequence gives IDs. It rises with each row, and does not fall when the rows are rolled back.
		for _, statement := range []string{
			"SAVEPOINT uid",
			fmt.Sprint("INSERT INTO {nodes} ("+columns+"SELECT '', '', 0, "+now+" FROM GENERATE_SERIES(1, ", skip, ")"),
			"ROLLBACK TO SAVEPOINT uid",
		} {
			if _, err = do(statement); err != nil {
				break
			}
		}
		if err == nil {
			return s.insertRow(ctx, tx, host, rand.Text(), typeMark)
		}
	}
	if database.IsDuplicate(err) { // of a start that ignores marks
		return 0, errMarked
	}
	return id, database.Failed("insert a mark and skip IDs", err)
}
