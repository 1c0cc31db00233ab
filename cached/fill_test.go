package cached_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

// TestFillMeetsTicks: the UIDs of a Fill that begins anywhere in a tick, and ends there or in
// one of the next, are the ticks' own, one after the other.
func TestFillMeetsTicks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time stands still, so that no tick is left early
		cfg := cached.Config{Layout: millis, MaxLead: cached.Unbounded}
		for length := 1; length <= 40; length++ {
			g := start(t, &fake.Worker{ID: 9}, fake.NewClock(day), cfg)
			// run has looked once: else it could fill the slot of a tick anew between a Fill's claim, which leaves the
			// tick, and its look at the slot. The claim would be lost, which is a gap.
			synctest.Wait()
			dst := make([]uid.UID, length)
			before := parse(t, g, next(t, g.GetUID))
			for call := range 16 {
				n, err := g.Fill(dst)
				require.NoError(t, err)
				require.Equal(t, length, n)
				for i, u := range dst {
					p := parse(t, g, u)
					want := before
					want.UID, want.Sequence = u, before.Sequence+1
					if want.Sequence == 16 {
						want.Time, want.Sequence = before.Time.Add(time.Millisecond), 0
					}
					require.Equal(t, want, p, "UID %d of %d, call %d", i, length, call)
					before = p
				}
			}
		}
	})
}

// TestFillTopsUp: a Fill that enters a tick has the ring refilled before it is empty, as GetUID
// does. Nobody else does here: time stands still.
func TestFillTopsUp(t *testing.T) {
	for _, ticks := range ticksOfRings {
		synctest.Test(t, func(t *testing.T) {
			cfg := cached.Config{Layout: millis, MaxLead: cached.Unbounded, Slots: ticks}
			g := start(t, &fake.Worker{}, fake.NewClock(day), cfg)
			dst := make([]uid.UID, 16)
			for range 5 * ticks {
				require.NoError(t, errOf(g.Fill(dst)))
				require.Positive(t, g.Health().Buffered)
			}
		})
	}
}
