package sqlstore_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/sqlstore"
)

func segmentsOf(t testing.TB, db *sqlx.DB) segment.Store {
	t.Helper()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	require.NoError(t, err)
	return tables.Segments()
}

// looked returns the row of a tag.
func looked(t testing.TB, s segment.Store, tag string) (row segmentstore.Row) {
	t.Helper()
	require.ErrorIs(t, s.Change(t.Context(), tag, func(r *segmentstore.Row) error { row = *r; return errSeen }), errSeen)
	return row
}

// draw takes ten numbers. meanwhile, if it is not nil, is called by the first decision.
func draw(ctx context.Context, s segment.Store, tag string, meanwhile func() error) (got segmentstore.Range, runs int, err error) {
	err = s.Change(ctx, tag, func(r *segmentstore.Row) error {
		if runs++; runs == 1 && meanwhile != nil {
			if err := meanwhile(); err != nil {
				return err
			}
		}
		if r.Fresh {
			r.Next, r.Step = 1, 1
		}
		got = segmentstore.Range{First: r.Next, Last: r.Next + 9}
		r.Next += 10
		r.Takers = []segmentstore.Taker{{Nonce: "drawer", Last: got.Last}}
		return nil
	})
	return got, runs, err
}

// A take is two round trips, as the first one of a tag is, however the driver sends a statement; and
// one more for each query's text that is new to a driver that prepares.
func TestSegmentRoundTripsOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	admin := opening("pgx", source)(t)
	for _, mode := range []string{"exec", "simple_protocol", "cache_statement", "cache_describe", "describe_exec"} {
		t.Run(mode, func(t *testing.T) {
			kit.Do(t, admin, "DROP TABLE IF EXISTS leaf_alloc, leaf_alloc_takers")
			db, trips := counted(t, source+"&default_query_exec_mode="+mode)
			segments := segmentsOf(t, db)
			_, _, err := draw(t.Context(), segments, "orders", nil)
			require.NoError(t, err)
			kit.Do(t, admin, "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('leaf', 1, 1)")
			for _, tag := range []string{"orders", "new", "leaf"} {
				first := int64(5) // in a transaction
				if tag == "orders" {
					first = 2
				}
				for _, want := range []int64{first, 2} {
					before := trips.Load()
					_, _, err := draw(t.Context(), segments, tag, nil)
					require.NoError(t, err)
					require.Equal(t, want, trips.Load()-before, tag)
				}
			}
		})
	}
}

// A take is decided anew when anything of what it has read has changed, and only then: a row that
// was written with the same values is locked in its new version.
func TestSegmentsAreComparedWholeOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	admin := opening("pgx", source)(t)
	segments := segmentsOf(t, opening("pgx", source)(t))
	_, _, err := draw(t.Context(), segments, "orders", nil)
	require.NoError(t, err)
	const at = " WHERE biz_tag = 'orders'"
	for _, c := range []struct {
		before, meanwhile string
		runs              int
	}{
		{"", "UPDATE leaf_alloc SET max_id = max_id + 1000" + at, 2},
		{"", "UPDATE leaf_alloc SET step = step + 1" + at, 2},
		{"UPDATE leaf_alloc SET description = 'for people'", "UPDATE leaf_alloc SET description = 'for People'" + at, 2},
		{"UPDATE leaf_alloc SET description = 'for people'", "UPDATE leaf_alloc SET description = 'for People '" + at, 2},
		{"UPDATE leaf_alloc SET description = 'for people'", "UPDATE leaf_alloc SET description = NULL" + at, 2},
		{"UPDATE leaf_alloc SET description = NULL", "UPDATE leaf_alloc SET description = ''" + at, 2},
		{"", "UPDATE leaf_alloc_takers SET nonce = 'other'" + at, 2},
		{"", "UPDATE leaf_alloc_takers SET takers = ''" + at, 2},
		{"", "DELETE FROM leaf_alloc_takers" + at, 2},
		{"", "DELETE FROM leaf_alloc" + at, 2},
		{"", "UPDATE leaf_alloc SET update_time = now()" + at, 1},
		{"", "UPDATE leaf_alloc_takers SET nonce = nonce" + at, 1},
		{"DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc_takers VALUES ('orders', 'n', '')", 2},
		{"DELETE FROM leaf_alloc_takers", "UPDATE leaf_alloc SET max_id = max_id + 1" + at, 2},
		{"DELETE FROM leaf_alloc", "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7, 1)", 2},
		{"DELETE FROM leaf_alloc", "UPDATE leaf_alloc_takers SET nonce = 'other'" + at, 2},
		{"DELETE FROM leaf_alloc; DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7, 1)", 2},
		{"DELETE FROM leaf_alloc; DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc_takers VALUES ('orders', 'n', '')", 2},
		{"DELETE FROM leaf_alloc; DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc_takers VALUES ('orders', 'n', ''); INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7, 1)", 2},
	} {
		for _, waits := range []bool{false, true} {
			if c.before != "" {
				kit.Do(t, admin, c.before)
			}
			// Somebody has written the row by then, or has it locked, and commits while the write waits.
			tx, err := admin.Beginx()
			require.NoError(t, err)
			var all sync.WaitGroup
			got, runs, err := draw(t.Context(), segments, "orders", func() error {
				for _, statement := range strings.Split(c.meanwhile, "; ") {
					if _, err := tx.Exec(statement); err != nil {
						return err
					}
				}
				if !waits {
					return tx.Commit()
				}
				all.Go(func() {
					waiting := 0
					for deadline := time.Now().Add(time.Minute); waiting == 0 && time.Now().Before(deadline); {
						_ = admin.Get(&waiting, "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
					}
					_ = tx.Commit()
				})
				return nil
			})
			all.Wait()
			require.NoError(t, err, c.meanwhile)
			require.Equal(t, c.runs, runs, "%s (waits: %v)", c.meanwhile, waits)
			row := looked(t, segments, "orders")
			require.Equal(t, got.Last+1, row.Next)
			require.Equal(t, []segmentstore.Taker{{Nonce: "drawer", Last: got.Last}}, row.Takers)
			require.Greater(t, row.Updated, time.Now().Add(-time.Minute).UTC())
		}
	}
}

// Transactions of any isolation that a session may have by default are told apart alike.
func TestSegmentsInAnySessionOfPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	for _, isolation := range []string{"repeatable%20read", "serializable"} {
		segments := segmentsOf(t, opening("pgx", source+"&default_transaction_isolation="+isolation)(t))
		other := segmentsOf(t, opening("pgx", source)(t))
		_, _, err := draw(t.Context(), other, "orders", nil)
		require.NoError(t, err)
		_, runs, err := draw(t.Context(), segments, "orders", func() error {
			_, _, err := draw(t.Context(), other, "orders", nil)
			return err
		})
		require.NoError(t, err)
		require.Equal(t, 2, runs)
		var all sync.WaitGroup
		before := looked(t, other, "orders").Next
		for range 4 {
			all.Go(func() {
				for range 25 {
					_, _, err := draw(t.Context(), segments, "orders", nil)
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		require.Equal(t, before+1000, looked(t, other, "orders").Next)
	}
}

// The rights of the documentation suffice, columns are compared, takes write no index, and no text
// tells a secret.
func TestSegmentTablesOnPostgres(t *testing.T) {
	source := cluster.SharedPostgres(t).NewDatabase(t)
	admin := opening("pgx", source+"&default_query_exec_mode=exec")(t) // a prepared query fails once when a type changes
	segments := segmentsOf(t, admin)
	lossy, err := segments.Inspect(t.Context())
	require.NoError(t, err, "tables that are not there yet are no error")
	require.Empty(t, lossy)
	require.True(t, looked(t, segments, "orders").Fresh)
	rows, err := segments.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	require.Empty(t, rows)
	_, _, err = draw(t.Context(), segments, "orders", nil)
	require.NoError(t, err)
	_, err = segments.Inspect(t.Context())
	require.NoError(t, err)

	kit.Do(t, admin, "CREATE ROLE drawer LOGIN", "GRANT USAGE ON SCHEMA public TO drawer",
		"GRANT SELECT, UPDATE ON leaf_alloc TO drawer", "GRANT SELECT, INSERT, UPDATE ON leaf_alloc_takers TO drawer")
	few := segmentsOf(t, opening("pgx", strings.Replace(source, "//uid@", "//drawer@", 1))(t))
	for _, tag := range []string{"orders", "new"} {
		if tag == "new" {
			_, _, err = draw(t.Context(), few, tag, nil)
			require.ErrorContains(t, err, "42501")
			kit.Do(t, admin, "GRANT INSERT ON leaf_alloc TO drawer")
		}
		_, _, err = draw(t.Context(), few, tag, nil)
		require.NoError(t, err)
	}
	_, err = few.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	_, err = few.Inspect(t.Context())
	require.NoError(t, err)

	kit.Do(t, admin, "CREATE ROLE "+canary+"_drawer LOGIN PASSWORD '"+canary+"'", "GRANT SELECT ON leaf_alloc, leaf_alloc_takers TO "+canary+"_drawer")
	denied := segmentsOf(t, opening("pgx", strings.Replace(source, "//uid@", "//"+canary+"_drawer:"+canary+"@", 1))(t))
	_, _, err = draw(t.Context(), denied, "orders", nil)
	require.ErrorContains(t, err, "42501")
	require.NotContains(t, strings.ToLower(logtest.Texts(err)), canary)

	kit.Do(t, admin, "ALTER TABLE leaf_alloc ALTER COLUMN max_id TYPE INT")
	_, err = segments.Inspect(t.Context())
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "column max_id is of type integer")
	err = segments.Change(t.Context(), "orders", func(r *segmentstore.Row) error { r.Next = 1 << 31; return nil })
	require.ErrorContains(t, err, "22003")
	kit.Do(t, admin, "ALTER TABLE leaf_alloc ALTER COLUMN max_id TYPE BIGINT")

	const times = 2000
	for range times {
		_, _, err := draw(t.Context(), segments, "orders", nil)
		require.NoError(t, err)
	}
	var all, hot int
	require.Eventually(t, func() bool {
		require.NoError(t, admin.QueryRow("SELECT SUM(n_tup_upd), SUM(n_tup_hot_upd) FROM pg_stat_user_tables").Scan(&all, &hot))
		return all >= 2*times
	}, time.Minute, 50*time.Millisecond)
	t.Logf("%d of %d updates were HOT", hot, all)
	require.Greater(t, hot, all*9/10)
}
