package databases_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A missing table is made, and said so, once. None is made beside one whose name differs in case only, where the
// database tells them apart: what uses that one has its numbers.
func TestTableInAnotherCase(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
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
			ours := must(database.Dialect("").Resolve(db.DriverName())).DefaultName(kind.table)
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
