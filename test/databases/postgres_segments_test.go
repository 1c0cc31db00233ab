package databases_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/test/engines"
)

// Transactions of any isolation that a session may have by default are told apart alike.
func TestSegmentsInAnySessionOfPostgres(t *testing.T) {
	s := engines.NewPostgres(t)
	for _, isolation := range []string{"repeatable%20read", "serializable"} {
		segments := segmentsOf(opening(t, "pgx", s.Source+"&default_transaction_isolation="+isolation))
		other := segmentsOf(s.Open(t))
		draw(t, other, "orders")
		_, runs := meanwhile(t, segments, func() { draw(t, other, "orders") })
		require.Equal(t, 2, runs)
		var all sync.WaitGroup
		before := looked(t, other, "orders").Next
		for range 4 {
			all.Go(func() {
				for range 25 {
					assert.NoError(t, tryDraw(t.Context(), segments, "orders"))
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
	// A prepared query fails once when a type changes.
	admin := opening(t, "pgx", s.Source+"&default_query_exec_mode=exec")
	segments := segmentsOf(admin)
	draw(t, segments, "orders")

	engines.Do(t, admin, "CREATE ROLE drawer LOGIN", "GRANT USAGE ON SCHEMA public TO drawer",
		"GRANT SELECT, UPDATE ON leaf_alloc TO drawer", "GRANT SELECT, INSERT, UPDATE ON leaf_alloc_takers TO drawer")
	few := segmentsOf(as(t, s, "drawer"))
	draw(t, few, "orders")
	require.ErrorContains(t, tryDraw(t.Context(), few, "new"), "42501")
	engines.Do(t, admin, "GRANT INSERT ON leaf_alloc TO drawer")
	draw(t, few, "new")
	rowsOf(t, few)
	inspected(t, few)

	engines.Do(t, admin, "CREATE ROLE "+canary+"_drawer LOGIN",
		"GRANT SELECT ON leaf_alloc, leaf_alloc_takers TO "+canary+"_drawer")
	err := tryDraw(t.Context(), segmentsOf(as(t, s, canary+"_drawer")), "orders")
	require.ErrorContains(t, err, "42501")
	require.NotContains(t, strings.ToLower(logtest.Texts(err)), canary)

	engines.Do(t, admin, "ALTER TABLE leaf_alloc ALTER COLUMN max_id TYPE INT")
	_, err = segments.Inspect(t.Context())
	logtest.Error(t, err, uid.ErrConfig, "column max_id is of type integer")
	err = segments.Change(t.Context(), "orders", func(r *segmentstore.Row) error { r.Next = 1 << 31; return nil })
	require.ErrorContains(t, err, "22003")
	engines.Do(t, admin, "ALTER TABLE leaf_alloc ALTER COLUMN max_id TYPE BIGINT")

	const times = 2000
	for range times {
		draw(t, segments, "orders")
	}
	mostlyHOT(t, admin, 2*times)
}
