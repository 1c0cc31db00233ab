package databases_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
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
			raise := func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
				require.EqualValues(t, 5, r.High)
				r.High = 6
				return nil
			}
			require.NoError(t, owner.Change(t.Context(), 0, raise))
			require.EqualValues(t, 6, rowIn(t, watcher, 0).High)
			drop := func(*storage.Namespace, *storage.Lease, storage.Clock) error { return errLost }
			require.ErrorIs(t, owner.Change(t.Context(), 0, drop), errLost)

			segments, other := segmentsOf(db), segmentsOf(watcher)
			for want := int64(1); want < 50; want += 20 {
				require.Equal(t, storage.Numbers{First: want, Last: want + 9}, draw(t, segments, "orders"))
				require.Equal(t, want+10, looked(t, other, "orders").Next, "it is committed")
				require.WithinDuration(t, time.Now(), looked(t, segments, "orders").Updated, time.Minute)
				require.Equal(t, storage.Numbers{First: want + 10, Last: want + 19}, draw(t, other, "orders"))
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
			first := ownerOf(t, s.Open(t))
			draw(t, first.segments, "orders")
			p, db := proxied(t, s)
			still := strangerOf(db, "")
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
	_, f := subject(t, s).open()
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
	require.Equal(t, storage.Numbers{First: 11, Last: 20}, draw(t, good.segments, "orders"))
	require.True(t, looked(t, good.segments, "new").Fresh)
}

// A renewal whose commit hangs ends with its context, and the next one knows the row again.
func TestLeaseCommitHangs(t *testing.T) {
	t.Parallel()
	p, db := proxied(t, engines.NewMySQL(t))
	owner := tenantOf(t, db)
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

// A program may have its own ways with the names of columns, and everything works: the
// driver's columnsWithAlias calls them TABLE.COLUMN, and a Mapper looks for them under
// other names.
func TestForeignNamesOfColumns(t *testing.T) {
	each(t, notPostgres, func(t *testing.T, s store, db *sqlx.DB) {
		db.Mapper = reflectx.NewMapperFunc("json", func(field string) string { return "the_" + field })
		everyMethod(t, s, db)
	})
	t.Run("columnsWithAlias", func(t *testing.T) {
		s := engines.NewMySQL(t)
		db := s.With(t, func(c *mysql.Config) { c.ColumnsWithAlias = true }).Open(t)
		rows, err := db.Query("SELECT x.a FROM (SELECT 1 AS a) AS x")
		require.NoError(t, err)
		require.Equal(t, []string{"x.a"}, must(rows.Columns()), "the setting is on")
		require.NoError(t, rows.Close())
		everyMethod(t, s, db)
	})
}

// everyMethod calls what there is of workers, the registry and the doctor, on a database
// that is opened in a way of its own, and compares what they read with what a plain one does.
func everyMethod(t *testing.T, s store, db *sqlx.DB) {
	require.EqualValues(t, 1, acquire(t, db, asked{Port: "80"}))
	owner := tenantOf(t, db)
	first := owner.take(t)
	require.NoError(t, owner.renew(t.Context()))
	require.Equal(t, first.WorkerID, owner.row.WorkerID)
	require.Greater(t, owner.row.High, first.High)
	owner.release(t)
	require.EqualValues(t, 1, strangerOf(db, "").take(t).WorkerID)
	inspected(t, owner)

	read := func(db *sqlx.DB) (o registry.Overview, findings []string) {
		o, err := newRegistry(db).Overview(t.Context(), time.Minute)
		require.NoError(t, err)
		o.Now = time.Time{}
		all, err := doctor.Check(t.Context(), examined(db), doctor.Config{})
		require.NoError(t, err)
		return o, lasting(all)
	}
	have, found := read(db)
	want, wanted := read(s.Open(t))
	require.Len(t, have.Leases, 2)
	require.Equal(t, want, have)
	require.Equal(t, wanted, found)

	was, err := newRegistry(db).Release(t.Context(), "", 1, true)
	require.NoError(t, err)
	require.Equal(t, have.Leases[1].Holder, was.Holder)
}

// lasting is what two checks of one database find alike: the clock goes on between them.
func lasting(all []doctor.Finding) (lines []string) {
	for _, f := range all {
		if f.What == "clocks" || f.What == "times of leases" || f.What == "last ticks of leases" {
			f.Value = ""
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Level, f.What, f.Value))
	}
	return lines
}

// A table that is dropped is not made anew by who had an ID in it. (That it is emptied is for package storetest.)
func TestNamespaceGone(t *testing.T) {
	each(t, anywhere, func(t *testing.T, _ store, db *sqlx.DB) {
		owner := ownerOf(t, db)
		engines.Do(t, db, "DROP TABLE WORKER_LEASE")
		tables := countTables(t, db, "worker%")
		require.ErrorIs(t, owner.renew(t.Context()), worker.ErrNoNamespace)
		require.Equal(t, tables, countTables(t, db, "worker%"))
	})
}

// A trigger that keeps a row from being written is found out.
func TestUpdateIsConfirmed(t *testing.T) {
	each(t, notPostgres, func(t *testing.T, s store, db *sqlx.DB) {
		owner := tenantOf(t, db)
		mine := owner.take(t)
		if s.Driver == "sqlite" {
			engines.Do(t, db, "CREATE TRIGGER keeper BEFORE UPDATE ON WORKER_LEASE BEGIN SELECT RAISE(IGNORE); END")
		} else {
			engines.Do(t, db, `CREATE TRIGGER keeper BEFORE UPDATE ON WORKER_LEASE FOR EACH ROW
				SET NEW.NONCE = OLD.NONCE, NEW.HIGH = OLD.HIGH, NEW.LEASE_UNTIL = OLD.LEASE_UNTIL,
				NEW.RENEWED = OLD.RENEWED`)
		}
		err := owner.renew(t.Context())
		logtest.Error(t, err, worker.ErrUnconfirmed, "the update of worker ID 0 changed 0 rows")
		require.Equal(t, mine, owner.row)
		engines.Do(t, db, "DROP TRIGGER keeper")
		require.NoError(t, owner.renew(t.Context()))
	})
}

// A missing table is made, and said so, once. None is made beside one whose name differs in case only, where the
// database tells them apart: what uses that one has its numbers.
func TestTableInAnotherCase(t *testing.T) {
	each(t, anywhere, func(t *testing.T, s store, db *sqlx.DB) {
		if s.Driver == "mysql" && one[int](t, db, "SELECT @@lower_case_table_names") != 0 {
			t.Skip("the server takes names in all cases for one")
		}
		var logged logtest.Records
		for _, kind := range []struct {
			table string
			use   func(*sqlstore.DB) error
		}{
			{database.NodeTable, func(d *sqlstore.DB) error {
				how := asked{Host: "h", Timeout: time.Minute, Logger: quiet()}
				_, err := (&asker{d.Numbers(), how}).acquire(t.Context(), 1023)
				return err
			}},
			{database.LeaseTable, func(d *sqlstore.DB) error {
				return lease.Found(t.Context(), must(d.Leases("")), lease.Founding{Layout: milliseconds})
			}},
			{database.SegmentTable, func(d *sqlstore.DB) error { return tryDraw(t.Context(), d.Segments(), "orders") }},
			{database.TakerTable, func(d *sqlstore.DB) error { return tryDraw(t.Context(), d.Segments(), "orders") }},
		} {
			use := func() error { return kind.use(tablesOf(db, sqlstore.Config{Skip: -1, Logger: logged.Logger()})) }
			require.NoError(t, use())
			ours := must(must(database.Resolve("", db)).TableName("", kind.table))
			require.Equal(t, 1, logged.Count("table="+ours+"\n"))
			require.NoError(t, use())
			require.Equal(t, 1, logged.Count("table="+ours+"\n"), "it is there")

			theirs := strings.ToUpper(ours)
			if theirs == ours {
				theirs = strings.ToLower(ours)
			}
			quoted := theirs
			if s.Driver == "pgx" {
				quoted = `"` + theirs + `"`
			}
			if s.Driver == "sqlite" { // takes names in all cases for one
				used := kind.use(tablesOf(db, sqlstore.Config{Skip: -1, NodeTable: theirs, Logger: quiet()}))
				require.NoError(t, used)
				continue
			}
			engines.Do(t, db, "ALTER TABLE "+ours+" RENAME TO "+quoted)
			logtest.Error(t, use(), uid.ErrConfig, "no table "+ours+",", "beside "+theirs+",")
			what := "name of table " + ours
			m := checked(t, db, doctor.Config{})
			m.is(t, what, doctor.LevelError, theirs+", and not "+ours)

			// Who means both makes the second one by hand, and is told what can come of it.
			engines.Do(t, db, createTable(db, kind.table))
			require.NoError(t, use())
			checked(t, db, doctor.Config{}).is(t, what, doctor.LevelError, ours+", "+theirs)
			engines.Do(t, db, "DROP TABLE "+quoted)
			require.NotContains(t, checked(t, db, doctor.Config{}), what)
		}
	})
}
