package databases_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/lease"
)

// Four owners run, all rows of IDs are deleted for three seconds and put back: no tick of an ID is in
// two hands. Each draws a tick whenever the clock has moved on.
func TestRowsVanishAndComeBack(t *testing.T) {
	const step = time.Second
	ways := map[string][2]string{
		"rows": {"DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0",
			"INSERT INTO WORKER_LEASE SELECT * FROM AWAY " +
				"WHERE WORKER_ID >= 0 AND WORKER_ID NOT IN (SELECT WORKER_ID FROM WORKER_LEASE)"},
		"rows of owners": {"DELETE FROM WORKER_LEASE WHERE WORKER_ID BETWEEN 0 AND 3",
			"INSERT INTO WORKER_LEASE SELECT * FROM AWAY WHERE WORKER_ID BETWEEN 0 AND 3"},
		"all rows": {"DELETE FROM WORKER_LEASE", "INSERT INTO WORKER_LEASE SELECT * FROM AWAY"},
		"the table": {"ALTER TABLE WORKER_LEASE RENAME TO WORKER_GONE",
			"ALTER TABLE WORKER_GONE RENAME TO WORKER_LEASE"},
	}
	for name, way := range ways {
		t.Run(name, func(t *testing.T) {
			eachSite(t, func(t *testing.T, s *site) {
				type of struct{ id, tick int64 }
				by, had := map[of]int{}, map[int64]bool{}
				leases, has := make([]*lease.Lease, 4), make([]uid.Reservation, 4)
				draw := func() {
					s.pass(step)
					for i, r := range has {
						tick := s.tick()
						if tick < r.First || tick > r.Last {
							continue
						}
						had[r.WorkerID] = true
						if was, issued := by[of{r.WorkerID, tick}]; issued {
							t.Fatalf("owners %d and %d have both issued tick %d of worker ID %d",
								was, i, tick, r.WorkerID)
						}
						by[of{r.WorkerID, tick}] = i
					}
				}
				for i := range leases {
					leases[i] = s.lease(lease.Config{Losses: lease.NeverUnchecked})
					has[i] = s.acquire(leases[i])
				}
				renew := func(owners ...int) {
					for _, i := range owners {
						if r, err := leases[i].Extend(t.Context(), has[i].Last+1); err == nil {
							has[i] = r
						}
						draw()
					}
				}
				draw()
				kit.Do(t, s.db, "CREATE TABLE AWAY AS SELECT * FROM WORKER_LEASE", way[0])
				renew(3, 2) // those of lower IDs still have them
				kit.Do(t, s.db, way[1])
				renew(1, 0)
				renew(3, 2, 1, 0)
				require.Greater(t, len(had), 4, "owners whose rows, or namespace, are gone take other IDs")
			})
		})
	}
}

// The mark of IDs that were given is in the namespace's own row, and holds without the rows.
func TestGivenIsStored(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		holder := func() (text string) {
			require.NoError(t, s.db.Get(&text, "SELECT HOLDER FROM WORKER_LEASE WHERE WORKER_ID = -1"))
			return text
		}
		take := func() (id int64, err error) {
			r, err := s.lease(lease.Config{Losses: lease.NeverUnchecked}).Acquire(t.Context(), millisecondTerms())
			return r.WorkerID, err
		}
		gets := func(want int64) {
			t.Helper()
			id, err := take()
			require.NoError(t, err)
			require.Equal(t, want, id)
		}
		gets(0)
		require.Equal(t, "all worker IDs, given up to 15", holder())
		kit.Do(t, s.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
		gets(16)
		require.Equal(t, "all worker IDs, given up to 31", holder())

		// As an older program has left it: what has a row was given.
		kit.Do(t, s.db, "UPDATE WORKER_LEASE SET HOLDER = '' WHERE WORKER_ID = -1",
			"DELETE FROM WORKER_LEASE WHERE WORKER_ID > 20",
			"UPDATE WORKER_LEASE SET LEASE_UNTIL = 9999999999999999 WHERE WORKER_ID >= 0")
		kit.Do(t, s.db, "UPDATE WORKER_LEASE SET LEASE_UNTIL = 1 WHERE WORKER_ID = 18")
		gets(18)
		require.Equal(t, "all worker IDs, given up to 20", holder())
		gets(21)
		require.Equal(t, "all worker IDs, given up to 36", holder())

		// A range, which the mark outlives, and which names what is missing.
		kit.Do(t, s.db, "UPDATE WORKER_LEASE SET HOLDER = 'worker IDs 18 to 37, given up to 36' WHERE WORKER_ID = -1",
			"DELETE FROM WORKER_LEASE WHERE WORKER_ID IN (19, 22, 23, 24)",
			"UPDATE WORKER_LEASE SET LEASE_UNTIL = 9999999999999999 WHERE WORKER_ID >= 0")
		gets(37)
		require.Equal(t, "worker IDs 18 to 37, given up to 37", holder())
		_, err := take()
		require.ErrorIs(t, err, uid.ErrNoWorkerID)
		require.ErrorContains(t, err, "worker IDs 19 and 22 to 24 have no row: ")
		kit.Do(t, s.db, "DELETE FROM WORKER_LEASE WHERE WORKER_ID >= 0")
		_, err = take()
		require.ErrorIs(t, err, uid.ErrNoWorkerID)
		require.ErrorContains(t, err, "none of 18 to 37 has a row; worker IDs 18 to 37 have no row: ")

		for _, text := range []string{
			"all worker IDs", "all worker IDs, given up to", "all worker IDs, given up to -1",
			"all worker IDs, given up to 07", "given up to 7",
			"worker IDs 0 to 9, given up to x", ", given up to 7", "all worker IDs, given up to 7 ",
		} {
			_, err := s.db.Exec(s.db.Rebind("UPDATE WORKER_LEASE SET HOLDER = ? WHERE WORKER_ID = -1"), text)
			require.NoError(t, err)
			_, err = take()
			require.ErrorIs(t, err, uid.ErrConfig, text)
			require.ErrorContains(t, err, fmt.Sprintf("HOLDER of the namespace's own row (WORKER_ID -1) is %q", text))
		}
	})
}

// Many that start at once make few batches of rows, and one ID for each.
func TestCrowdMakesFewBatches(t *testing.T) {
	const crowd = 60
	eachSite(t, func(t *testing.T, s *site) {
		s.acquire(s.lease(lease.Config{Losses: lease.NeverUnchecked}))
		var all sync.WaitGroup
		var mu sync.Mutex
		ids := map[int64]bool{0: true}
		for range crowd - 1 {
			l := s.lease(lease.Config{Losses: lease.NeverUnchecked, Timeout: 10 * time.Minute})
			all.Go(func() {
				r, err := l.Acquire(t.Context(), millisecondTerms())
				mu.Lock()
				defer mu.Unlock()
				if err != nil || ids[r.WorkerID] {
					t.Errorf("worker ID %d: %v", r.WorkerID, err)
				}
				ids[r.WorkerID] = true
			})
		}
		all.Wait()
		require.Len(t, ids, crowd)
		var rows int
		require.NoError(t, s.db.Get(&rows, "SELECT COUNT(*) FROM WORKER_LEASE WHERE WORKER_ID >= 0"))
		require.Equal(t, 64, rows, "four batches of 16")
	})
}

// A row that comes between the look and the write of new rows stays as it is.
func TestNewRowsReplaceNone(t *testing.T) {
	db := kit.NewMySQL(t).Open(t) // a SQLite file is locked meanwhile
	owner := tenantOf(t, db)
	runs := 0
	var id int64
	require.NoError(t, owner.Take(t.Context(), wanted, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
		if runs++; runs == 1 {
			kit.Do(t, db,
				"INSERT INTO WORKER_LEASE VALUES ('default', 3, 'others', 77, 9999999999999999, 'x', 'h', 0, 0, '')")
		}
		id = r.WorkerID
		owner.write(r, now)
		return nil
	}))
	require.Equal(t, 2, runs)
	require.EqualValues(t, 4, id, "above all rows")
	require.EqualValues(t, 77, rowIn(t, db, 3).High)
	var rows int
	require.NoError(t, db.Get(&rows, "SELECT COUNT(*) FROM WORKER_LEASE WHERE WORKER_ID < 3"))
	require.Equal(t, 1, rows, "the namespace's own: the first attempt left nothing")
}
