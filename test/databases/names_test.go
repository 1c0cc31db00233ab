package databases_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/jmoiron/sqlx/reflectx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines"
)

// A program may have its own ways with the names of columns, and everything works: the
// driver's columnsWithAlias calls them TABLE.COLUMN, and a Mapper looks for them under
// other names.
func TestForeignNamesOfColumns(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(testing.TB) store{
		"SQLite, Mapper": engines.NewSQLite, "MySQL, Mapper": engines.NewMySQL,
	} {
		t.Run(name, func(t *testing.T) {
			s := fresh(t)
			db := s.Open(t)
			db.Mapper = reflectx.NewMapperFunc("json", func(field string) string { return "the_" + field })
			everyMethod(t, s, db)
		})
	}
	t.Run("MySQL, columnsWithAlias", func(t *testing.T) {
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
