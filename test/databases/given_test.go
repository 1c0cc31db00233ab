package databases_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/kit"
)

// The mark of IDs that were given is in the namespace's own row, and holds without the rows.
func TestGivenIsStored(t *testing.T) {
	t.Parallel()
	eachStore(t, func(t *testing.T, s store) {
		db := s.Open(t)
		tenantOf(t, db)
		holder := func() (text string) {
			require.NoError(t, db.Get(&text, "SELECT HOLDER FROM WORKER_LEASE WHERE WORKER_ID = -1"))
			return text
		}
		take := func() (id int64, err error) {
			row, err := strangerOf(t, db, "").tryTake(t.Context())
			return row.WorkerID, err
		}
		gets := func(want int64) {
			t.Helper()
			id, err := take()
			require.NoError(t, err)
			require.Equal(t, want, id)
		}
		gets(0)
		require.Equal(t, "all worker IDs, given up to 15", holder())
		kit.Do(t, db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
		gets(16)
		require.Equal(t, "all worker IDs, given up to 31", holder())

		// As an older program has left it: what has a row was given.
		kit.Do(t, db, "UPDATE WORKER_LEASE SET HOLDER = '' WHERE WORKER_ID = -1",
			"DELETE FROM WORKER_LEASE WHERE WORKER_ID > 20",
			"UPDATE WORKER_LEASE SET LEASE_UNTIL = 9999999999999999 WHERE WORKER_ID >= 0")
		kit.Do(t, db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 1 WHERE WORKER_ID = 18")
		gets(18)
		require.Equal(t, "all worker IDs, given up to 20", holder())
		gets(21)
		require.Equal(t, "all worker IDs, given up to 36", holder())

		// A range, which the mark outlives, and which names what is missing.
		kit.Do(t, db, "UPDATE WORKER_LEASE SET HOLDER = 'worker IDs 18 to 37, given up to 36' WHERE WORKER_ID = -1",
			"DELETE FROM WORKER_LEASE WHERE WORKER_ID IN (19, 22, 23, 24)",
			"UPDATE WORKER_LEASE SET LEASE_UNTIL = 9999999999999999 WHERE WORKER_ID >= 0")
		gets(37)
		require.Equal(t, "worker IDs 18 to 37, given up to 37", holder())
		_, err := take()
		require.ErrorIs(t, err, uid.ErrNoWorkerID)
		require.ErrorContains(t, err, "worker IDs 19 and 22 to 24 have no row: ")
		kit.Do(t, db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
		_, err = take()
		require.ErrorIs(t, err, uid.ErrNoWorkerID)
		require.ErrorContains(t, err, "none of 18 to 37 has a row; worker IDs 18 to 37 have no row: ")

		for _, text := range []string{
			"all worker IDs", "all worker IDs, given up to", "all worker IDs, given up to -1",
			"all worker IDs, given up to 07", "given up to 7",
			"worker IDs 0 to 9, given up to x", ", given up to 7", "all worker IDs, given up to 7 ",
		} {
			_, err := db.Exec(db.Rebind("UPDATE WORKER_LEASE SET HOLDER = ? WHERE WORKER_ID = -1"), text)
			require.NoError(t, err)
			_, err = take()
			require.ErrorIs(t, err, uid.ErrConfig, text)
			require.ErrorContains(t, err, fmt.Sprintf("HOLDER of the namespace's own row (WORKER_ID -1) is %q", text))
		}
	})
}
