package databases_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A counter counts the statements that a database is sent, and what it is asked to prepare.
type counter struct {
	driver.Connector
	sent, prepared atomic.Int64
}

// counted opens a store whose statements are counted.
func counted(t testing.TB, s store) (*sqlx.DB, *counter) {
	t.Helper()
	cfg, err := mysql.ParseDSN(s.Source)
	require.NoError(t, err)
	connector, err := mysql.NewConnector(cfg)
	require.NoError(t, err)
	c := &counter{Connector: connector}
	db := sqlx.NewDb(sql.OpenDB(c), s.Driver)
	t.Cleanup(func() { db.Close() })
	return db, c
}

func (c *counter) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	return &countingConn{conn, c}, err
}

type countingConn struct {
	driver.Conn
	*counter
}

func (c *countingConn) Driver() driver.Driver { return c.Connector.Driver() }

func (c *countingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.sent.Add(1)
	c.prepared.Add(1)
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c *countingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.sent.Add(1)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c *countingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.sent.Add(1)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

// An acquisition and a renewal are two round trips each.
func TestRoundTrips(t *testing.T) {
	t.Parallel()
	s := kit.NewMySQL(t)
	db, c := counted(t, s)
	owner := tenantOf(t, db)
	takes := func(trips int64, what string, call func() error) {
		t.Helper()
		before := c.sent.Load()
		require.NoError(t, call(), what)
		require.Equal(t, trips, c.sent.Load()-before, what)
	}
	take := func() error { _, err := owner.tryTake(t.Context()); return err }
	takes(2, "an acquisition of a new ID", take)
	takes(2, "a renewal", func() error { return owner.renew(t.Context()) })
	kit.Do(t, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0")
	takes(2, "an acquisition of an ID that is over", take)
	kit.Do(t, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 9999999999999999 WHERE WORKER_ID >= 0")
	takes(2, "an acquisition that makes more rows", take)
	tables := tablesOf(t, db, sqlstore.Config{})
	page := func() error { _, err := tables.Rows(t.Context(), "default", -1, 100); return err }
	takes(2, "the first page of an overview, which asks what the server is", page)
	takes(1, "another page", page)
	draw(t, owner.segments, "orders")
	require.Zero(t, c.prepared.Load(), "in transactions, too")
}

// A server that is read-only, as a replica is, may lack the newest rows: nothing is decided by
// them, even if the account may write to it.
func TestReadOnlyServer(t *testing.T) {
	t.Parallel()
	server := cluster.NewMariaDB(t)
	db := server.Open(t, server.NewDatabase(t))
	owner := tenantOf(t, db)
	owner.take(t)
	segments := segmentsOf(t, db)
	draw(t, segments, "orders")
	kit.Do(t, db, "SET GLOBAL read_only = 1")
	decided := errors.New("decided")
	for _, err := range []error{
		owner.Change(t.Context(), 0, func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error { return decided }),
		owner.Take(t.Context(), wanted, func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error { return decided }),
		owner.Init(t.Context(), func(*leasestore.Namespace, leasestore.Clock) error { return decided }),
		segments.Change(t.Context(), "orders", func(*segmentstore.Row) error { return decided }),
	} {
		require.ErrorContains(t, err, "MySQL Error 1290: the server is read-only")
		require.NotErrorIs(t, err, decided)
		require.False(t, retry.IsTransient(err))
	}
	_, err := tablesOf(t, db, sqlstore.Config{}).Rows(t.Context(), "default", -1, 10)
	require.NoError(t, err, "who only looks may look")
	_, err = segments.Rows(t.Context(), "", 10)
	require.NoError(t, err, "who only looks may look")
	kit.Do(t, db, "SET GLOBAL read_only = 0")
	require.NoError(t, owner.renew(t.Context()))
	draw(t, segments, "orders")
}

// A sharingConn is one of two connections to a server, in turns, as of a proxy that shares them
// among its clients.
type sharingConn struct {
	*countingConn
	other *countingConn
}

func (c *sharingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return c.other.ExecContext(ctx, query, args)
}

func (c *sharingConn) Close() error { return errors.Join(c.countingConn.Close(), c.other.Close()) }

type sharing struct{ *counter }

func (s sharing) Connect(ctx context.Context) (driver.Conn, error) {
	a, err := s.counter.Connect(ctx)
	if err != nil {
		return nil, err
	}
	b, err := s.counter.Connect(ctx)
	return &sharingConn{a.(*countingConn), b.(*countingConn)}, err
}

// Many that start at once over a slow network do not wait for each other: each that has lost an
// ID to another one chooses among more of them. One after another would take n round trips.
//
// It runs alone: a server that is busy with other tests is slower than this network.
func TestTakesOverASlowNetwork(t *testing.T) {
	const n, delay = 80, 80 * time.Millisecond
	for _, kind := range []string{"IDs without a row", "IDs that are over"} {
		t.Run(kind, func(t *testing.T) {
			s := kit.NewMySQL(t)
			admin := s.Open(t)
			tenantOf(t, admin)
			if kind == "IDs that are over" {
				for range n + n/3 {
					strangerOf(t, admin, "").take(t)
				}
				kit.Do(t, admin, "UPDATE WORKER_LEASE SET LEASE_UNTIL = WORKER_ID WHERE WORKER_ID >= 0")
			}
			p := kit.NewProxy(t, serverOf(t, s))
			db, c := counted(t, s.With(t, func(c *mysql.Config) { c.Addr = p.Addr() }))
			db.SetMaxOpenConns(n)
			db.SetMaxIdleConns(n)
			p.Delay(delay)
			taken := make(chan int64, n)
			began := time.Now()
			for range n {
				go func() {
					row, err := strangerOf(t, db, "").tryTake(t.Context())
					assert.NoError(t, err)
					taken <- row.WorkerID
				}()
			}
			ids := map[int64]bool{}
			for range n {
				ids[<-taken] = true
			}
			require.Len(t, ids, n)
			t.Logf("%d in %v, %.1f statements each", n, time.Since(began), float64(c.sent.Load())/n)
			require.Less(t, c.sent.Load(), int64(n*n/4), "statements")
		})
	}
}

// A row that comes between the look and the write of new rows stays as it is.
func TestNewRowsReplaceNone(t *testing.T) {
	t.Parallel()
	db := kit.NewMySQL(t).Open(t) // a SQLite file is locked meanwhile
	owner := tenantOf(t, db)
	runs := 0
	var id int64
	require.NoError(t, owner.Take(t.Context(), wanted, func(_ *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
		if runs++; runs == 1 {
			kit.Do(t, db,
				"INSERT INTO WORKER_LEASE VALUES ('default', 3, 'others', 77, 9999999999999999, 'x', 'h', 0, 0, '')")
		}
		id = r.WorkerID
		owner.write(r, now)
		return nil
	}))
	require.Equal(t, 2, runs)
	require.EqualValues(t, 4, id, "above all rows")
	require.EqualValues(t, 77, rowIn(t, db, 3).High)
	var rows int
	require.NoError(t, db.Get(&rows, "SELECT COUNT(*) FROM WORKER_LEASE WHERE WORKER_ID < 3"))
	require.Equal(t, 1, rows, "the namespace's own: the first attempt left nothing")
}
