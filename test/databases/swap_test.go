package databases_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A tripCounter counts the round trips over a connection: how often something is sent after
// something was received.
type tripCounter struct {
	net.Conn
	trips *atomic.Int64
	asked bool // the driver waits for an answer before it asks again
}

func (c *tripCounter) Write(b []byte) (int, error) {
	if !c.asked {
		c.trips.Add(1)
		c.asked = true
	}
	return c.Conn.Write(b)
}

func (c *tripCounter) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.asked = false
	}
	return n, err
}

// counted opens a pool of one connection, whose round trips are counted.
func counted(t testing.TB, s store) (*sqlx.DB, *atomic.Int64) {
	t.Helper()
	trips := new(atomic.Int64)
	return over(t, s, func(c net.Conn) net.Conn { return &tripCounter{Conn: c, trips: trips} }), trips
}

// over opens a pool of one connection, which is wrapped.
func over(t testing.TB, s store, wrap func(net.Conn) net.Conn) *sqlx.DB {
	t.Helper()
	dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		return wrap(c), err
	}
	var db *sql.DB
	if s.Driver == "pgx" {
		cfg := must(pgx.ParseConfig(s.Source))
		cfg.DialFunc = dial
		// The pool's look at a connection that was idle for long is none of the store's.
		never := func(context.Context, stdlib.ShouldPingParams) bool { return false }
		db = stdlib.OpenDB(*cfg, stdlib.OptionShouldPing(never))
	} else {
		cfg := must(mysql.ParseDSN(s.Source))
		cfg.DialFunc = dial
		db = sql.OpenDB(must(mysql.NewConnector(cfg)))
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return sqlx.NewDb(db, s.Driver)
}

// proxied opens a store of MySQL's through a proxy, which reads its statements with their parameters.
func proxied(t testing.TB, s store) (*harness.Proxy, *sqlx.DB) {
	t.Helper()
	p, through := s.Proxied(t)
	return p, through.With(t, func(c *mysql.Config) { c.InterpolateParams = true }).Open(t)
}

// eachCounted runs a test on each server that is asked for, in each way in which its driver sends a statement. takes
// requires that a call takes so many round trips.
func eachCounted(t *testing.T,
	test func(t *testing.T, admin, db *sqlx.DB, takes func(trips int64, what string, call func()))) {
	engines.Each(t, func(t *testing.T, s store, _ *sqlx.DB) {
		settings := map[string][]string{"mysql": {""}}[s.Driver]
		if s.Driver == "pgx" {
			for _, mode := range pgxModes {
				settings = append(settings, "&default_query_exec_mode="+mode)
			}
		}
		for _, setting := range settings {
			t.Run(setting, func(t *testing.T) {
				admin := s.Open(t)
				engines.Do(t, admin, "DROP TABLE IF EXISTS WORKER_LEASE", "DROP TABLE IF EXISTS leaf_alloc",
					"DROP TABLE IF EXISTS leaf_alloc_takers")
				db, trips := counted(t, store{Driver: s.Driver, Source: s.Source + setting})
				test(t, admin, db, func(want int64, what string, call func()) {
					t.Helper()
					before := trips.Load()
					call()
					require.Equal(t, want, trips.Load()-before, what)
				})
			})
		}
	})
}

// An acquisition and a renewal are two round trips each, however the driver sends a statement.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	eachCounted(t, func(t *testing.T, admin, db *sqlx.DB, takes func(int64, string, func())) {
		owner := tenantOf(t, db)
		take := func() { owner.take(t) }
		take() // whatever is sent but once has been sent
		engines.Do(t, admin, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
		takes(2, "an acquisition of a new ID", take)
		takes(2, "a renewal", func() { require.NoError(t, owner.renew(t.Context())) })
		engines.Do(t, admin, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0")
		takes(2, "an acquisition of an ID that is over", take)
		engines.Do(t, admin, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 9999999999999999 WHERE WORKER_ID >= 0")
		takes(2, "an acquisition that makes more rows", take)
		if db.DriverName() == "pgx" {
			engines.Do(t, admin, "UPDATE WORKER_LEASE SET HISTORY = '' WHERE WORKER_ID < 0")
			write := func(n *storage.Namespace, r *storage.Lease, now storage.Clock) error {
				n.History, r.High = now.History, r.High+1
				return nil
			}
			takes(5, "a renewal that finds another history", func() {
				require.NoError(t, owner.Change(t.Context(), owner.row.WorkerID, write))
			})
			return
		}
		tables := tablesOf(db, sqlstore.Config{})
		page := func() { must(tables.Registry().Rows(t.Context(), "default", -1, 100)) }
		takes(2, "the first page of an overview, which asks what the server is", page)
		takes(1, "another page", page)
	})
}

// A take of numbers is two round trips, and no connection is held.
func TestSegmentRoundTrips(t *testing.T) {
	t.Parallel()
	eachCounted(t, func(t *testing.T, admin, db *sqlx.DB, takes func(int64, string, func())) {
		segments := segmentsOf(db)
		draw(t, segments, "orders")
		engines.Do(t, admin, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('leaf', 1, 1)")
		first := map[string]map[string]int64{
			"mysql": {"orders": 2, "new": 7, "leaf": 4}, "pgx": {"orders": 2, "new": 5, "leaf": 5},
		}
		for tag, trips := range first[db.DriverName()] {
			takes(trips, "the first take of "+tag, func() { draw(t, segments, tag) })
			takes(2, "another one", func() { draw(t, segments, tag) })
		}
		takes(1, "a look", func() { looked(t, segments, "orders") })
		require.Zero(t, db.Stats().InUse, "none is held")
	})
}

// Who changes the namespace's row keeps others from an ID, new or not. They do not wait for the lock: they look again,
// and decide anew, even where a session reads without locks.
func TestWhoLosesDoesNotWait(t *testing.T) {
	t.Parallel()
	const over = "an ID that is over"
	for name, before := range map[string]string{
		"a new ID": "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0",
		over:       "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0",
	} {
		t.Run(name, func(t *testing.T) {
			s := engines.NewMySQL(t)
			admin := s.Open(t)
			ownerOf(t, admin)
			engines.Do(t, admin, before)
			isolation := map[string]string{transaction(t, s, "isolation"): "'READ-COMMITTED'"}
			owner := strangerOf(s.With(t, func(c *mysql.Config) { c.Params = isolation }).Open(t), "")
			tx := must(admin.Beginx())
			defer tx.Rollback()
			must(tx.Exec("UPDATE WORKER_LEASE SET HIGH = HIGH + 1 WHERE WORKER_ID = -1"))
			floors, taken := make(chan int64, 1000), make(chan error)
			go func() {
				taken <- owner.Take(t.Context(), wanted,
					func(n *storage.Namespace, r *storage.Lease, now storage.Clock) error {
						floors <- n.Floor
						owner.write(r, now)
						return nil
					})
			}()
			least := 2
			if name == over && !isMariaDB(t, s) {
				least = 1 // MySQL has no such statement
			}
			require.Eventually(t, func() bool { return len(floors) >= least }, 20*time.Second, time.Millisecond)
			require.NoError(t, tx.Commit())
			require.NoError(t, <-taken)
			first := <-floors
			for len(floors) > 1 {
				<-floors
			}
			require.Equal(t, first+1, <-floors)
		})
	}
}

// Who has lost keeps no connection until it looks again: others of its process wait for one.
func TestWhoLosesLeavesTheConnection(t *testing.T) {
	each(t, servers, func(t *testing.T, s store, db *sqlx.DB) {
		ownerOf(t, db)
		engines.Do(t, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0")
		one := s.Open(t)
		one.SetMaxOpenConns(1)
		owner := strangerOf(one, "")
		had, looks := make(chan error, 1), 0
		require.NoError(t, owner.Take(t.Context(), wanted,
			func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
				switch looks++; looks {
				case 1:
					engines.Do(t, db, "UPDATE WORKER_LEASE SET HIGH = HIGH + 1 WHERE WORKER_ID >= 0")
					waiting := one.Stats().WaitCount
					go func() {
						conn, err := one.Connx(t.Context())
						had <- err
						conn.Close()
					}()
					for one.Stats().WaitCount == waiting {
						runtime.Gosched()
					}
				case 2:
					require.Len(t, had, 1)
				}
				owner.write(r, now)
				return nil
			}))
		require.Equal(t, 2, looks)
		require.NoError(t, <-had)
	})
}

// A Take writes the namespace's row where servers replicate to each other: these refuse one of two writes, and no
// write because of what was read. On a MariaDB server of its own Takes share the row.
func TestNamespaceRowOnGalera(t *testing.T) {
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		if s.Driver != "mysql" {
			t.Skip("has no Galera")
		}
		owner := ownerOf(t, db)
		const nonce = "SELECT NONCE FROM WORKER_LEASE WHERE WORKER_ID = -1"
		before := one[string](t, db, nonce)
		owner.take(t)
		shared := isMariaDB(t, s) && len(s.Others) == 0
		require.Equal(t, shared, before == one[string](t, db, nonce))
	})
}

// A server that is read-only, as a replica is, may lack the newest rows: nothing is decided by
// them, even if the account may write to it. Nor does a session that is read-only decide.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		// readOnly has what is to be read written, and returns the database that may not be written.
		readOnly func(t *testing.T, used func(*sqlx.DB)) *sqlx.DB
		says     string
	}{
		"MariaDB": {func(t *testing.T, used func(*sqlx.DB)) *sqlx.DB {
			server := mariaDB(t)
			db := server.Open(t, server.NewDatabase(t))
			used(db)
			engines.Do(t, db, "SET GLOBAL read_only = 1")
			return db
		}, "MySQL Error 1290: the server is read-only"},
		"MariaDB 12": {func(t *testing.T, used func(*sqlx.DB)) *sqlx.DB { // which has names for it
			all := subject(t, engines.NewMySQL(t))
			_, f := all.open()
			db := sqlx.NewDb(sql.OpenDB(f), "mysql")
			t.Cleanup(func() { db.Close() })
			all.made.readOnly = "OFF"
			used(db)
			all.made.readOnly = "NO_LOCK"
			return db
		}, "MySQL Error 1290: the server is read-only"},
		"a standby of PostgreSQL": {func(t *testing.T, used func(*sqlx.DB)) *sqlx.DB {
			p := postgresPair(t)
			used(opening(t, "pgx", p.URL(p.Addr())))
			require.NoError(t, p.CatchUp())
			return opening(t, "pgx", p.URL(p.Standby()))
		}, "25006"},
		"a session of PostgreSQL": {func(t *testing.T, used func(*sqlx.DB)) *sqlx.DB {
			s := engines.NewPostgres(t)
			used(s.Open(t))
			return opening(t, "pgx", s.Source+"&default_transaction_read_only=on")
		}, "25006"},
	} {
		t.Run(name, func(t *testing.T) {
			db := c.readOnly(t, func(db *sqlx.DB) {
				owner := ownerOf(t, db)
				draw(t, owner.segments, "orders")
			})
			reader, decided := strangerOf(db, ""), errors.New("decided")
			for name, write := range reader.writes(t.Context()) {
				err := write(decided)
				require.ErrorContains(t, err, c.says, name)
				require.NotErrorIs(t, err, decided, name)
				require.False(t, retry.IsTransient(err), name)
			}
			_, err := examined(db).Rows(t.Context(), "default", -1, 10)
			require.NoError(t, err, "who only looks may look")
			rowsOf(t, reader.segments)
		})
	}
}

// writes are the calls that write. Each decides by what it returns.
func (n *tenant) writes(ctx context.Context) map[string]func(decided error) error {
	decide := func(decided error) func(*storage.Namespace, *storage.Lease, storage.Clock) error {
		return func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error { r.High++; return decided }
	}
	return map[string]func(error) error{
		"Change": func(decided error) error { return n.Change(ctx, 0, decide(decided)) },
		"Take":   func(decided error) error { return n.Take(ctx, wanted, decide(decided)) },
		"Init": func(decided error) error {
			return n.Init(ctx, func(n *storage.Namespace, _ storage.Clock) error { n.Floor++; return decided })
		},
		"segment": func(decided error) error {
			return n.segments.Change(ctx, "orders", func(r *storage.Segment) error { r.Next++; return decided })
		},
	}
}

// A sharingConn is one of two connections to a server, in turns, as of a proxy that shares them
// among its clients.
type sharingConn struct {
	*conn
	other *conn
}

func (c *sharingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.other.ExecContext(ctx, query, args)
}

func (c *sharingConn) Close() error { return errors.Join(c.conn.Close(), c.other.Close()) }

type sharing struct{ *faults }

func (s sharing) Connect(ctx context.Context) (driver.Conn, error) {
	a, err := s.faults.Connect(ctx)
	if err != nil {
		return nil, err
	}
	b, err := s.faults.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &sharingConn{a.(*conn), b.(*conn)}, nil
}

// Many that start at once over a slow network do not wait for each other: each that has lost an
// ID to another one chooses among more of them. One after another would take n round trips.
//
// It runs alone: a server that is busy with other tests is slower than this network.
func TestTakesOverASlowNetwork(t *testing.T) {
	const n, delay = 80, 80 * time.Millisecond
	for kind, most := range map[string]int64{"IDs without a row": n * n / 4, "IDs that are over": 12 * n} {
		t.Run(kind, func(t *testing.T) {
			s := engines.NewMySQL(t)
			admin := s.Open(t)
			tenantOf(t, admin)
			if kind == "IDs that are over" {
				for range n + n/3 {
					strangerOf(admin, "").take(t)
				}
				engines.Do(t, admin, "UPDATE WORKER_LEASE SET LEASE_UNTIL = WORKER_ID WHERE WORKER_ID >= 0")
			}
			p, through := s.Proxied(t)
			db, trips := counted(t, through)
			db.SetMaxOpenConns(n)
			db.SetMaxIdleConns(n)
			p.Delay(delay)
			taken := make(chan int64, n)
			began := time.Now()
			for range n {
				go func() {
					row, err := strangerOf(db, "").tryTake(t.Context())
					assert.NoError(t, err)
					taken <- row.WorkerID
				}()
			}
			ids := map[int64]bool{}
			for range n {
				ids[<-taken] = true
			}
			require.Len(t, ids, n)
			t.Logf("%d in %v, %.1f round trips each", n, time.Since(began), float64(trips.Load())/n)
			require.Less(t, trips.Load(), most, "round trips")
		})
	}
}

// A row that comes between the look and the write of new rows stays as it is, and so does a mark that is raised then:
// the IDs up to it are given.
func TestNewRowsReplaceNone(t *testing.T) {
	t.Parallel()
	for meanwhile, next := range map[string]int64{
		"INSERT INTO WORKER_LEASE VALUES ('default', 3, 'others', 77, 9999999999999999, 'x', 'h', 0, 0, '')": 4,
		"UPDATE WORKER_LEASE SET HOLDER = 'all worker IDs, given up to 40' WHERE WORKER_ID = -1":             41,
	} {
		db := engines.NewMySQL(t).Open(t) // a SQLite file is locked meanwhile
		owner := tenantOf(t, db)
		runs := 0
		var id int64
		take := func(_ *storage.Namespace, r *storage.Lease, now storage.Clock) error {
			if runs++; runs == 1 {
				engines.Do(t, db, meanwhile)
			}
			id = r.WorkerID
			owner.write(r, now)
			return nil
		}
		require.NoError(t, owner.Take(t.Context(), wanted, take))
		require.Equal(t, 2, runs)
		require.Equal(t, next, id, "above all")
		others := one[int](t, db, "SELECT COUNT(*) FROM WORKER_LEASE WHERE WORKER_ID = 3 AND HIGH <> 77")
		require.Zero(t, others)
		rows := one[int](t, db, "SELECT COUNT(*) FROM WORKER_LEASE WHERE WORKER_ID < 3")
		require.Equal(t, 1, rows, "the namespace's own: the first attempt left nothing")
	}
}
