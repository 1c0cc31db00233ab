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
		numbers := tablesOf(db, sqlstore.Config{}).Numbers()
		begin := func(at time.Time) time.Time {
			t.Helper()
			_, kept, err := numbers.(numberstore.Beginner).NextFrom(t.Context(), numberstore.Host{Name: "h", Port: "1"},
				1000, at)
			require.NoError(t, err)
			return kept
		}
		first := func(after uid.UID) uid.UID {
			t.Helper()
			w := must(disposable.New(numbers, disposable.Config{Host: "h", Logger: quiet()}))
			g, err := cached.New(w, cached.Config{Layout: layout, After: after})
			require.NoError(t, err)
			u, err := g.GetUID()
			require.NoError(t, err)
			require.NoError(t, g.Close())
			return u
		}
		first(0)
		modified := func(day string) { engines.Do(t, db, "UPDATE WORKER_NODE SET MODIFIED = '"+day+" 00:00:00'") }
		modified("2037-01-01") // a clock was wrong
		_, floor, err := layout.Range(time.Now().Add(time.Minute), time.Now().Add(time.Minute).Add(1))
		require.NoError(t, err)
		require.Less(t, first(0), floor)
		require.Greater(t, first(floor), floor)
		require.Greater(t, first(0), floor, "the row keeps it")
		for range 3 {
			engines.Do(t, db, "INSERT INTO WORKER_NODE (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED) VALUES "+
				"('java', '80', 1, CURRENT_DATE, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)")
		}
		require.Greater(t, first(0), floor, "and so does the row of who found it")
		rows := nodes(t, db)
		require.Len(t, rows, 9)
		for i, kind := range []int{2, 5, 2, 4, 4, 1, 1, 1, 4} {
			require.Equal(t, kind, rows[i].Type, "row %d", i)
		}

		// Once the clock has passed a floor it is none any more.
		modified("2026-01-01")
		require.Less(t, first(0), floor)
		require.Zero(t, begin(time.Time{}))

		// A time within a second is kept by the next one: the columns hold whole seconds.
		second := time.Now().Truncate(time.Second).Add(5 * time.Minute)
		for _, at := range []time.Time{second.Add(-time.Second + 1), second.Add(-1), second} {
			kept := begin(at)
			require.True(t, kept.Equal(second), "%v for %v", kept, at)
			kept = begin(time.Time{})
			require.True(t, kept.Equal(second), "%v is what others find of %v", kept, at)
			modified("2026-01-01")
		}
	})
}

// A floor is the same time in every session, and a column that does not keep it is refused.
func TestFloorInAnySession(t *testing.T) {
	t.Parallel()
	engines.Each(t, func(t *testing.T, s store, db *sqlx.DB) {
		column, east, west, keeps := "ALTER TABLE WORKER_NODE MODIFY MODIFIED ",
			"SET time_zone = '+05:30'", "SET time_zone = '-11:00'", map[string]bool{"DATETIME": true, "DATE": false}
		switch s.Driver {
		case "sqlite":
			return // its sessions have no time zone, and its columns no type
		case "pgx":
			column, east, west = "ALTER TABLE WORKER_NODE ALTER COLUMN MODIFIED TYPE ",
				"SET TIME ZONE 'Asia/Kolkata'", "SET TIME ZONE 'America/Chicago'"
			keeps = map[string]bool{"TIMESTAMP": true, "TIMESTAMPTZ": false, "DATE": false}
		}
		db.SetMaxOpenConns(1) // to be the one of the zone
		begin := func(zone string, at time.Time) (time.Time, error) {
			t.Helper()
			engines.Do(t, db, zone)
			numbers := tablesOf(db, sqlstore.Config{Skip: -1}).Numbers().(numberstore.Beginner)
			_, kept, err := numbers.NextFrom(t.Context(), numberstore.Host{Name: "h"}, 1023, at)
			return kept, err
		}
		at := time.Now().Truncate(time.Second).Add(5 * time.Minute)
		for kind, well := range keeps {
			engines.Do(t, db, "DROP TABLE IF EXISTS WORKER_NODE")
			_, err := begin(east, time.Time{})
			require.NoError(t, err)
			engines.Do(t, db, column+kind)
			kept, err := begin(east, at)
			if !well {
				logtest.Error(t, err, uid.ErrConfig, "MODIFIED of table ")
				continue
			}
			require.NoError(t, err, kind)
			require.True(t, kept.Equal(at), "%v for %v", kept, at)
			kept, err = begin(west, time.Time{})
			require.NoError(t, err, kind)
			require.True(t, kept.Equal(at), "%v for %v, with %s", kept, at, kind)
		}
	})
}
