package sqlstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/lease"
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
func counted(t *testing.T, source string) (*sqlx.DB, *atomic.Int64) {
	t.Helper()
	cfg, err := pgx.ParseConfig(source)
	require.NoError(t, err)
	trips := new(atomic.Int64)
	cfg.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		return &tripCounter{Conn: c, trips: trips}, err
	}
	// The pool's look at a connection that was idle for long is none of the store's.
	never := stdlib.OptionShouldPing(func(context.Context, stdlib.ShouldPingParams) bool { return false })
	db := sqlx.NewDb(stdlib.OpenDB(*cfg, never), "pgx")
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db, trips
}

// An acquisition and a renewal are two round trips each, however the driver sends a statement.
func TestRoundTripsOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	admin := opening("pgx", source)(t)
	for _, mode := range []string{"exec", "simple_protocol", "cache_statement", "cache_describe", "describe_exec"} {
		t.Run(mode, func(t *testing.T) {
			kit.Do(t, admin, "DROP TABLE IF EXISTS WORKER_LEASE")
			db, trips := counted(t, source+"&default_query_exec_mode="+mode)
			l := leasesOf(t, db, "")
			require.NoError(t, found(t, l))
			takes := func(want int64, what string, call func() error) {
				t.Helper()
				before := trips.Load()
				require.NoError(t, call(), what)
				require.Equal(t, want, trips.Load()-before, what)
			}
			var row lease.Row
			acquire := func() (err error) { row, err = take(t.Context(), l); return err }
			extend := func() error { return renew(t.Context(), l, row.WorkerID, func(*lease.Row) {}) }
			_ = acquire() // whatever is sent but once has been sent
			kit.Do(t, admin, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
			takes(2, "an acquisition that makes new rows", acquire)
			takes(2, "a first renewal", extend)
			takes(2, "a renewal", extend)
			kit.Do(t, admin, "UPDATE WORKER_LEASE SET HISTORY = '' WHERE WORKER_ID < 0")
			takes(5, "a renewal that finds another history", func() error {
				return l.Change(t.Context(), row.WorkerID, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
					n.History, r.High = now.History, r.High+1
					return nil
				})
			})
			kit.Do(t, admin, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0")
			takes(2, "an acquisition of an ID that is over", acquire)
		})
	}
}

// A pooled is a client's connection to a pooler that keeps its clients when a server goes: each
// statement, or transaction, is carried out over a connection of its own.
type pooled struct {
	connect func() (driver.Conn, error)
	within  driver.Conn // of a transaction, or nil
}

func (p pooled) Connect(context.Context) (driver.Conn, error) { return &p, nil }
func (p pooled) Driver() driver.Driver                        { return stdlib.GetDefaultDriver() }
func (p *pooled) Begin() (driver.Tx, error)                   { return nil, errors.ErrUnsupported }
func (p *pooled) Prepare(string) (driver.Stmt, error)         { return nil, errors.ErrUnsupported }

func (p *pooled) Close() (err error) {
	if p.within != nil {
		err = p.within.Close()
	}
	p.within = nil
	return err
}

// conn returns a connection, which the caller gives back.
func (p *pooled) conn() (driver.Conn, error) {
	if c := p.within; c != nil {
		p.within = nil
		return c, nil
	}
	return p.connect()
}

// back keeps a connection within a transaction, and else closes it.
func (p *pooled) back(c driver.Conn) error {
	if c.(*stdlib.Conn).Conn().PgConn().TxStatus() != 'I' {
		p.within = c
		return nil
	}
	return c.Close()
}

func (p *pooled) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c, err := p.conn()
	if err != nil {
		return nil, err
	}
	res, err := c.(driver.ExecerContext).ExecContext(ctx, query, args)
	return res, errors.Join(err, p.back(c))
}

func (p *pooled) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c, err := p.conn()
	if err != nil {
		return nil, err
	}
	rows, err := c.(driver.QueryerContext).QueryContext(ctx, query, args)
	if err != nil {
		return nil, errors.Join(err, p.back(c))
	}
	return pooledRows{rows, func() error { return p.back(c) }}, nil
}

type pooledRows struct {
	driver.Rows
	back func() error
}

func (r pooledRows) Close() error { return errors.Join(r.Rows.Close(), r.back()) }

// behindAPooler opens a namespace at the server that source names at the time of a statement.
func behindAPooler(t *testing.T, source func() string) *sqlstore.Leases {
	t.Helper()
	db := sqlx.NewDb(sql.OpenDB(pooled{connect: func() (driver.Conn, error) { return stdlib.GetDefaultDriver().Open(source()) }}), "pgx")
	t.Cleanup(func() { db.Close() })
	return leasesOf(t, db, "")
}

// calls are the writes of a store. decide runs for each decision.
func calls(t *testing.T, l lease.Store) map[string]func(decide func() error) error {
	w := lease.Wanted{IDs: lease.Range{First: 1, Last: 1}, Highest: func(time.Time) int64 { return 1 << 40 }}
	return map[string]func(func() error) error{
		"Change": func(decide func() error) error {
			return l.Change(t.Context(), 0, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.High++; return decide() })
		},
		"Take": func(decide func() error) error {
			return l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.High++; return decide() })
		},
		"Init": func(decide func() error) error {
			return l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error { n.Floor++; return decide() })
		},
	}
}

// decidedElsewhere makes a call during whose first decision another server takes over. What was
// decided is not written to that one; the next call is as good as any.
func decidedElsewhere(t *testing.T, l lease.Store, name string, takeOver func() error) {
	t.Helper()
	stored := func() (all [2]lease.Row, n lease.Namespace) {
		for id := range all {
			err := l.Change(t.Context(), int64(id), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { all[id] = *r; return errSeen })
			require.ErrorIs(t, err, errSeen)
		}
		require.ErrorIs(t, l.Init(t.Context(), func(is *lease.Namespace, _ lease.Clock) error { n = *is; return errSeen }), errSeen)
		return all, n
	}
	rows, namespace := stored()
	var once sync.Once
	err := calls(t, l)[name](func() (err error) {
		once.Do(func() { err = takeOver() })
		return err
	})
	require.ErrorContains(t, err, "was carried out by another server", name)
	require.True(t, retry.IsTransient(err), name)
	rowsNow, namespaceNow := stored()
	require.Equal(t, rows, rowsNow, name)
	require.Equal(t, namespace, namespaceNow, name)
	require.NoError(t, calls(t, l)[name](func() error { return nil }), name)
}

var errSeen = errors.New("seen")

// What was decided before the server was started anew, behind a pooler, is not written after it.
func TestPostgresStartsAnew(t *testing.T) {
	s := postgres(t)
	l := behindAPooler(t, func() string { return s.URL(s.Addr(0)) })
	owned(t, l)
	for name := range calls(t, l) {
		decidedElsewhere(t, l, name, func() error { return errors.Join(s.Stop(), s.Restart()) })
	}
}

// owned founds a namespace in which worker ID 0 has an owner, and 1 has none any more.
func owned(t *testing.T, l lease.Store) {
	t.Helper()
	require.NoError(t, found(t, l))
	for range 2 {
		_, err := take(t.Context(), l)
		require.NoError(t, err)
	}
	require.NoError(t, renew(t.Context(), l, 1, func(r *lease.Row) { r.Until = time.Unix(0, 0) }))
}

// What was decided before a failover is not written to the standby, which lacks the newest commits.
func TestPostgresFailsOver(t *testing.T) {
	p, err := cluster.StartPostgresPair("postgres")
	cluster.For(t, p, err)
	l := behindAPooler(t, func() string { return p.URL(p.Addr()) })
	owned(t, l)
	require.NoError(t, p.CatchUp())
	decidedElsewhere(t, l, "Change", func() error {
		p.Lag(true)
		return errors.Join(renew(t.Context(), l, 1, func(*lease.Row) {}), p.Failover())
	})
}

// A standby may lack the newest rows: nothing is decided by what it has, and what was decided at
// the primary is not written to it. Nor does a session that is read-only decide.
func TestPostgresStandby(t *testing.T) {
	p, err := cluster.StartPostgresPair("postgres")
	cluster.For(t, p, err)
	standby := p.URL(p.Standby())
	l := behindAPooler(t, func() string { return p.URL(p.Addr()) })
	owned(t, l)
	require.NoError(t, p.CatchUp())
	refused := func(err error, what string) {
		t.Helper()
		require.ErrorContains(t, err, "25006", what)
		require.False(t, retry.IsTransient(err), what)
	}
	decided := errors.New("decided")
	for where, source := range map[string]string{"standby": standby, "session": p.URL(p.Addr()) + "&default_transaction_read_only=on"} {
		db := opening("pgx", source)(t)
		for name, call := range calls(t, leasesOf(t, db, "")) {
			err := call(func() error { return decided })
			require.NotErrorIs(t, err, decided, where+": "+name)
			refused(err, where+": "+name)
		}
		tables, err := sqlstore.New(db, sqlstore.Config{})
		require.NoError(t, err)
		_, err = tables.Rows(t.Context(), "default", -1, 10)
		require.NoError(t, err, "who only looks may look")
	}
	var at atomic.Pointer[string]
	spread := behindAPooler(t, func() string { return *at.Load() })
	primary := p.URL(p.Addr())
	for name, call := range calls(t, spread) {
		at.Store(&primary)
		refused(call(func() error { at.Store(&standby); return nil }), "spread: "+name)
	}
}

// A start is two round trips to acquire an ID, and three to inspect the store, for which a driver that
// prepares asks twice. A release is two.
func TestRoundTripsOfALeaseOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	terms := bits.Default().Terms()
	terms.Revoke = func() {}
	require.NoError(t,
		lease.Found(t.Context(), leasesOf(t, opening("pgx", source)(t), ""), lease.Founding{}))
	for name, c := range map[string]struct {
		mode           string
		start, release int64
	}{
		"prepared": {"", 8, 2}, "exec": {"&default_query_exec_mode=exec", 5, 2},
	} {
		t.Run(name, func(t *testing.T) {
			db, trips := counted(t, source+c.mode)
			require.NoError(t, db.Ping()) // connects
			l, err := lease.New(leasesOf(t, db, ""), lease.Config{Logger: (&logtest.Records{}).Logger()})
			require.NoError(t, err)
			before := trips.Load()
			_, err = l.Acquire(t.Context(), terms)
			require.NoError(t, err)
			require.Equal(t, c.start, trips.Load()-before, "a start")
			before = trips.Load()
			require.NoError(t, l.Release(t.Context(), 0))
			require.Equal(t, c.release, trips.Load()-before, "a release")
		})
	}
}
