package measure

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/uuid"
	"github.com/jaevor/go-nanoid"
	"github.com/jmoiron/sqlx"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/benchmarks/subject"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
)

const (
	insertWriters   = 4   // connections that insert at the same time
	insertBatch     = 500 // rows of one statement, which is a transaction
	insertPayload   = 100 // bytes of a row besides its key
	pageSplitMetric = "index_page_splits"
)

// A keyKind is a kind of primary key.
type keyKind struct {
	name   string
	column string // its SQL type
	label  string // as people read it
	// next returns the next key of a table: nil for the server's own, text, or bytes. Any number of
	// goroutines may call it at once.
	next func(*table) (any, error)
}

const ascii = " CHARACTER SET ascii COLLATE ascii_bin"

var nanoid21 = sync.OnceValues(func() (func() string, error) { return nanoid.Standard(21) })

// keyKinds stores each kind of key in the smallest type that holds it, as an InnoDB expert
// would, and two of them as text, too, as many people do.
var keyKinds = []keyKind{
	{"auto-increment", "BIGINT AUTO_INCREMENT", "AUTO_INCREMENT, BIGINT",
		func(*table) (any, error) { return nil, nil }},
	{"uid", "BIGINT", "uid, GetUID, BIGINT", func(t *table) (any, error) { return t.uids.GetUID() }},
	{"uid-unordered", "BIGINT", "uid, Unordered, BIGINT", func(t *table) (any, error) { return t.unordered.GetUID() }},
	{"uuid-v4", "BINARY(16)", "UUID v4, BINARY(16)", func(*table) (any, error) { return bytesOf(uuid.NewRandom()) }},
	{"uuid-v4-text", "CHAR(36)" + ascii, "UUID v4, CHAR(36)", func(*table) (any, error) {
		u, err := uuid.NewRandom()
		return u.String(), err
	}},
	{"uuid-v7", "BINARY(16)", "UUID v7, BINARY(16)", func(*table) (any, error) { return bytesOf(gofrs.NewV7()) }},
	{"ulid", "BINARY(16)", "ULID, BINARY(16)", func(*table) (any, error) { return bytesOf(ulid.Make(), nil) }},
	{"xid", "BINARY(12)", "xid, BINARY(12)", func(*table) (any, error) { return xid.New().Bytes(), nil }},
	{"ksuid", "BINARY(20)", "KSUID, BINARY(20)", func(*table) (any, error) {
		u, err := ksuid.NewRandom()
		return u.Bytes(), err
	}},
	{"nanoid", "CHAR(21)" + ascii, "nanoid, CHAR(21)", func(*table) (any, error) {
		next, err := nanoid21()
		if err != nil {
			return nil, err
		}
		return next(), nil
	}},
}

func bytesOf[T ~[16]byte](id T, err error) (any, error) { return id[:], err }

// KeyLabel returns a kind of key as people read it.
func KeyLabel(name string) string {
	for _, k := range keyKinds {
		if k.name == name {
			return k.label
		}
	}
	return name
}

// literal returns a key as SQL has it.
func literal(key any) string {
	switch key := key.(type) {
	case nil:
		return "NULL"
	case uid.UID:
		return key.String()
	case string:
		return "'" + key + "'"
	}
	return fmt.Sprintf("X'%x'", key)
}

// insert fills a table for each kind of key. The tables grow in turns, some rows in each
// round, so that all meet the server in the same state.
func insert(p Profile, db func() (*sqlx.DB, error)) (cells []cell) {
	for _, kind := range keyKinds {
		t := &table{name: "KEY_" + strings.ToUpper(strings.ReplaceAll(kind.name, "-", "_")), kind: kind}
		rows := p.Rows / p.Rounds
		cells = append(cells, cell{
			name: "key=" + kind.name,
			measure: func(b *testing.B) (_ *histogram, err error) {
				if t.db, err = db(); err != nil {
					return nil, err
				}
				if err := t.create(); err != nil {
					return nil, err
				}
				before, beforeErr := t.pageSplits()
				took, err := t.grow(rows)
				after, afterErr := t.pageSplits()
				size, sizeErr := t.size()
				b.ReportMetric(float64(rows)/took.Seconds(), "rows/s")
				b.ReportMetric(float64(after-before), "page-splits")
				b.ReportMetric(float64(t.rows), "rows")
				b.ReportMetric(float64(size), "table-bytes")
				return nil, errors.Join(err, beforeErr, afterErr, sizeErr)
			},
		})
	}
	return cells
}

type table struct {
	name      string
	kind      keyKind
	db        *sqlx.DB
	uids      *cached.Generator // nil before the first round
	unordered *cached.Unordered
	rows      int
}

// create does nothing after the first round.
func (t *table) create() (err error) {
	if t.uids != nil {
		return nil
	}
	for _, q := range []string{
		"SET GLOBAL innodb_monitor_enable = '" + pageSplitMetric + "'",
		"DROP TABLE IF EXISTS " + t.name,
		fmt.Sprintf("CREATE TABLE %s (ID %s NOT NULL PRIMARY KEY, PAYLOAD BINARY(%d) NOT NULL) ENGINE = InnoDB",
			t.name, t.kind.column, insertPayload),
	} {
		if _, err := t.db.Exec(q); err != nil {
			return err
		}
	}
	t.uids, err = subject.NewCached(bits.Layout{}, cached.Unbounded)
	if err == nil {
		t.unordered = t.uids.Unordered()
	}
	return err
}

// grow inserts rows, and returns how long it took.
func (t *table) grow(rows int) (time.Duration, error) {
	batches := make(chan int, rows/insertBatch+1)
	for left := rows; left > 0; left -= insertBatch {
		batches <- min(left, insertBatch)
	}
	close(batches)
	t.rows += rows
	return together(insertWriters, func(int, time.Time) error {
		for n := range batches {
			if err := t.insert(n); err != nil {
				return err
			}
		}
		return nil
	})
}

var payload = strings.Repeat("x", insertPayload)

func (t *table) insert(n int) error {
	var q strings.Builder
	q.WriteString("INSERT INTO " + t.name + " VALUES ")
	for i := range n {
		key, err := t.kind.next(t)
		if err != nil {
			return err
		}
		if i > 0 {
			q.WriteByte(',')
		}
		fmt.Fprintf(&q, "(%s,'%s')", literal(key), payload)
	}
	_, err := t.db.Exec(q.String())
	return err
}

// number returns the number that a query asks for.
func (t *table) number(query, about string) (n int64, err error) {
	err = t.db.Get(&n, query, about)
	return n, err
}

// pageSplits returns how many index pages the server has split so far.
func (t *table) pageSplits() (int64, error) {
	return t.number("SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = ?", pageSplitMetric)
}

// size returns the bytes of the table's pages.
func (t *table) size() (int64, error) {
	if _, err := t.db.Exec("ANALYZE TABLE " + t.name); err != nil {
		return 0, err
	}
	return t.number(
		"SELECT DATA_LENGTH FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = ?", t.name)
}
