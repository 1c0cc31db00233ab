package measure

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	gofrs "github.com/gofrs/uuid/v5"
	"github.com/google/uuid"
	"github.com/jaevor/go-nanoid"
	"github.com/jmoiron/sqlx"
	"github.com/oklog/ulid/v2"
	"github.com/rs/xid"
	"github.com/segmentio/ksuid"

	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/worker"
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
	// next returns a function that returns the next key as an SQL literal and may be called by
	// any number of goroutines at once. The generator is the table's own.
	next func(*cached.Generator) func() (string, error)
}

const ascii = " CHARACTER SET ascii COLLATE ascii_bin"

// keyKinds stores each kind of key in the smallest type that holds it, as an InnoDB expert
// would, and two of them as text, too, as many people do.
var keyKinds = []keyKind{
	{"auto-increment", "BIGINT AUTO_INCREMENT", plain(func() (string, error) { return "NULL", nil })},
	{"uid", "BIGINT", func(g *cached.Generator) func() (string, error) {
		return func() (string, error) { u, err := g.GetUID(); return u.String(), err }
	}},
	{"uid-unordered", "BIGINT", func(g *cached.Generator) func() (string, error) {
		unordered := g.Unordered()
		return func() (string, error) { u, err := unordered.GetUID(); return u.String(), err }
	}},
	{"uuid-v4", "BINARY(16)", plain(func() (string, error) { u, err := uuid.NewRandom(); return binary(u[:]), err })},
	{"uuid-v4-text", "CHAR(36)" + ascii, plain(func() (string, error) {
		u, err := uuid.NewRandom()
		return "'" + u.String() + "'", err
	})},
	{"uuid-v7", "BINARY(16)", plain(func() (string, error) { u, err := gofrs.NewV7(); return binary(u[:]), err })},
	{"ulid", "BINARY(16)", plain(func() (string, error) { u := ulid.Make(); return binary(u[:]), nil })},
	{"xid", "BINARY(12)", plain(func() (string, error) { u := xid.New(); return binary(u[:]), nil })},
	{"ksuid", "BINARY(20)", plain(func() (string, error) { u, err := ksuid.NewRandom(); return binary(u[:]), err })},
	{"nanoid", "CHAR(21)" + ascii, func(*cached.Generator) func() (string, error) {
		next, err := nanoid.Standard(21)
		return func() (string, error) {
			if err != nil {
				return "", err
			}
			return "'" + next() + "'", nil
		}
	}},
}

// plain is for keys that need no generator.
func plain(next func() (string, error)) func(*cached.Generator) func() (string, error) {
	return func(*cached.Generator) func() (string, error) { return next }
}

func binary(b []byte) string { return fmt.Sprintf("X'%x'", b) }

// insert fills a table for each kind of key. The tables grow in turns, some rows in each
// round, so that all meet the server in the same state.
func insert(p Profile, db func() (*sqlx.DB, error)) (cells []cell) {
	for _, kind := range keyKinds {
		t := &table{name: "KEY_" + strings.ToUpper(strings.ReplaceAll(kind.name, "-", "_"))}
		rows := p.Rows / p.Rounds
		cells = append(cells, cell{
			name: "key=" + kind.name,
			measure: func(b *testing.B) (_ *hdrhistogram.Histogram, err error) {
				if t.db, err = db(); err != nil {
					return nil, err
				}
				if err := t.create(kind); err != nil {
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
	name string
	db   *sqlx.DB
	uids *cached.Generator // nil before the first round
	next func() (string, error)
	rows int
}

// create does nothing after the first round.
func (t *table) create(kind keyKind) (err error) {
	if t.uids != nil {
		return nil
	}
	for _, q := range []string{
		"SET GLOBAL innodb_monitor_enable = '" + pageSplitMetric + "'",
		"DROP TABLE IF EXISTS " + t.name,
		fmt.Sprintf("CREATE TABLE %s (ID %s NOT NULL PRIMARY KEY, PAYLOAD BINARY(%d) NOT NULL) ENGINE = InnoDB",
			t.name, kind.column, insertPayload),
	} {
		if _, err := t.db.Exec(q); err != nil {
			return err
		}
	}
	t.uids, err = cached.New(worker.Static(7),
		cached.Config{MaxLead: cached.Unbounded, Logger: slog.New(slog.DiscardHandler)})
	if err == nil {
		t.next = kind.next(t.uids)
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
		key, err := t.next()
		if err != nil {
			return err
		}
		if i > 0 {
			q.WriteByte(',')
		}
		fmt.Fprintf(&q, "(%s,'%s')", key, payload)
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
