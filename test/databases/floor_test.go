package databases_test

import (
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A generator with a floor ahead of the clock begins above it, and so does the next one on the
// table, which asks for none. Rows of Java's kind say nothing of floors, whatever their times are.
func TestDisposableFloor(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, _ store, db *sqlx.DB) {
		layout := bits.Default()
		numbers := tablesOf(t, db, sqlstore.Config{}).Numbers()
		first := func(after uid.UID) uid.UID {
			t.Helper()
			w, err := disposable.New(numbers, disposable.Config{Host: "h", Logger: (&logtest.Records{}).Logger()})
			require.NoError(t, err)
			g, err := cached.New(w, cached.Config{Layout: layout, After: after})
			require.NoError(t, err)
			u, err := g.GetUID()
			require.NoError(t, err)
			require.NoError(t, g.Close())
			return u
		}
		first(0)
		_, err := db.Exec("UPDATE WORKER_NODE SET MODIFIED = '2037-01-01 00:00:00'") // a clock was wrong
		require.NoError(t, err)
		_, floor, err := layout.Range(time.Now().Add(5*time.Minute), time.Now().Add(5*time.Minute).Add(1))
		require.NoError(t, err)
		require.Less(t, first(0), floor)
		require.Greater(t, first(floor), floor)
		require.Greater(t, first(0), floor, "the row keeps it")
		for range 3 {
			_, err := numbers.Next(t.Context(), numberstore.Host{Name: "java", Port: "80"}, 1000)
			require.NoError(t, err)
		}
		require.Greater(t, first(0), floor, "and so does the row of who found it")
		rows := nodes(t, db)
		require.Len(t, rows, 9)
		for i, kind := range []int{2, 5, 2, 4, 4, 1, 1, 1, 4} {
			require.Equal(t, kind, rows[i].Type, "row %d", i)
		}

		// Once the clock has passed a floor it is none any more.
		_, err = db.Exec("UPDATE WORKER_NODE SET MODIFIED = '2026-01-01 00:00:00'")
		require.NoError(t, err)
		require.Less(t, first(0), floor)
		kept, err := numbers.(numberstore.Beginner).Begin(t.Context(), 10, time.Time{})
		require.NoError(t, err)
		require.Zero(t, kept)

		// A time within a second is kept by the next one: the columns hold whole seconds.
		second := time.Now().Truncate(time.Second).Add(5 * time.Minute)
		for _, at := range []time.Time{second.Add(-time.Second + 1), second.Add(-1), second} {
			id, err := numbers.Next(t.Context(), numberstore.Host{Name: "h", Port: "1"}, 1000)
			require.NoError(t, err)
			kept, err := numbers.(numberstore.Beginner).Begin(t.Context(), id, at)
			require.NoError(t, err)
			require.True(t, kept.Equal(second), "%v for %v", kept, at)
			id, err = numbers.Next(t.Context(), numberstore.Host{Name: "h", Port: "1"}, 1000)
			require.NoError(t, err)
			kept, err = numbers.(numberstore.Beginner).Begin(t.Context(), id, time.Time{})
			require.NoError(t, err)
			require.True(t, kept.Equal(second), "%v is what others find of %v", kept, at)
			_, err = db.Exec("UPDATE WORKER_NODE SET MODIFIED = '2026-01-01 00:00:00'")
			require.NoError(t, err)
		}
	})
}
