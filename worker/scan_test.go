package worker_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker"
)

// A program may have its own ways with the names of columns, and everything works: the
// driver's columnsWithAlias calls them TABLE.COLUMN, and a Mapper looks for them under
// other names.
func TestForeignNamesOfColumns(t *testing.T) {
	mapper := func(db *sqlx.DB) *sqlx.DB {
		db.Mapper = reflectx.NewMapperFunc("json", func(field string) string { return "the_" + field })
		return db
	}
	t.Run("SQLite, Mapper", func(t *testing.T) {
		s := newSQLite(t)
		everyMethod(t, s, mapper(s.open(t)))
	})
	t.Run("MySQL, Mapper", func(t *testing.T) {
		s := newMySQL(t)
		everyMethod(t, s, mapper(s.open(t)))
	})
	t.Run("MySQL, columnsWithAlias", func(t *testing.T) {
		s := newMySQL(t)
		db := s.with(t, func(c *mysql.Config) { c.ColumnsWithAlias = true }).open(t)
		rows, err := db.Query("SELECT x.a FROM (SELECT 1 AS a) AS x")
		require.NoError(t, err)
		names, err := rows.Columns()
		require.NoError(t, err)
		require.NoError(t, rows.Close())
		require.Equal(t, []string{"x.a"}, names, "the setting is on")
		everyMethod(t, s, db)
	})
}

// everyMethod calls all methods of workers and of the registry, on a database that is
// opened in a way of its own, and compares what they read with what a plain one does.
func everyMethod(t *testing.T, s store, db *sqlx.DB) {
	h := newHouse(t, s)
	plain := h.db
	h.db = db
	putLeases(t, plain, aLease{id: 5, until: time.Hour}, aLease{namespace: "old", id: 7, until: -99 * time.Hour, high: -99 * time.Hour})

	do(t, plain, "UPDATE WORKER_LEASE SET LAYOUT = '"+millis(0).Layout+"' WHERE NAMESPACE = 'default'")

	require.EqualValues(t, 1, acquire(t, db, worker.DisposableConfig{Host: "h", Port: "80"}))

	l := h.lease(worker.LeaseConfig{Holder: "me"})
	first := h.acquire(l)
	require.EqualValues(t, 6, first.WorkerID)
	h.pass(window / 2)
	extended := h.extend(l, 0)
	require.Equal(t, first.WorkerID, extended.WorkerID)
	require.Greater(t, extended.Last, first.Last)
	l.Invalidate()
	require.EqualValues(t, 7, h.extend(l, 0).WorkerID)
	require.NoError(t, l.Release(t.Context(), -1))

	r := newRegistry(t, db)
	have, err := r.Overview(t.Context(), time.Minute)
	require.NoError(t, err)
	want, err := newRegistry(t, plain).Overview(t.Context(), time.Minute)
	require.NoError(t, err)
	require.Len(t, have.Leases, 4)
	require.Equal(t, "me", have.Leases[1].Holder)
	want.Now = have.Now
	require.Equal(t, want, have)

	found, err := r.Check(t.Context(), worker.CheckConfig{Terms: layoutTerms})
	require.NoError(t, err)
	wanted, err := newRegistry(t, plain).Check(t.Context(), worker.CheckConfig{Terms: layoutTerms})
	require.NoError(t, err)
	require.Equal(t, lasting(wanted), lasting(found))

	was, err := r.Release(t.Context(), "", 5, true)
	require.NoError(t, err)
	require.Equal(t, "host/5", was.Holder)

	for _, dry := range []bool{true, false} {
		collected, err := r.Collect(t.Context(), worker.Collection{OlderThan: 2 * time.Hour, Terms: layoutTerms, DryRun: dry})
		require.NoError(t, err)
		require.Len(t, collected.Removed, 1)
		require.EqualValues(t, 7, collected.Removed[0].WorkerID)
		require.Equal(t, "old", collected.Removed[0].Namespace)
	}
}

// lasting is what two checks of one database find alike: the clock goes on between them.
func lasting(all []worker.Finding) (lines []string) {
	for _, f := range all {
		if f.What == "clocks" || f.What == "times of leases" || f.What == "last ticks of leases" {
			f.Value = ""
		}
		lines = append(lines, fmt.Sprintf("%s %s: %s", f.Level, f.What, f.Value))
	}
	return lines
}
