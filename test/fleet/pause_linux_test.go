package fleet

import (
	"maps"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/crew"
)

// Processes that stand still until others have their IDs, and then go on as if nothing
// had happened, issue nothing that the others do.
func TestPause(t *testing.T) {
	for _, c := range []struct {
		name  string
		lease crew.Timing
	}{{"", crew.Brisk}, {"durable", crew.Brisk.Durable()}} {
		t.Run(c.name, func(t *testing.T) {
			blindToo(t, func(t *testing.T, blind bool) {
				s, db := openShared(t)
				f := newFleet(t, crew.Job{Store: s.text(), Lease: c.lease, Blind: blind})
				f.StartAll(6)
				const together = 4
				rounds := 0
				for ; f.GoesOn(rounds, times(2, 8)); rounds++ {
					f.Idle(50 * time.Millisecond)
					paused := f.Living()
					f.Rand.Shuffle(len(paused), func(i, j int) { paused[i], paused[j] = paused[j], paused[i] })
					paused = paused[:together]
					for _, p := range paused {
						p.Stop()
					}
					ids := map[int64]bool{}
					for _, p := range paused {
						ids[f.IDOf(p.Number)] = true
					}
					require.Len(t, ids, together)
					// At least as many take part as there are free IDs.
					free := freeIDs(t, db, c.lease)
					crew.Await(t, "the end of the leases", func() bool {
						free = freeIDs(t, db, c.lease)
						n := 0
						for _, id := range free {
							if ids[id] {
								n++
							}
						}
						return n == together
					})
					// One that loses a race may take another ID, so that more have to start.
					var fresh []*crew.Member
					for missing, n := maps.Clone(ids), len(free); len(missing) > 0; n = len(missing) {
						require.Less(t, len(fresh), len(free)+5*together, "IDs %v are not taken over", missing)
						for _, p := range f.StartAll(n) {
							p.AwaitUIDs(100)
							delete(missing, f.IDOf(p.Number))
							fresh = append(fresh, p)
						}
					}
					for _, p := range paused {
						before := f.LostBy(p.Number)
						p.Continue()
						crew.Await(t, "the paused process to notice", func() bool { return f.LostBy(p.Number) > before })
						p.AwaitUIDs(100)
					}
					for _, p := range fresh {
						p.End()
					}
				}
				require.GreaterOrEqual(t, f.TakenOver(), rounds*together)
				f.finish()
				t.Logf("%d pauses", rounds*together)
				if !blind {
					require.Empty(t, f.unreserved(db))
				}
			})
		})
	}
}

// freeIDs returns those that may be taken over by the database's clock.
func freeIDs(t *testing.T, db *sqlx.DB, lease crew.Timing) (ids []int64) {
	t.Helper()
	var now int64
	require.NoError(t, db.Get(&now, "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01 00:00:00', UTC_TIMESTAMP(6))"))
	for _, row := range rows(t, db) {
		if row.Until+lease.Quarantine.Microseconds() < now {
			ids = append(ids, row.ID)
		}
	}
	return ids
}
