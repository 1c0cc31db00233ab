package databases_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/faulty"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/sqlstore"
)

// leafTable is the statement for Leaf's own table, as far as the database knows its words.
func leafTable(s store) string {
	if s.Driver != "sqlite" {
		return faulty.LeafTable
	}
	return strings.TrimSuffix(strings.Replace(faulty.LeafTable, " ON UPDATE CURRENT_TIMESTAMP", "", 1), " ENGINE=InnoDB")
}

func segmentsOf(t testing.TB, db *sqlx.DB) *sqlstore.Segments {
	t.Helper()
	return tablesOf(t, db, sqlstore.Config{}).Segments()
}

var errLook = errors.New("only a look")

// looked returns the row of a tag.
func looked(t testing.TB, s *sqlstore.Segments, tag string) (row segment.Row) {
	t.Helper()
	require.ErrorIs(t, s.Change(t.Context(), tag, func(r *segment.Row) error { row = *r; return errLook }), errLook)
	return row
}

// drawn takes n numbers of a tag, for a generator with that nonce.
func drawn(ctx context.Context, s *sqlstore.Segments, tag, nonce string, n int64) (got segment.Range, err error) {
	err = s.Change(ctx, tag, func(r *segment.Row) error {
		if r.Fresh {
			r.Fresh, r.Next, r.Step = false, 1, 1
		}
		got = segment.Range{First: r.Next, Last: r.Next + n - 1}
		r.Next += n
		r.Takers = []segment.Taker{{Nonce: nonce, Last: got.Last}}
		return nil
	})
	return got, err
}

func draw(t testing.TB, s *sqlstore.Segments, tag string) segment.Range {
	t.Helper()
	got, err := drawn(t.Context(), s, tag, "drawer", 10)
	require.NoError(t, err)
	return got
}

// Java services with Leaf and Go services take numbers from one table.
func TestSegmentsBesideLeaf(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		kit.Do(t, s.Open(t), leafTable(s))
		rounds := 170
		if s.Driver == "sqlite" {
			rounds = 30 // which has no queue for its lock
		}
		subject(t, s, false).BesideLeaf(t, rounds)
	})
}

// Leaf's table stays what it was, whatever charset and collation it has. A tag that only Leaf has
// used gets a row in the other table with its first take.
func TestSegmentsOfLeafsTable(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		options := []string{""}
		if s.Driver == "mysql" {
			options = []string{"", " DEFAULT CHARSET=latin1", " DEFAULT CHARSET=utf8", " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci", " DEFAULT CHARSET=gbk", " DEFAULT CHARSET=ucs2"}
		}
		for _, o := range options {
			t.Run(o, func(t *testing.T) {
				db := s.Open(t)
				kit.Do(t, db, "DROP TABLE IF EXISTS leaf_alloc", "DROP TABLE IF EXISTS leaf_alloc_takers", leafTable(s)+o,
					"INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('Orders', 1, 2000), ('', 5, 5)",
					"INSERT INTO leaf_alloc (biz_tag, max_id, step, description) VALUES ('b', 77, 7, 'f\u00fcr Leute'), ('Z', 1, 1, '')")
				definition := definitionOf(t, db, "leaf_alloc")
				segments := segmentsOf(t, db)
				_, err := segments.Inspect(t.Context())
				require.NoError(t, err)
				row := looked(t, segments, "Orders")
				require.WithinDuration(t, time.Now(), row.Updated, time.Minute)
				row.Updated = time.Time{}
				require.Equal(t, segment.Row{Tag: "Orders", Next: 1, Step: 2000}, row)
				rows, err := segments.Rows(t.Context(), "", 10)
				require.NoError(t, err)
				require.Len(t, rows, 3, "one without a tag is none")
				require.Equal(t, "Orders Z b", rows[0].Tag+" "+rows[1].Tag+" "+rows[2].Tag)
				require.Equal(t, "f\u00fcr Leute", rows[2].Description)
				require.Zero(t, countTables(t, db, "leaf_alloc_takers"), "who only looks makes nothing")

				require.Equal(t, segment.Range{First: 1, Last: 10}, draw(t, segments, "Orders"))
				require.Equal(t, segment.Range{First: 11, Last: 20}, draw(t, segments, "Orders"))
				require.Equal(t, []segment.Taker{{Nonce: "drawer", Last: 20}}, looked(t, segments, "Orders").Takers)
				require.Equal(t, segment.Range{First: 77, Last: 86}, draw(t, segments, "b"))
				require.Equal(t, "f\u00fcr Leute", looked(t, segments, "b").Description)
				var description sql.NullString
				require.NoError(t, db.Get(&description, "SELECT description FROM leaf_alloc WHERE biz_tag = 'Orders'"))
				require.False(t, description.Valid, "it stays NULL")
				require.Equal(t, definition, definitionOf(t, db, "leaf_alloc"))

				// A table that takes two tags for one has one row of each kind.
				other := looked(t, segments, "oRDERS")
				if require.Equal(t, s.Driver == "sqlite", other.Fresh); other.Fresh {
					return
				}
				require.Equal(t, "oRDERS", other.Tag)
				require.Equal(t, []segment.Taker{{Nonce: "drawer", Last: 20}}, other.Takers)
				require.Equal(t, segment.Range{First: 21, Last: 30}, draw(t, segments, "ORDERS"))
				require.Equal(t, segment.Range{First: 31, Last: 40}, draw(t, segments, "Orders"))
				require.Equal(t, "Orders", one(t, db, "SELECT GROUP_CONCAT(biz_tag) FROM leaf_alloc_takers WHERE biz_tag LIKE 'o%' COLLATE utf8mb4_general_ci"))
			})
		}
	})
}

func definitionOf(t testing.TB, db *sqlx.DB, table string) string {
	t.Helper()
	if db.DriverName() == "sqlite" {
		return one(t, db, "SELECT sql FROM sqlite_master WHERE name = '"+table+"'")
	}
	var name, definition string
	require.NoError(t, db.QueryRow("SHOW CREATE TABLE "+table).Scan(&name, &definition))
	return definition
}

func one(t testing.TB, db *sqlx.DB, query string) (text string) {
	t.Helper()
	require.NoError(t, db.Get(&text, query), query)
	return text
}

func countTables(t testing.TB, db *sqlx.DB, like string) (n int) {
	t.Helper()
	query := "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME LIKE '" + like + "'"
	if db.DriverName() == "sqlite" {
		query = "SELECT COUNT(*) FROM sqlite_master WHERE name LIKE '" + like + "' AND type = 'table'"
	}
	require.NoError(t, db.Get(&n, query))
	return n
}

// Rows of tags that nobody here writes are paged by their bytes, too.
func TestSegmentRowsInOrderOfBytes(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		segments := segmentsOf(t, db)
		rows, err := segments.Rows(t.Context(), "", 10)
		require.NoError(t, err, "without a table there is none")
		require.Empty(t, rows)
		statement := leafTable(s)
		if s.Driver == "mysql" {
			statement += " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_unicode_ci"
		}
		kit.Do(t, db, statement, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('b', 1, 1), ('C', 1, 1), ('\u00f6', 1, 1), ('a', 1, 1), ('\u8ba2\u5355', 1, 1), ('_', 1, 1)")
		if s.Driver == "mysql" {
			segments = segmentsOf(t, s.With(t, func(c *mysql.Config) { c.Params = map[string]string{"charset": "latin1"} }).Open(t))
		}
		var tags []string
		after := ""
		for range 5 {
			rows, err := segments.Rows(t.Context(), after, 2)
			require.NoError(t, err)
			for _, r := range rows {
				tags = append(tags, r.Tag)
				after = r.Tag
			}
		}
		require.Equal(t, []string{"C", "_", "a", "b", "\u00f6", "\u8ba2\u5355"}, tags)
		for _, most := range []int{0, -1} {
			rows, err := segments.Rows(t.Context(), "", most)
			require.NoError(t, err)
			require.Empty(t, rows)
		}
	})
}

// A trigger that keeps a row from being written is told of.
func TestSegmentTriggers(t *testing.T) {
	db := kit.NewSQLite(t).Open(t)
	segments := segmentsOf(t, db)
	draw(t, segments, "orders")
	for _, table := range []string{"leaf_alloc", "leaf_alloc_takers"} {
		kit.Do(t, db, "CREATE TRIGGER ignoring BEFORE UPDATE ON "+table+" BEGIN SELECT RAISE(IGNORE); END")
		_, err := drawn(t.Context(), segments, "orders", "drawer", 10)
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, "is there a trigger")
		require.False(t, retry.IsTransient(err))
		kit.Do(t, db, "DROP TRIGGER ignoring")
		require.EqualValues(t, 11, looked(t, segments, "orders").Next)
	}
}

// What people have written that is no row is refused, with the numbers, and stays as it is.
func TestSegmentsByHand(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		segments := segmentsOf(t, db)
		draw(t, segments, "orders")
		cases := map[string]string{
			"UPDATE leaf_alloc SET step = 0":                      "the step of tag \"orders\" is 0",
			"UPDATE leaf_alloc SET step = -2000":                  "the step of tag \"orders\" is -2000",
			"UPDATE leaf_alloc SET max_id = -7":                   "the next number of tag \"orders\" is -7",
			"UPDATE leaf_alloc_takers SET takers = '{\"v\":2}'":   "the takers of tag \"orders\"",
			"UPDATE leaf_alloc_takers SET takers = ' '":           "the takers of tag \"orders\"",
			"UPDATE leaf_alloc SET max_id = 18446744073709551615": "max_id of tag \"orders\" is \"18446744073709551615\"",
		}
		if s.Driver == "sqlite" {
			cases["UPDATE leaf_alloc SET max_id = 18446744073709551615"] = "max_id of tag \"orders\" is \"1.8446744073709552e+19\""
			cases["UPDATE leaf_alloc SET max_id = 'many'"] = "max_id of tag \"orders\" is \"many\""
			cases["UPDATE leaf_alloc SET step = 1.5"] = "step of tag \"orders\" is \"1.5\""
			cases["UPDATE leaf_alloc SET step = 2147483648"] = "the step of tag \"orders\" is 2147483648"
		}
		for statement, says := range cases {
			kit.Do(t, db, "DELETE FROM leaf_alloc", "DELETE FROM leaf_alloc_takers")
			if s.Driver == "mysql" && strings.Contains(statement, "18446744073709551615") {
				kit.Do(t, db, "ALTER TABLE leaf_alloc MODIFY max_id BIGINT UNSIGNED NOT NULL")
				_, err := segments.Inspect(t.Context())
				require.NoError(t, err)
			} else if s.Driver == "mysql" {
				kit.Do(t, db, "ALTER TABLE leaf_alloc MODIFY max_id BIGINT NOT NULL")
			}
			draw(t, segments, "orders")
			kit.Do(t, db, statement)
			before := contentOfSegments(t, db)
			err := segments.Change(t.Context(), "orders", func(*segment.Row) error {
				t.Error("decided")
				return nil
			})
			require.ErrorIs(t, err, uid.ErrRange, statement)
			require.ErrorContains(t, err, says)
			_, err = segments.Rows(t.Context(), "", 10)
			require.ErrorIs(t, err, uid.ErrRange, statement)
			require.ErrorContains(t, err, says)
			require.Equal(t, before, contentOfSegments(t, db))
		}
	})
}

// contentOfSegments is all that both tables have.
func contentOfSegments(t testing.TB, db *sqlx.DB) (all []string) {
	t.Helper()
	for _, query := range []string{"SELECT biz_tag, max_id, step, description FROM leaf_alloc ORDER BY 1", "SELECT * FROM leaf_alloc_takers ORDER BY 1"} {
		rows, err := db.Queryx(query)
		require.NoError(t, err)
		for rows.Next() {
			row, err := rows.SliceScan()
			require.NoError(t, err)
			all = append(all, fmt.Sprintf("%q", row))
		}
		require.NoError(t, rows.Close())
	}
	return all
}

// A take is decided anew when anything of what it has read has changed, by whomever.
func TestSegmentsAreComparedWhole(t *testing.T) {
	db := kit.NewMySQL(t).Open(t)
	segments := segmentsOf(t, db)
	draw(t, segments, "orders")
	kit.Do(t, db, "ALTER TABLE leaf_alloc MODIFY biz_tag VARCHAR(128) CHARACTER SET latin1 NOT NULL, MODIFY description VARCHAR(256) CHARACTER SET latin1")
	for i, c := range []struct{ before, meanwhile, is, want string }{
		{"SET max_id = 100", "SET max_id = 150", "max_id", "160"},
		{"SET step = 5", "SET step = 6", "step", "6"},
		{"SET description = 'for people'", "SET description = 'for People'", "description", "for People"},
		{"SET description = 'for people'", "SET description = 'for people '", "CONCAT(description, '.')", "for people ."},
		{"SET description = NULL", "SET description = ''", "description", ""},
		{"SET description = ''", "SET description = NULL", "COALESCE(description, 'NULL')", "NULL"},
		{"SET biz_tag = 'orders'", "SET biz_tag = 'Orders'", "biz_tag", "Orders"},
		{"SET biz_tag = 'orders'", "", "(SELECT takers FROM leaf_alloc_takers WHERE biz_tag = 'orders')",
			`{"v":2,"writes":0,"floor":0,"takers":["late 1","drawer 2"]}`},
	} {
		kit.Do(t, db, "UPDATE leaf_alloc "+c.before)
		meanwhile := []string{"UPDATE leaf_alloc " + c.meanwhile}
		if c.meanwhile == "" {
			meanwhile = []string{`UPDATE leaf_alloc_takers SET takers = ` +
				`'{"v":2,"writes":0,"floor":0,"takers":["late 1"]}' WHERE biz_tag = 'orders'`}
		}
		runs := 0
		require.NoError(t, segments.Change(t.Context(), "orders", func(r *segment.Row) error {
			if runs++; runs == 1 {
				kit.Do(t, db, meanwhile...)
			}
			r.Next += 10
			r.Takers = append(r.Takers, segment.Taker{Nonce: "drawer", Last: 2})[max(0, len(r.Takers)-1):]
			return nil
		}))
		want := 2
		if i == 6 { // of a tag that only Leaf has used
			want = 3
		}
		require.Equal(t, want, runs, meanwhile)
		require.Equal(t, c.want, one(t, db, "SELECT "+c.is+" FROM leaf_alloc"), meanwhile)
	}
}

// A row that was written twice, and has all its values again, is not what it was.
func TestSegmentsAreNotWhatTheyWere(t *testing.T) {
	s := kit.NewMySQL(t)
	segments, other := segmentsOf(t, s.Open(t)), segmentsOf(t, s.Open(t))
	draw(t, segments, "orders")
	runs := 0
	require.NoError(t, segments.Change(t.Context(), "orders", func(r *segment.Row) error {
		if runs++; runs == 1 {
			was := *r
			draw(t, other, "orders")
			require.NoError(t, other.Change(t.Context(), "orders", func(r *segment.Row) error { *r = was; return nil }))
		}
		r.Next += 10
		return nil
	}))
	require.Equal(t, 2, runs)

	// Nor is one that has all its values again, but that somebody has taken for granted.
	require.NoError(t, segments.Change(t.Context(), "orders", func(r *segment.Row) error {
		if runs++; runs == 3 {
			require.NoError(t, other.Change(t.Context(), "orders", func(*segment.Row) error { return nil }))
		}
		return nil
	}))
	require.Equal(t, 4, runs)
}

// A tag that Leaf's table does not have is made once, whatever is left of it.
func TestSegmentsAreMadeOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		segments := segmentsOf(t, db)
		draw(t, segments, "orders")
		kit.Do(t, db, "DELETE FROM leaf_alloc")
		require.True(t, looked(t, segments, "orders").Fresh)
		require.Equal(t, []segment.Taker{{Nonce: "drawer", Last: 10}}, looked(t, segments, "orders").Takers,
			"what is left is seen")
		kit.Do(t, db, "DELETE FROM leaf_alloc_takers")
		require.Equal(t, segment.Row{Tag: "orders", Fresh: true}, looked(t, segments, "orders"))
		draw(t, segments, "orders")
		require.Equal(t, []segment.Taker{{Nonce: "drawer", Last: 10}}, looked(t, segments, "orders").Takers)
		if s.Driver == "sqlite" {
			return // whose file is locked meanwhile
		}
		for _, meanwhile := range [][]string{
			{"INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('new', 500, 1)"},
			{"INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('new', 500, 1)", "INSERT INTO leaf_alloc_takers VALUES ('new', 'n', '')"},
			{"INSERT INTO leaf_alloc_takers VALUES ('new', 'n', '')"},
			{"INSERT INTO leaf_alloc_takers VALUES ('new', 'n', '')", "UPDATE leaf_alloc_takers SET nonce = 'm' WHERE biz_tag = 'new'"},
		} {
			kit.Do(t, db, "DELETE FROM leaf_alloc WHERE biz_tag = 'new'", "DELETE FROM leaf_alloc_takers WHERE biz_tag = 'new'")
			if len(meanwhile) == 2 && strings.HasPrefix(meanwhile[1], "UPDATE") {
				kit.Do(t, db, meanwhile[0])
				meanwhile = meanwhile[1:]
			}
			var saw []int64
			require.NoError(t, segments.Change(t.Context(), "new", func(r *segment.Row) error {
				if saw = append(saw, r.Next); len(saw) == 1 {
					kit.Do(t, db, meanwhile...)
				}
				r.Next, r.Step = r.Next+10, 1
				r.Takers = []segment.Taker{{Nonce: "first", Last: r.Next - 1}}
				return nil
			}))
			require.GreaterOrEqual(t, len(saw), 2, meanwhile)
			row := looked(t, segments, "new")
			require.Equal(t, saw[len(saw)-1]+10, row.Next)
			require.Equal(t, []segment.Taker{{Nonce: "first", Last: row.Next - 1}}, row.Takers)
		}
	})
}

// A take is two round trips.
func TestSegmentRoundTrips(t *testing.T) {
	s := kit.NewMySQL(t)
	db, c := counted(t, s)
	segments := segmentsOf(t, db)
	draw(t, segments, "orders")
	trips := func(want int64, what string, call func()) {
		t.Helper()
		before := c.sent.Load()
		call()
		require.Equal(t, want, c.sent.Load()-before, what)
	}
	trips(2, "a take", func() { draw(t, segments, "orders") })
	trips(1, "a look", func() { looked(t, segments, "orders") })
	trips(1, "a page", func() {
		_, err := segments.Rows(t.Context(), "", 10)
		require.NoError(t, err)
	})
	trips(7, "the first take of a tag", func() { draw(t, segments, "new") })
	kit.Do(t, s.Open(t), "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('leaf', 1, 1)")
	trips(4, "the first take of one of Leaf's", func() { draw(t, segments, "leaf") })
	require.Equal(t, 1, db.Stats().OpenConnections)
	require.Zero(t, db.Stats().InUse, "none is held")
}

// What one session has read another one does not write.
func TestSegmentsOverASharedConnection(t *testing.T) {
	s := kit.NewMySQL(t)
	good := segmentsOf(t, s.Open(t))
	draw(t, good, "orders")
	_, c := counted(t, s)
	db := sqlx.NewDb(sql.OpenDB(sharing{c}), "mysql")
	defer db.Close()
	for _, tag := range []string{"orders", "new"} {
		_, err := drawn(t.Context(), segmentsOf(t, db), tag, "drawer", 10)
		require.ErrorIs(t, err, uid.ErrConfig, tag)
		require.ErrorContains(t, err, "does a proxy share connections?")
		require.False(t, retry.IsTransient(err))
	}
	require.Equal(t, segment.Range{First: 11, Last: 20}, draw(t, good, "orders"))
	require.True(t, looked(t, good, "new").Fresh)
}

// A session that does not commit each statement commits what is written, and what is set on a
// connection of the program's pool is set back.
func TestSegmentsInAnySession(t *testing.T) {
	s := kit.NewMySQL(t)
	watcher := s.Open(t)
	for name, params := range map[string]map[string]string{
		"autocommit":      {"autocommit": "0"},
		"completion_type": {"completion_type": "1"},
		"modes":           {"sql_mode": "'ANSI_QUOTES'", "wait_timeout": "1234"},
		"isolation":       {transaction(t, s, "isolation"): "'READ-UNCOMMITTED'"},
		"serializable":    {transaction(t, s, "isolation"): "'SERIALIZABLE'"},
		"time zone":       {"time_zone": "'-11:00'"},
	} {
		t.Run(name, func(t *testing.T) {
			kit.Do(t, watcher, "DROP TABLE IF EXISTS leaf_alloc", "DROP TABLE IF EXISTS leaf_alloc_takers")
			db := s.With(t, func(c *mysql.Config) { c.Params = params }).Open(t)
			db.SetMaxOpenConns(1)
			settings := "SELECT CONCAT_WS(' ', CONNECTION_ID(), @@SESSION.autocommit, @@SESSION.completion_type, @@SESSION.sql_mode, @@SESSION.wait_timeout)"
			before := one(t, db, settings)
			segments, other := segmentsOf(t, db), segmentsOf(t, watcher)
			for want := int64(1); want < 50; want += 20 {
				require.Equal(t, segment.Range{First: want, Last: want + 9}, draw(t, segments, "orders"))
				require.Equal(t, want+10, looked(t, other, "orders").Next, "it is committed")
				require.WithinDuration(t, time.Now(), looked(t, segments, "orders").Updated, time.Minute)
				require.Equal(t, segment.Range{First: want + 10, Last: want + 19}, draw(t, other, "orders"))
			}
			kit.Do(t, watcher, "SET lock_wait_timeout = 5", "ALTER TABLE leaf_alloc COMMENT = 'no transaction is left open'")
			require.Equal(t, before, one(t, db, settings))
		})
	}
}

// A process that stands still between what it reads and what it writes keeps nobody waiting, and
// one that makes a tag's row no longer than 2 s.
func TestSegmentStall(t *testing.T) {
	for during, text := range map[string]string{"a look": "LEFT JOIN", "making a row": "INSERT INTO `leaf_alloc_takers`"} {
		t.Run(during, func(t *testing.T) {
			s := kit.NewMySQL(t)
			p := kit.NewProxy(t, serverOf(t, s))
			segments := segmentsOf(t, s.Open(t))
			draw(t, segments, "orders")
			tag := map[string]string{"a look": "orders", "making a row": "new"}[during]
			still := segmentsOf(t, s.With(t, func(c *mysql.Config) { c.Addr = p.Addr() }).Open(t))
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			p.Stall(text)
			go func() {
				_, err := drawn(ctx, still, tag, "still", 10)
				ended <- err
			}()
			require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
			patient, stop := context.WithTimeout(t.Context(), 20*time.Second) // a server waits 50 s for a lock
			defer stop()
			_, err := drawn(patient, segments, tag, "drawer", 10)
			require.NoError(t, err)
			cancel()
			require.Error(t, <-ended)
		})
	}
}

// A Change that waits for somebody's lock ends with its context.
func TestSegmentsWaitForALock(t *testing.T) {
	s := kit.NewMySQL(t)
	segments := segmentsOf(t, s.Open(t))
	draw(t, segments, "orders")
	admin := s.Open(t)
	tx, err := admin.Beginx()
	require.NoError(t, err)
	defer tx.Rollback()
	_, err = tx.Exec("UPDATE leaf_alloc SET max_id = max_id + step")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := drawn(ctx, segments, "orders", "drawer", 10)
		ended <- err
	}()
	require.Eventually(t, func() bool {
		return one(t, admin, "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT' AND trx_query LIKE '%leaf_alloc%'") == "1"
	}, time.Minute, 250*time.Millisecond) // the server's list is renewed when nobody has read it for 100 ms
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
		require.True(t, retry.IsTransient(err))
	case <-time.After(20 * time.Second):
		t.Fatal("it waits for the lock")
	}
	require.NoError(t, tx.Rollback())
	require.Contains(t, []int64{11, 21}, draw(t, segments, "orders").First, "what the server has yet to carry out may still be")
}

// Tables are made when there is something to write, and their owner may do so.
func TestSegmentTables(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		segments := segmentsOf(t, db)
		require.True(t, looked(t, segments, "orders").Fresh)
		_, err := segments.Inspect(t.Context())
		require.NoError(t, err)
		require.Zero(t, countTables(t, db, "leaf_alloc%"))
		draw(t, segments, "orders")
		require.Equal(t, 2, countTables(t, db, "leaf_alloc%"))
		_, err = segments.Inspect(t.Context())
		require.NoError(t, err)

		kit.Do(t, db, "DROP TABLE leaf_alloc_takers")
		require.EqualValues(t, 11, looked(t, segments, "orders").Next)
		rows, err := segments.Rows(t.Context(), "", 10)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		require.Equal(t, segment.Range{First: 11, Last: 20}, draw(t, segments, "orders"))
		require.Equal(t, 2, countTables(t, db, "leaf_alloc%"))

		kit.Do(t, db, "DROP TABLE leaf_alloc")
		require.True(t, looked(t, segments, "orders").Fresh)
		require.Equal(t, 1, countTables(t, db, "leaf_alloc%"))

		named := tablesOf(t, db, sqlstore.Config{SegmentTable: "Numbers"}).Segments()
		draw(t, named, "orders")
		require.Equal(t, 2, countTables(t, db, "Numbers%"))
		require.True(t, looked(t, segments, "orders").Fresh)
	})
	t.Run("rights", func(t *testing.T) {
		all := kit.NewMySQL(t)
		few := segmentsOf(t, withRights(t, all, "SELECT, INSERT, UPDATE").Open(t))
		require.True(t, looked(t, few, "orders").Fresh)
		_, err := drawn(t.Context(), few, "orders", "drawer", 10)
		require.ErrorContains(t, err, "create the table: MySQL Error 1142")
		require.False(t, retry.IsTransient(err))
		draw(t, segmentsOf(t, all.Open(t)), "orders")
		require.Equal(t, segment.Range{First: 11, Last: 20}, draw(t, few, "orders"))
		draw(t, few, "new")
		_, err = few.Rows(t.Context(), "", 10)
		require.NoError(t, err)
		_, err = few.Inspect(t.Context())
		require.NoError(t, err)
	})
}

// The statements of the documentation are all that segments need, and each right in them is needed.
func TestDocumentedGrantsOfSegments(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "worker", "sqlstore", "doc.go"))
	require.NoError(t, err)
	var statements []string
	for _, m := range regexp.MustCompile(`(?m)^//\t(GRANT .* ON app\.leaf_.* TO 'uid.*);$`).FindAllStringSubmatch(string(text), -1) {
		statements = append(statements, strings.NewReplacer("app.", "`DB`.", "'uid'@'%'", "@").Replace(m[1]))
	}
	require.Len(t, statements, 3)
	s := kit.NewMySQL(t)
	admin := segmentsOf(t, s.Open(t))
	draw(t, admin, "orders")
	tags := 0
	use := func(make bool, statements ...string) error {
		segments := segmentsOf(t, granted(t, s, statements...))
		tags++
		tag := fmt.Sprint("tag", tags)
		if !make {
			kit.Do(t, s.Open(t), "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('"+tag+"', 1, 1)")
		}
		for range 2 {
			if _, err := drawn(t.Context(), segments, tag, "drawer", 10); err != nil {
				return err
			}
		}
		if _, err := segments.Rows(t.Context(), "", 100); err != nil {
			return err
		}
		_, err := segments.Inspect(t.Context())
		return err
	}
	require.NoError(t, use(false, statements[:2]...))
	require.NoError(t, use(true, statements...))
	require.ErrorContains(t, use(true, statements[:2]...), "access denied")
	for i, statement := range statements[:2] {
		rights, rest, _ := strings.Cut(strings.TrimPrefix(statement, "GRANT "), " ON ")
		list := strings.Split(rights, ", ")
		for j, right := range list {
			fewer := strings.Join(slices.Delete(slices.Clone(list), j, j+1), ", ")
			require.ErrorContains(t, use(false, "GRANT "+fewer+" ON "+rest, statements[1-i]), "access denied", "without %s of %d", right, i)
		}
	}
}

// A column that cannot hold what is written is told of, and refuses it whatever the session's mode.
func TestSegmentColumns(t *testing.T) {
	db := kit.NewMySQL(t).With(t, func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "''"} }).Open(t)
	segments := segmentsOf(t, db)
	draw(t, segments, "orders")
	for change, says := range map[string]string{
		"leaf_alloc MODIFY max_id INT NOT NULL":                  "column max_id is of type int",
		"leaf_alloc MODIFY max_id DOUBLE NOT NULL":               "column max_id is of type double",
		"leaf_alloc MODIFY step SMALLINT NOT NULL":               "column step is of type smallint",
		"leaf_alloc MODIFY description VARCHAR(100)":             "column description holds 100 characters",
		"leaf_alloc MODIFY update_time VARCHAR(30)":              "column update_time is of type varchar",
		"leaf_alloc DROP description":                            "no column description",
		"leaf_alloc ADD more INT NOT NULL":                       "further column MORE",
		"leaf_alloc DROP PRIMARY KEY":                            "column biz_tag is not in the primary key",
		"leaf_alloc ENGINE = MyISAM":                             "engine MyISAM",
		"leaf_alloc_takers MODIFY takers VARCHAR(2000) NOT NULL": "column takers holds 2000 characters",
		"leaf_alloc_takers DROP nonce":                           "no column nonce",
		"leaf_alloc_takers DROP PRIMARY KEY":                     "column biz_tag is not in the primary key",
	} {
		kit.Do(t, db, "DROP TABLE leaf_alloc, leaf_alloc_takers")
		draw(t, segments, "orders")
		kit.Do(t, db, "ALTER TABLE "+change)
		_, err := segments.Inspect(t.Context())
		require.ErrorIs(t, err, uid.ErrConfig, change)
		require.ErrorContains(t, err, says)
	}
	kit.Do(t, db, "DROP TABLE leaf_alloc, leaf_alloc_takers")
	draw(t, segments, "orders")
	kit.Do(t, db, "ALTER TABLE leaf_alloc MODIFY max_id INT NOT NULL, MODIFY step SMALLINT NOT NULL")
	for _, spoil := range []func(*segment.Row){func(r *segment.Row) { r.Next = 1 << 31 }, func(r *segment.Row) { r.Step = 1 << 15 }} {
		for _, tag := range []string{"orders", "new"} {
			err := segments.Change(t.Context(), tag, func(r *segment.Row) error {
				r.Next, r.Step = 12, 1
				spoil(r)
				return nil
			})
			require.ErrorContains(t, err, "MySQL Error 1264")
		}
	}
	require.EqualValues(t, 11, looked(t, segments, "orders").Next)
	require.True(t, looked(t, segments, "new").Fresh)
}

// TestSegmentsLoweredByHand has people lower Leaf's max_id, or remove its row. Nobody takes the numbers again
// that were given out, whoever comes first, until the number is raised as uid segment set does it.
func TestSegmentsLoweredByHand(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		segments := segmentsOf(t, db)
		start := func() *segment.Generator {
			g, err := segment.New(segment.Source{Store: segments, Tag: "orders"},
				segment.Config{Create: true, LossyStore: true})
			require.NoError(t, err)
			t.Cleanup(func() { _ = g.Close() })
			return g
		}
		for _, statement := range []string{"UPDATE leaf_alloc SET max_id = 5", "DELETE FROM leaf_alloc"} {
			running := start()
			_, err := running.GetUID()
			require.NoError(t, err)
			kit.Do(t, db, statement)
			for _, g := range []*segment.Generator{start(), start()} {
				_, err := g.GetUID()
				require.ErrorIs(t, err, segment.ErrLost, statement)
			}
			_, err = running.Release(t.Context())
			require.ErrorIs(t, err, segment.ErrLost, statement)

			require.NoError(t, segments.Change(t.Context(), "orders", func(r *segment.Row) error {
				require.EqualValues(t, 1001, r.Floor)
				r.Fresh, r.Step, r.Next = false, 1, 1001
				r.Stamp()
				return nil
			}))
			u, err := start().GetUID()
			require.NoError(t, err)
			require.EqualValues(t, 1001, u)
			kit.Do(t, db, "DELETE FROM leaf_alloc", "DELETE FROM leaf_alloc_takers")
		}
	})
}

// TestSegmentsAreRefusedAtOnce has the setting that may lose commits in the error of segment.New.
func TestSegmentsAreRefusedAtOnce(t *testing.T) {
	eachStore(t, func(t *testing.T, s store) {
		segments := segmentsOf(t, s.Open(t))
		lossy, err := segments.Inspect(t.Context())
		require.NoError(t, err)
		_, err = segment.New(segment.Source{Store: segments, Tag: "orders"}, segment.Config{})
		if len(lossy) == 0 {
			require.NoError(t, err)
			return
		}
		require.ErrorIs(t, err, segment.ErrLossy)
		for _, why := range lossy {
			require.ErrorContains(t, err, why)
		}
	})
}
