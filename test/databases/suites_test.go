package databases_test

import (
	"cmp"
	"context"
	"database/sql/driver"
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/test/engines"
)

func init() { _ = mysql.SetLogger(&mysql.NopLogger{}) } // of the suites' clients, all of whose errors are returned

// full reports whether the tests run in their long form.
func full() bool { return os.Getenv("FULL") != "" }

func histories() int {
	if full() {
		return 60
	}
	return 8
}

// suites runs a test of the tables on each kind of database that is asked for, in each way in which its driver sends a
// statement. The tests of worker/sqlite do so on a file.
func suites(t *testing.T, test func(t *testing.T, fresh func(t *testing.T) store)) {
	t.Parallel()
	for kind, fresh := range engines.Kinds() {
		settings := []string{""}
		switch kind {
		case "SQLite":
			continue
		case "PostgreSQL":
			settings = []string{"", "&default_query_exec_mode=exec", "&default_query_exec_mode=simple_protocol"}
		}
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // they wait most of the time
			for _, setting := range settings {
				t.Run(cmp.Or(setting, "plain"), func(t *testing.T) {
					test(t, func(t *testing.T) store {
						s := fresh(t)
						s.Source += setting
						return s
					})
				})
			}
		})
	}
}

// The tables are a store as package lease wants one, on each kind of database.
func TestStore(t *testing.T) {
	suites(t, func(t *testing.T, fresh func(t *testing.T) store) {
		open := func(t *testing.T) storetest.Subject { return subject(t, fresh(t), false).Subject(t) }
		storetest.Run(t, storetest.Config{Histories: histories()}, open)
		storetest.RunRegistry(t, storetest.Config{}, open)
	})
}

// What a clock that stands shows, which the test turns.
func TestClockThatStands(t *testing.T) {
	t.Parallel()
	for kind, fresh := range engines.Kinds() {
		if kind == "MySQL" || kind == "PostgreSQL" {
			// A statement that is on its way has the time of before: what turns the clock waits for it.
			cfg := storetest.Config{Histories: histories(), Patience: 200 * time.Millisecond}
			storetest.Run(t, cfg, func(t *testing.T) storetest.Subject { return subject(t, fresh(t), true).Subject(t) })
		}
	}
}

// The tables of segments are a store as package segment wants one, on each kind of database.
func TestSegments(t *testing.T) {
	suites(t, func(t *testing.T, fresh func(t *testing.T) store) {
		segmenttest.Run(t, segmenttest.Config{Histories: histories()}, func(t *testing.T) segmenttest.Subject {
			return subject(t, fresh(t), false).Segments(t)
		})
	})
}

// Java services with Leaf and Go services take numbers from one table.
func TestSegmentsBesideLeaf(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		engines.Do(t, db, leafTable(s))
		rounds := 170
		if s.Driver == "sqlite" {
			rounds = 30 // which has no queue for its lock
		} else if full() {
			rounds = 1000
		}
		subject(t, s, false).BesideLeaf(t, rounds)
	})
}

// subject is a database each of whose clients has a pool of its own, on the nodes of a cluster in turns. The
// administrator sees what all have committed, and sends parameters as Leaf's driver does.
func subject(t *testing.T, s store, stands bool) faultyDatabase {
	as := s
	if s.Driver == "mysql" {
		as = s.With(t, func(c *mysql.Config) {
			c.InterpolateParams = true
			if len(s.Others) > 0 {
				c.Params = map[string]string{"wsrep_sync_wait": "15"}
			}
		})
	}
	admin := as.Open(t)
	nodes, next := append([]string{s.Source}, s.Others...), new(atomic.Int64)
	connect := func() driver.Connector {
		return must(admin.Driver().(driver.DriverContext).OpenConnector(nodes[int(next.Add(1))%len(nodes)]))
	}
	if s.Driver == "sqlite" {
		connect = func() driver.Connector {
			source := "file:" + s.Source + "?_synchronous=EXTRA&_txlock=immediate&_busy_timeout=10000"
			return fileConnector{admin.Driver(), source}
		}
	}
	return faultyDatabase{Driver: s.Driver, Connect: connect, Admin: admin, Stands: stands}
}

type fileConnector struct {
	driver driver.Driver
	source string
}

func (c fileConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.source) }
func (c fileConnector) Driver() driver.Driver                        { return c.driver }
