package databases_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
)

// Whatever a session is set to, and whatever a program has left open in it: what is written is committed, what others
// write is seen, no transaction is left open, and the settings stay.
func TestInAnySession(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t)
	watcher := s.With(t, func(c *mysql.Config) { c.Params = map[string]string{"lock_wait_timeout": "5"} }).Open(t)
	isolation := transaction(t, s, "isolation")
	const strict = "'TRADITIONAL,NO_AUTO_VALUE_ON_ZERO,NO_BACKSLASH_ESCAPES'"
	for name, c := range map[string]struct {
		params map[string]string
		left   string // by the program, before each call
	}{
		"autocommit":       {map[string]string{"autocommit": "0"}, "SELECT COUNT(*) FROM WORKER_LEASE"},
		"chain":            {map[string]string{"completion_type": "1"}, "COMMIT"},
		"release":          {map[string]string{"completion_type": "2"}, ""},
		"modes":            {map[string]string{"sql_mode": "'ANSI_QUOTES'", "wait_timeout": "1234"}, ""},
		"no modes":         {map[string]string{"sql_mode": "''"}, ""},
		"oracle":           {map[string]string{"sql_mode": "'ORACLE'"}, ""},
		"strict":           {map[string]string{"sql_mode": strict}, ""},
		"read uncommitted": {map[string]string{isolation: "'READ-UNCOMMITTED'"}, ""},
		"serializable":     {map[string]string{isolation: "'SERIALIZABLE'"}, ""},
		"time zone":        {map[string]string{"time_zone": "'-11:00'"}, ""},
		"increment":        {map[string]string{"auto_increment_increment": "7"}, ""},
		"left open":        {nil, "START TRANSACTION WITH CONSISTENT SNAPSHOT"},
	} {
		if (name == "left open" || name == "oracle") && !isMariaDB(t, s) {
			continue // MySQL does not tell, as package sqlstore warns, and has no such mode
		}
		t.Run(name, func(t *testing.T) {
			engines.Do(t, watcher, "DROP TABLE IF EXISTS WORKER_NODE, WORKER_LEASE, leaf_alloc, leaf_alloc_takers")
			db := s.With(t, func(to *mysql.Config) { to.Params = c.params }).Open(t)
			db.SetMaxOpenConns(1)
			settings := "SELECT CONCAT_WS(' ', CONNECTION_ID(), @@SESSION.autocommit, @@SESSION.completion_type, " +
				"@@SESSION.sql_mode, @@SESSION.wait_timeout)"
			if name == "release" { // which ends connections
				settings = "SELECT @@SESSION.completion_type"
			}
			before, last := one[string](t, db, settings), int64(0)
			for _, port := range []string{"", "1", ""} {
				id := acquire(t, db, asked{Port: port})
				require.Greater(t, id, last)
				last = id
				rows := nodes(t, watcher)
				require.Equal(t, id, rows[len(rows)-1].ID, "it is committed")
			}

			owner, left := tenantOf(t, db), func() {}
			if c.left != "" {
				left = func() { engines.Do(t, db, c.left) }
			}
			left()
			require.Equal(t, owner.take(t).Nonce, rowIn(t, watcher, 0).Nonce, "it is committed")
			left()
			require.NoError(t, owner.renew(t.Context()))
			left()
			engines.Do(t, watcher, "UPDATE WORKER_LEASE SET HIGH = 5 WHERE WORKER_ID = 0")
			raise := func(_ *leasestore.Namespace, r *leasestore.Row, _ leasestore.Clock) error {
				require.EqualValues(t, 5, r.High)
				r.High = 6
				return nil
			}
			require.NoError(t, owner.Change(t.Context(), 0, raise))
			require.EqualValues(t, 6, rowIn(t, watcher, 0).High)
			drop := func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error { return errLost }
			require.ErrorIs(t, owner.Change(t.Context(), 0, drop), errLost)

			segments, other := segmentsOf(db), segmentsOf(watcher)
			for want := int64(1); want < 50; want += 20 {
				require.Equal(t, segmentstore.Range{First: want, Last: want + 9}, draw(t, segments, "orders"))
				require.Equal(t, want+10, looked(t, other, "orders").Next, "it is committed")
				require.WithinDuration(t, time.Now(), looked(t, segments, "orders").Updated, time.Minute)
				require.Equal(t, segmentstore.Range{First: want + 10, Last: want + 19}, draw(t, other, "orders"))
			}
			for _, table := range []string{"WORKER_NODE", "WORKER_LEASE", "leaf_alloc"} {
				engines.Do(t, watcher, "ALTER TABLE "+table+" COMMENT = 'no transaction is left open'")
			}
			require.Equal(t, before, one[string](t, db, settings))
		})
	}
}

// A process that stands still between what it reads and what it writes keeps nobody from its row, nor from any other.
func TestStall(t *testing.T) {
	t.Parallel()
	take := func(ctx context.Context, owner *tenant) error { _, err := owner.tryTake(ctx); return err }
	takes := func(tag string) func(context.Context, *tenant) error {
		return func(ctx context.Context, owner *tenant) error { return tryDraw(ctx, owner.segments, tag) }
	}
	renew := func(ctx context.Context, owner *tenant) error { return owner.renew(ctx) }
	for name, c := range map[string]struct {
		at   string // the statement
		call func(ctx context.Context, owner *tenant) error
	}{
		"renewal":      {"LEFT JOIN", renew},
		"acquisition":  {"LEFT JOIN", take},
		"a look":       {"LEFT JOIN", takes("orders")},
		"making a row": {"INSERT INTO `leaf_alloc_takers`", takes("new")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := engines.NewMySQL(t)
			p := harness.NewProxy(t, serverOf(t, s))
			first := ownerOf(t, s.Open(t))
			draw(t, first.segments, "orders")
			still := strangerOf(s.With(t, func(to *mysql.Config) {
				to.Addr, to.InterpolateParams = p.Addr(), true
			}).Open(t), "")
			still.row, still.nonces = first.row, first.nonces
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			p.Stall(c.at)
			go func() { ended <- c.call(ctx, still) }()
			require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
			patient, stop := context.WithTimeout(t.Context(), 20*time.Second) // a server waits 50 s for a lock
			defer stop()
			require.NoError(t, c.call(patient, first))
			cancel()
			require.Error(t, <-ended)
		})
	}
}

// A proxy that gives statements of one session to several connections is found out, and nothing is written.
func TestSharedConnection(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t)
	good := ownerOf(t, s.Open(t))
	draw(t, good.segments, "orders")
	_, f := subject(t, s, false).clients(t).open()
	db := sqlx.NewDb(sql.OpenDB(sharing{f}), "mysql")
	defer db.Close()
	owner := strangerOf(db, "")
	owner.row, owner.nonces = good.row, good.nonces
	for name, call := range map[string]func() error{
		"lease":   func() error { return owner.renew(t.Context()) },
		"segment": func() error { return tryDraw(t.Context(), owner.segments, "orders") },
		"tag":     func() error { return tryDraw(t.Context(), owner.segments, "new") },
	} {
		err := call()
		require.ErrorContains(t, err, "does a proxy share connections?", name)
		require.False(t, retry.IsTransient(err))
	}
	require.NoError(t, good.renew(t.Context()))
	require.Equal(t, segmentstore.Range{First: 11, Last: 20}, draw(t, good.segments, "orders"))
	require.True(t, looked(t, good.segments, "new").Fresh)
}

// A renewal whose commit hangs ends with its context, and the next one knows the row again.
func TestLeaseCommitHangs(t *testing.T) {
	t.Parallel()
	s := engines.NewMySQL(t)
	p := harness.NewProxy(t, serverOf(t, s))
	owner := tenantOf(t, s.With(t, func(c *mysql.Config) { c.Addr, c.InterpolateParams = p.Addr(), true }).Open(t))
	was := owner.take(t)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	p.Stall(cluster.LeaseWrite)
	go func() { ended <- owner.renew(ctx) }()
	require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.Equal(t, was, owner.row)
	require.NoError(t, owner.renew(t.Context()))
	require.Greater(t, owner.row.High, was.High)
}
