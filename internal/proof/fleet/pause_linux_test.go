package fleet

import (
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"
)

// Processes that stand still until others have their IDs, and then go on as if nothing
// had happened, issue nothing that the others do.
func TestPause(t *testing.T) {
	for _, c := range []struct {
		name  string
		lease timing
	}{{"", brisk}, {"durable", brisk.durable()}} {
		t.Run(c.name, func(t *testing.T) {
			blindToo(t, func(t *testing.T, blind bool) {
				s, db := openShared(t)
				f := newFleet(t, job{Store: s, Lease: c.lease, Blind: blind})
				f.startAll(6)
				const together = 4
				rounds := 0
				for ; f.goesOn(rounds, times(2, 8)); rounds++ {
					f.idle(50 * time.Millisecond)
					paused := f.living()
					f.rand.Shuffle(len(paused), func(i, j int) { paused[i], paused[j] = paused[j], paused[i] })
					paused = paused[:together]
					for _, p := range paused {
						p.stop()
					}
					ids := map[int64]bool{}
					for _, p := range paused {
						ids[p.id()] = true
					}
					require.Len(t, ids, together)
					// As many take part as there are free IDs.
					free := freeIDs(t, db, c.lease)
					await(t, "the end of the leases", func() bool {
						free = freeIDs(t, db, c.lease)
						n := 0
						for _, id := range free {
							if ids[id] {
								n++
							}
						}
						return n == together
					})
					fresh := f.startAll(len(free))
					taken := map[int64]bool{}
					for _, p := range fresh {
						p.awaitUIDs(100)
						taken[p.id()] = true
					}
					for id := range ids {
						require.True(t, taken[id], "ID %d is taken over", id)
					}
					for _, p := range paused {
						before := p.lost()
						p.resume()
						await(t, "the paused process to notice", func() bool { return p.lost() > before })
						p.awaitUIDs(100)
					}
					for _, p := range fresh {
						p.kill()
					}
				}
				require.GreaterOrEqual(t, f.takenOver(), rounds*together)
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
func freeIDs(t *testing.T, db *sqlx.DB, lease timing) (ids []int64) {
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
