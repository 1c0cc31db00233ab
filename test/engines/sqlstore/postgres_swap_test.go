package sqlstore_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmentstore"
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
			var row leasestore.Row
			acquire := func() (err error) { row, err = take(t.Context(), l); return err }
			extend := func() error { return renew(t.Context(), l, row.WorkerID, func(*leasestore.Row) {}) }
			_ = acquire() // whatever is sent but once has been sent
			kit.Do(t, admin, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
			takes(2, "an acquisition that makes new rows", acquire)
			takes(2, "a first renewal", extend)
			takes(2, "a renewal", extend)
			kit.Do(t, admin, "UPDATE WORKER_LEASE SET HISTORY = '' WHERE WORKER_ID < 0")
			takes(5, "a renewal that finds another history", func() error {
				return l.Change(t.Context(), row.WorkerID, func(n *leasestore.Namespace, r *leasestore.Row, now leasestore.Clock) error {
					n.History, r.High = now.History, r.High+1
					return nil
				})
			})
			kit.Do(t, admin, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 0 WHERE WORKER_ID >= 0")
			takes(2, "an acquisition of an ID that is over", acquire)
		})
	}
}

// calls are the writes of a store. decide runs for each decision.
func calls(t *testing.T, l lease.Store) map[string]func(decide func() error) error {
	w := leasestore.Wanted{IDs: lease.Range{First: 1, Last: 1}, Highest: func(time.Time) int64 { return 1 << 40 }}
	return map[string]func(func() error) error{
		"Change": func(decide func() error) error {
			return l.Change(t.Context(), 0, func(_ *leasestore.Namespace, r *leasestore.Row, _ leasestore.Clock) error { r.High++; return decide() })
		},
		"Take": func(decide func() error) error {
			return l.Take(t.Context(), w, func(_ *leasestore.Namespace, r *leasestore.Row, _ leasestore.Clock) error { r.High++; return decide() })
		},
		"Init": func(decide func() error) error {
			return l.Init(t.Context(), func(n *leasestore.Namespace, _ leasestore.Clock) error { n.Floor++; return decide() })
		},
	}
}

var errSeen = errors.New("seen")

// owned founds a namespace in which worker ID 0 has an owner, and 1 has none any more.
func owned(t *testing.T, l lease.Store) {
	t.Helper()
	require.NoError(t, found(t, l))
	for range 2 {
		_, err := take(t.Context(), l)
		require.NoError(t, err)
	}
	require.NoError(t, renew(t.Context(), l, 1, func(r *leasestore.Row) { r.Until = time.Unix(0, 0) }))
}

// A standby may lack the newest rows: nothing is decided by what it has. Nor does a session that is read-only decide.
func TestPostgresStandby(t *testing.T) {
	p, err := cluster.StartPostgresPair("postgres")
	cluster.For(t, p, err)
	standby := p.URL(p.Standby())
	primary := opening("pgx", p.URL(p.Addr()))(t)
	owned(t, leasesOf(t, primary, ""))
	_, _, err = draw(t.Context(), segmentsOf(t, primary), "orders", nil)
	require.NoError(t, err)
	require.NoError(t, p.CatchUp())
	decided := errors.New("decided")
	for where, source := range map[string]string{"standby": standby, "session": p.URL(p.Addr()) + "&default_transaction_read_only=on"} {
		db := opening("pgx", source)(t)
		all := calls(t, leasesOf(t, db, ""))
		all["segment"] = func(decide func() error) error {
			return segmentsOf(t, db).Change(t.Context(), "orders", func(*segmentstore.Row) error { return decide() })
		}
		for name, call := range all {
			err := call(func() error { return decided })
			require.NotErrorIs(t, err, decided, where+": "+name)
			require.ErrorContains(t, err, "25006", where+": "+name)
			require.False(t, retry.IsTransient(err), where+": "+name)
		}
		tables, err := sqlstore.New(db, sqlstore.Config{})
		require.NoError(t, err)
		_, err = tables.Rows(t.Context(), "default", -1, 10)
		require.NoError(t, err, "who only looks may look")
		_, err = segmentsOf(t, db).Rows(t.Context(), "", 10)
		require.NoError(t, err, "who only looks may look")
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
