package databases_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/sqlstore"
)

// leafTable is the statement for Leaf's own table, as far as the database knows its words.
func leafTable(s store) string {
	if s.Driver == "mysql" {
		return createLeaf
	}
	return strings.TrimSuffix(strings.Replace(createLeaf, " ON UPDATE CURRENT_TIMESTAMP", "", 1), " ENGINE=InnoDB")
}

func segmentsOf(db *sqlx.DB) segment.Store { return tablesOf(db, sqlstore.Config{}).Segments() }

var errLook = errors.New("only a look")

// looked returns the row of a tag.
func looked(t testing.TB, s segment.Store, tag string) (row storage.Segment) {
	t.Helper()
	look := func(r *storage.Segment) error { row = *r; return errLook }
	require.ErrorIs(t, s.Change(t.Context(), tag, look), errLook)
	return row
}

// tryDraw takes ten numbers of a tag.
func tryDraw(ctx context.Context, s segment.Store, tag string) error {
	return s.Change(ctx, tag, func(r *storage.Segment) error {
		taken(r)
		return nil
	})
}

// taken decides that ten numbers are taken.
func taken(r *storage.Segment) storage.Numbers {
	if r.Fresh {
		r.Fresh, r.Next, r.Step = false, 1, 1
	}
	got := storage.Numbers{First: r.Next, Last: r.Next + 9}
	r.Next += 10
	r.Takers = []storage.Taker{{Nonce: "drawer", Last: got.Last}}
	return got
}

func draw(t testing.TB, s segment.Store, tag string) (got storage.Numbers) {
	t.Helper()
	require.NoError(t, s.Change(t.Context(), tag, func(r *storage.Segment) error {
		got = taken(r)
		return nil
	}))
	return got
}

// rowsOf returns the rows that a store lists.
func rowsOf(t testing.TB, s segment.Store) []storage.Segment {
	t.Helper()
	rows, err := s.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	return rows
}

// Leaf's table stays what it was, whatever charset and collation it has. A tag that only Leaf has
// used gets a row in the other table with its first take.
func TestSegmentsOfLeafsTable(t *testing.T) {
	each(t, notPostgres, func(t *testing.T, s store, _ *sqlx.DB) {
		options := []string{""}
		if s.Driver == "mysql" {
			options = []string{"", " DEFAULT CHARSET=latin1", " DEFAULT CHARSET=utf8", " DEFAULT CHARSET=gbk",
				" DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci", " DEFAULT CHARSET=ucs2"}
		}
		for _, o := range options {
			t.Run(o, func(t *testing.T) {
				db := s.Open(t)
				engines.Do(t, db, "DROP TABLE IF EXISTS leaf_alloc", "DROP TABLE IF EXISTS leaf_alloc_takers",
					leafTable(s)+o, `INSERT INTO leaf_alloc (biz_tag, max_id, step, description) VALUES
						('Orders', 1, 2000, NULL), ('', 5, 5, NULL), ('b', 77, 7, 'für Leute'), ('Z', 1, 1, '')`)
				definition := definitionOf(t, db, "leaf_alloc")
				segments := segmentsOf(db)
				inspected(t, segments)
				row := looked(t, segments, "Orders")
				require.WithinDuration(t, time.Now(), row.Updated, time.Minute)
				row.Updated = time.Time{}
				require.Equal(t, storage.Segment{Tag: "Orders", Next: 1, Step: 2000}, row)
				rows := rowsOf(t, segments)
				require.Len(t, rows, 3, "one without a tag is none")
				require.Equal(t, "Orders Z b", rows[0].Tag+" "+rows[1].Tag+" "+rows[2].Tag)
				require.Equal(t, "f\u00fcr Leute", rows[2].Description)
				require.Zero(t, countTables(t, db, "leaf_alloc_takers"), "who only looks makes nothing")

				require.Equal(t, storage.Numbers{First: 1, Last: 10}, draw(t, segments, "Orders"))
				require.Equal(t, storage.Numbers{First: 11, Last: 20}, draw(t, segments, "Orders"))
				takers := []storage.Taker{{Nonce: "drawer", Last: 20}}
				require.Equal(t, takers, looked(t, segments, "Orders").Takers)
				require.Equal(t, storage.Numbers{First: 77, Last: 86}, draw(t, segments, "b"))
				require.Equal(t, "f\u00fcr Leute", looked(t, segments, "b").Description)
				description := one[sql.NullString](t, db, "SELECT description FROM leaf_alloc WHERE biz_tag = 'Orders'")
				require.False(t, description.Valid, "it stays NULL")
				require.Equal(t, definition, definitionOf(t, db, "leaf_alloc"))

				// A table that takes two tags for one has one row of each kind.
				other := looked(t, segments, "oRDERS")
				if require.Equal(t, s.Driver == "sqlite", other.Fresh); other.Fresh {
					return
				}
				require.Equal(t, "oRDERS", other.Tag)
				require.Equal(t, takers, other.Takers)
				require.Equal(t, storage.Numbers{First: 21, Last: 30}, draw(t, segments, "ORDERS"))
				require.Equal(t, storage.Numbers{First: 31, Last: 40}, draw(t, segments, "Orders"))
				require.Equal(t, "Orders", one[string](t, db, "SELECT GROUP_CONCAT(biz_tag) FROM leaf_alloc_takers "+
					"WHERE biz_tag LIKE 'o%' COLLATE utf8mb4_general_ci"))
			})
		}
	})
}

func definitionOf(t testing.TB, db *sqlx.DB, table string) string {
	t.Helper()
	if db.DriverName() == "sqlite" {
		return one[string](t, db, "SELECT sql FROM sqlite_master WHERE name = '"+table+"'")
	}
	var name, definition string
	require.NoError(t, db.QueryRow("SHOW CREATE TABLE "+table).Scan(&name, &definition))
	return definition
}

func countTables(t testing.TB, db *sqlx.DB, like string) int {
	t.Helper()
	query := "SELECT COUNT(*) FROM information_schema.TABLES " +
		"WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '" + like + "'"
	switch db.DriverName() {
	case "pgx":
		query = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = CURRENT_SCHEMA AND tablename ILIKE '" + like + "'"
	case "sqlite":
		query = "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '" + like + "' AND type = 'table'"
	}
	return one[int](t, db, query)
}

// contentOfSegments is all that both tables have.
func contentOfSegments(t testing.TB, db *sqlx.DB) (all []string) {
	t.Helper()
	for _, rest := range []string{"biz_tag, max_id, step, description FROM leaf_alloc", "* FROM leaf_alloc_takers"} {
		for _, row := range allRows(t, db, "SELECT "+rest+" ORDER BY 1") {
			all = append(all, fmt.Sprintf("%q", row))
		}
	}
	return all
}

// meanwhile takes ten numbers and, at its first decision, does something else. It returns how often it decided.
func meanwhile(t testing.TB, s segment.Store, do func()) (got storage.Numbers, runs int) {
	t.Helper()
	require.NoError(t, s.Change(t.Context(), "orders", func(r *storage.Segment) error {
		if runs++; runs == 1 {
			do()
		}
		got = taken(r)
		return nil
	}))
	return got, runs
}

// A take is decided anew when anything of what it has read has changed, and only then: a row that
// was written with the same values is locked in its new version.
func TestSegmentsAreComparedWhole(t *testing.T) {
	each(t, servers, func(t *testing.T, s store, _ *sqlx.DB) {
		admin, segments := s.Open(t), segmentsOf(s.Open(t))
		draw(t, segments, "orders")
		waiters := "SELECT '', COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
		if s.Driver == "mysql" {
			waiters = "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'"
			engines.Do(t, admin, "ALTER TABLE leaf_alloc MODIFY biz_tag VARCHAR(128) CHARACTER SET latin1 NOT NULL, "+
				"MODIFY description VARCHAR(256) CHARACTER SET latin1")
		}
		const (
			at         = " WHERE biz_tag = 'orders'"
			describe   = "UPDATE leaf_alloc SET description = "
			noRow      = "DELETE FROM leaf_alloc"
			noTakers   = "DELETE FROM leaf_alloc_takers"
			makeRow    = "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7, 1)"
			makeTakers = "INSERT INTO leaf_alloc_takers (biz_tag, nonce, takers) VALUES ('orders', 'n', '')"
		)
		for _, c := range []struct {
			before, meanwhile string
			runs              int
		}{
			{"", "UPDATE leaf_alloc SET max_id = max_id + 1000" + at, 2},
			{"", "UPDATE leaf_alloc SET step = step + 1" + at, 2},
			{describe + "'for people'", describe + "'for People'" + at, 2},
			{describe + "'for people'", describe + "'for People '" + at, 2},
			{describe + "'for people'", describe + "NULL" + at, 2},
			{describe + "NULL", describe + "''" + at, 2},
			{"", "UPDATE leaf_alloc_takers SET nonce = 'other'" + at, 2},
			{"", "UPDATE leaf_alloc_takers SET takers = ''" + at, 2},
			{"", "DELETE FROM leaf_alloc_takers" + at, 2},
			{"", "DELETE FROM leaf_alloc" + at, 2},
			{"", "UPDATE leaf_alloc SET update_time = NOW()" + at, 1},
			{"", "UPDATE leaf_alloc_takers SET nonce = nonce" + at, 1},
			{noTakers, makeTakers, 2},
			{noTakers, "UPDATE leaf_alloc SET max_id = max_id + 1" + at, 2},
			{noRow, makeRow, 2},
			{noRow, "UPDATE leaf_alloc_takers SET nonce = 'other'" + at, 2},
			{noRow + "; " + noTakers, makeRow, 2},
			{noRow + "; " + noTakers, makeTakers, 2},
			{noRow + "; " + noTakers, makeTakers + "; " + makeRow, 2},
		} {
			for _, waits := range []bool{false, true} {
				if c.before != "" {
					engines.Do(t, admin, strings.Split(c.before, "; ")...)
				}
				// Somebody has written the row by then, or has it locked, and commits while the write waits.
				tx, err := admin.Beginx()
				require.NoError(t, err)
				var all sync.WaitGroup
				got, runs := meanwhile(t, segments, func() {
					for _, statement := range strings.Split(c.meanwhile, "; ") {
						tx.MustExec(statement)
					}
					if !waits {
						require.NoError(t, tx.Commit())
						return
					}
					all.Go(func() {
						name, waiting := "", 0
						for deadline := time.Now().Add(time.Minute); waiting == 0 && time.Now().Before(deadline); {
							_ = admin.QueryRow(waiters).Scan(&name, &waiting)
						}
						_ = tx.Commit()
					})
				})
				all.Wait()
				if s.Driver == "mysql" { // which makes a missing row first
					runs = min(runs, 2)
				}
				require.Equal(t, c.runs, runs, "%s (waits: %v)", c.meanwhile, waits)
				row := looked(t, segments, "orders")
				require.Equal(t, got.Last+1, row.Next)
				require.Equal(t, []storage.Taker{{Nonce: "drawer", Last: got.Last}}, row.Takers)
				require.Greater(t, row.Updated, time.Now().Add(-time.Minute).UTC())
			}
		}
	})
}

// Tables are made when there is something to write, and their owner may do so.
func TestSegmentTables(t *testing.T) {
	each(t, anywhere, func(t *testing.T, _ store, db *sqlx.DB) {
		segments := segmentsOf(db)
		require.True(t, looked(t, segments, "orders").Fresh)
		inspected(t, segments)
		require.Zero(t, countTables(t, db, "leaf_alloc%"))
		draw(t, segments, "orders")
		require.Equal(t, 2, countTables(t, db, "leaf_alloc%"))
		inspected(t, segments)

		engines.Do(t, db, "DROP TABLE leaf_alloc_takers")
		require.EqualValues(t, 11, looked(t, segments, "orders").Next)
		require.Len(t, rowsOf(t, segments), 1)
		require.Equal(t, storage.Numbers{First: 11, Last: 20}, draw(t, segments, "orders"))
		require.Equal(t, 2, countTables(t, db, "leaf_alloc%"))

		engines.Do(t, db, "DROP TABLE leaf_alloc")
		require.True(t, looked(t, segments, "orders").Fresh)
		require.Equal(t, 1, countTables(t, db, "leaf_alloc%"))

		named := tablesOf(db, sqlstore.Config{SegmentTable: "Numbers"}).Segments()
		draw(t, named, "orders")
		require.Equal(t, 2, countTables(t, db, "Numbers%"))
		require.True(t, looked(t, segments, "orders").Fresh)
	})
	t.Run("rights", func(t *testing.T) {
		all := engines.NewMySQL(t)
		few := segmentsOf(granted(t, all, "GRANT SELECT, INSERT, UPDATE ON DB.* TO @"))
		require.True(t, looked(t, few, "orders").Fresh)
		err := tryDraw(t.Context(), few, "orders")
		require.ErrorContains(t, err, "create the table: MySQL Error 1142")
		require.False(t, retry.IsTransient(err))
		draw(t, segmentsOf(all.Open(t)), "orders")
		require.Equal(t, storage.Numbers{First: 11, Last: 20}, draw(t, few, "orders"))
	})
}

// A number that its column cannot hold is refused, by a server without a strict mode, too: it would store another one.
func TestNumbersTooLarge(t *testing.T) {
	t.Parallel()
	db := engines.NewMySQL(t).With(t, func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "''"} }).Open(t)
	owner := ownerOf(t, db)
	draw(t, owner.segments, "orders")
	engines.Do(t, db, "UPDATE WORKER_LEASE SET HIGH = 2147483000", "ALTER TABLE WORKER_LEASE MODIFY HIGH INT NOT NULL",
		"ALTER TABLE leaf_alloc MODIFY max_id INT NOT NULL, MODIFY step SMALLINT NOT NULL")
	require.ErrorContains(t, owner.renew(t.Context()), "1264")
	require.EqualValues(t, 2147483000, rowIn(t, db, 0).High)
	for _, spoil := range []func(*storage.Segment){
		func(r *storage.Segment) { r.Next = 1 << 31 }, func(r *storage.Segment) { r.Step = 1 << 15 },
	} {
		for _, tag := range []string{"orders", "new"} {
			err := owner.segments.Change(t.Context(), tag, func(r *storage.Segment) error {
				r.Next, r.Step = 12, 1
				spoil(r)
				return nil
			})
			require.ErrorContains(t, err, "MySQL Error 1264")
		}
	}
	require.EqualValues(t, 11, looked(t, owner.segments, "orders").Next)
	require.True(t, looked(t, owner.segments, "new").Fresh)
	db.SetMaxOpenConns(1)
	require.Empty(t, one[string](t, db, "SELECT @@SESSION.sql_mode"), "it is set back")
}
