package databases_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/sqlstore"
)

// meanwhile takes ten numbers and, at its first decision, does something else. It returns how often it decided.
func meanwhile(t testing.TB, s *sqlstore.Segments, do func()) (got segment.Range, runs int) {
	t.Helper()
	require.NoError(t, s.Change(t.Context(), "orders", func(r *segment.Row) error {
		if runs++; runs == 1 {
			do()
		}
		got = taken(r, "drawer", 10)
		return nil
	}))
	return got, runs
}

// A take is decided anew when anything of what it has read has changed, and only then: a row that
// was written with the same values is locked in its new version.
func TestSegmentsAreComparedWhole(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store) {
		if s.Driver == "sqlite" {
			return // whose file is locked meanwhile
		}
		admin, segments := s.Open(t), segmentsOf(t, s.Open(t))
		draw(t, segments, "orders")
		waiters := "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
		if s.Driver == "mysql" {
			waiters = "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'"
			engines.Do(t, admin, "ALTER TABLE leaf_alloc MODIFY biz_tag VARCHAR(128) CHARACTER SET latin1 NOT NULL, "+
				"MODIFY description VARCHAR(256) CHARACTER SET latin1")
		}
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
			{"", "UPDATE leaf_alloc SET update_time = NOW()" + at, 1},
			{"", "UPDATE leaf_alloc_takers SET nonce = nonce" + at, 1},
			{"DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc_takers (biz_tag, nonce, takers) VALUES ('orders', 'n', '')", 2},
			{"DELETE FROM leaf_alloc_takers", "UPDATE leaf_alloc SET max_id = max_id + 1" + at, 2},
			{"DELETE FROM leaf_alloc", "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7, 1)", 2},
			{"DELETE FROM leaf_alloc", "UPDATE leaf_alloc_takers SET nonce = 'other'" + at, 2},
			{"DELETE FROM leaf_alloc; DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7, 1)", 2},
			{"DELETE FROM leaf_alloc; DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc_takers (biz_tag, nonce, takers) VALUES ('orders', 'n', '')", 2},
			{"DELETE FROM leaf_alloc; DELETE FROM leaf_alloc_takers", "INSERT INTO leaf_alloc_takers (biz_tag, nonce, takers) VALUES ('orders', 'n', ''); INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7, 1)", 2},
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
						waiting := 0
						for deadline := time.Now().Add(time.Minute); waiting == 0 && time.Now().Before(deadline); {
							_ = admin.Get(&waiting, waiters)
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
				require.Equal(t, []segment.Taker{{Nonce: "drawer", Last: got.Last}}, row.Takers)
				require.Greater(t, row.Updated, time.Now().Add(-time.Minute).UTC())
			}
		}
	})
}

// Transactions of any isolation that a session may have by default are told apart alike.
func TestSegmentsInAnySessionOfPostgres(t *testing.T) {
	s := engines.NewPostgres(t)
	for _, isolation := range []string{"repeatable%20read", "serializable"} {
		segments := segmentsOf(t, opening(t, "pgx", s.Source+"&default_transaction_isolation="+isolation))
		other := segmentsOf(t, s.Open(t))
		draw(t, other, "orders")
		_, runs := meanwhile(t, segments, func() { draw(t, other, "orders") })
		require.Equal(t, 2, runs)
		var all sync.WaitGroup
		before := looked(t, other, "orders").Next
		for range 4 {
			all.Go(func() {
				for range 25 {
					if _, err := drawn(t.Context(), segments, "orders", "drawer", 10); err != nil {
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
	s := engines.NewPostgres(t)
	admin := opening(t, "pgx", s.Source+"&default_query_exec_mode=exec") // a prepared query fails once when a type changes
	segments := segmentsOf(t, admin)
	draw(t, segments, "orders")

	engines.Do(t, admin, "CREATE ROLE drawer LOGIN", "GRANT USAGE ON SCHEMA public TO drawer",
		"GRANT SELECT, UPDATE ON leaf_alloc TO drawer", "GRANT SELECT, INSERT, UPDATE ON leaf_alloc_takers TO drawer")
	few := segmentsOf(t, as(t, s, "drawer"))
	draw(t, few, "orders")
	_, err := drawn(t.Context(), few, "new", "drawer", 10)
	require.ErrorContains(t, err, "42501")
	engines.Do(t, admin, "GRANT INSERT ON leaf_alloc TO drawer")
	draw(t, few, "new")
	_, err = few.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	_, err = few.Inspect(t.Context())
	require.NoError(t, err)

	engines.Do(t, admin, "CREATE ROLE "+canary+"_drawer LOGIN", "GRANT SELECT ON leaf_alloc, leaf_alloc_takers TO "+canary+"_drawer")
	_, err = drawn(t.Context(), segmentsOf(t, as(t, s, canary+"_drawer")), "orders", "drawer", 10)
	require.ErrorContains(t, err, "42501")
	require.NotContains(t, strings.ToLower(logtest.Texts(err)), canary)

	engines.Do(t, admin, "ALTER TABLE leaf_alloc ALTER COLUMN max_id TYPE INT")
	_, err = segments.Inspect(t.Context())
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "column max_id is of type integer")
	err = segments.Change(t.Context(), "orders", func(r *segment.Row) error { r.Next = 1 << 31; return nil })
	require.ErrorContains(t, err, "22003")
	engines.Do(t, admin, "ALTER TABLE leaf_alloc ALTER COLUMN max_id TYPE BIGINT")

	const times = 2000
	for range times {
		draw(t, segments, "orders")
	}
	mostlyHOT(t, admin, 2*times)
}
