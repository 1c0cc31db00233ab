package databases_test

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
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
			settings = []string{
				"", "&default_query_exec_mode=exec&default_transaction_isolation=serializable",
				"&default_query_exec_mode=simple_protocol&default_transaction_isolation=repeatable%20read",
			}
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
		open := func(t *testing.T) storetest.Subject { return subject(t, fresh(t)).leases() }
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
			storetest.Run(t, cfg, func(t *testing.T) storetest.Subject {
				d := subject(t, fresh(t))
				d.made.clock.Store(time.Now().UnixMicro())
				out := d.leases()
				out.Advance = func(by time.Duration) { d.made.clock.Add(by.Microseconds()) }
				return out
			})
		}
	}
}

// The tables of segments are a store as package segment wants one, on each kind of database.
func TestSegments(t *testing.T) {
	suites(t, func(t *testing.T, fresh func(t *testing.T) store) {
		segmenttest.Run(t, segmenttest.Config{Histories: histories()}, func(t *testing.T) segmenttest.Subject {
			return subject(t, fresh(t)).segments()
		})
	})
}

// Java services with Leaf and Go services take numbers from one table.
func TestSegmentsBesideLeaf(t *testing.T) {
	each(t, anywhere, func(t *testing.T, s store, db *sqlx.DB) {
		engines.Do(t, db, leafTable(s))
		rounds := 170
		if s.Driver == "sqlite" {
			rounds = 30 // which has no queue for its lock
		} else if full() {
			rounds = 1000
		}
		subject(t, s).besideLeaf(t, rounds)
	})
}

// subject is a database each of whose clients has a pool of its own, on the nodes of a cluster in turns. The
// administrator sees what all have committed, and sends parameters as Leaf's driver does.
func subject(t *testing.T, s store) *faultyDatabase {
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
	return &faultyDatabase{t: t, driver: s.Driver, connect: connect, admin: admin}
}

type fileConnector struct {
	driver driver.Driver
	source string
}

func (c fileConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.source) }
func (c fileConnector) Driver() driver.Driver                        { return c.driver }

// A faultyDatabase is a subject of packages storetest and segmenttest, in which the test may do as it likes: with
// clients whose writes and replies are lost or late, a clock to set, and a failover to an older state.
type faultyDatabase struct {
	t       *testing.T
	driver  string                  // its driver's name: mysql, pgx or sqlite
	connect func() driver.Connector // for the pool of one more client
	admin   *sqlx.DB                // sees what all clients have written
	made    pretence
	faults  sync.Map // of stores to *faults

	mu   sync.Mutex
	late []func() // writes that are on their way
}

// leases returns the database's table of leases, each of whose clients has a pool of its own.
func (d *faultyDatabase) leases() storetest.Subject {
	out := storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			tables, f := d.open()
			l, err := tables.Leases(namespace)
			d.faults.Store(l, f)
			return l, err
		},
		Registry: func() (registry.Store, error) {
			tables, _ := d.open()
			return tables.Registry(), nil
		},
		Fault: func(client lease.Store, fault storetest.Fault) bool { return d.fault(client, fault) },
		RemoveNamespace: func(namespace string) error {
			return d.do("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = -1", namespace)
		},
		RemoveRow: func(namespace string, id int64) error {
			return d.do("DELETE FROM WORKER_LEASE WHERE NAMESPACE = ? AND WORKER_ID = ?", namespace, id)
		},
		SetGiven: func(namespace string, given int64) error {
			holder := ""
			if given >= 0 {
				holder = fmt.Sprintf("all worker IDs, given up to %d", given)
			}
			return d.do("UPDATE WORKER_LEASE SET HOLDER = ? WHERE NAMESPACE = ? AND WORKER_ID = -1", holder, namespace)
		},
		Deliver: d.deliver,
		Secret:  canary,
	}
	out.Backup = func() func() {
		restore := d.backup("WORKER_LEASE", leaseColumns)
		return func() {
			d.made.server.Add(1)
			restore()
		}
	}
	return out
}

// backup returns a function that puts a table back to what it is now.
func (d *faultyDatabase) backup(table, columns string) (restore func()) {
	d.t.Helper()
	rows := allRows(d.t, d.admin, "SELECT "+columns+" FROM "+table)
	return func() {
		require.NoError(d.t, d.do("DELETE FROM "+table))
		for _, row := range rows {
			values := "?" + strings.Repeat(", ?", len(row)-1)
			require.NoError(d.t, d.do("INSERT INTO "+table+" ("+columns+") VALUES ("+values+")", row...))
		}
	}
}

// do executes a statement, as insist does.
func (d *faultyDatabase) do(statement string, args ...any) error {
	return insist(func() error {
		_, err := d.admin.Exec(d.admin.Rebind(statement), args...)
		return err
	})
}

// insist does something more than once, if need be: a database may refuse it because of others, as when two nodes of a
// cluster have written.
func insist(do func() error) (err error) {
	for range 5000 {
		if err = do(); err == nil {
			break
		}
	}
	return err
}

// open opens the pool of one more client.
func (d *faultyDatabase) open() (*sqlstore.DB, *faults) {
	f := &faults{Connector: d.connect(), pretence: &d.made, late: func(write func()) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.late = append(d.late, write)
	}}
	db := sqlx.NewDb(sql.OpenDB(f), d.driver)
	d.t.Cleanup(func() { db.Close() })
	return tablesOf(db, sqlstore.Config{}), f
}

// fault sets the next fault of a client's store.
func (d *faultyDatabase) fault(store any, fault storetest.Fault) bool {
	f, _ := d.faults.Load(store)
	f.(*faults).next.Store(int64(fault))
	return true
}

// deliver lets the writes arrive that are on their way.
func (d *faultyDatabase) deliver() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, write := range d.late {
		write()
	}
	d.late = nil
}

// segments returns the database's table of segments, each of whose clients has a pool of its own.
// The programs that know nothing of takers are Leaf.
func (d *faultyDatabase) segments() segmenttest.Subject {
	out := segmenttest.Subject{
		Open: func() (segment.Store, error) {
			tables, f := d.open()
			s := tables.Segments()
			d.faults.Store(s, f)
			return s, nil
		},
		Fault:   func(client segment.Store, fault segmenttest.Fault) bool { return d.fault(client, fault) },
		Deliver: d.deliver,
		Foreign: func(tag string, n int64) (first int64, err error) {
			r, err := d.mapper(tag, n)
			return r.First, err
		},
		Lower: func(tag string, next int64) error {
			if next < 0 {
				return d.do("DELETE FROM leaf_alloc WHERE biz_tag = ?", tag)
			}
			return d.do("UPDATE leaf_alloc SET max_id = ? WHERE biz_tag = ?", next, tag)
		},
		Secret: canary,
	}
	out.Backup = func() func() {
		segments := d.backup("leaf_alloc", "biz_tag, max_id, step, description, update_time")
		takers := d.backup("leaf_alloc_takers", "biz_tag, nonce, takers")
		return func() {
			d.made.server.Add(1)
			segments()
			takers()
		}
	}
	return out
}
