package uncached_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/fake"
)

// No policy issues a UID at or below the floor. Logical begins at once with the tick after it; the
// others once the clock is there.
func TestAfter(t *testing.T) {
	layout := bits.Twitter()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, policy := range []uncached.Policy{
		uncached.Logical(), uncached.Fail(), uncached.Wait(time.Second), uncached.Remember(8), uncached.RollbackBits(2),
	} {
		t.Run(policy.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const ahead = 100
				after, err := layout.Compose(layout.TickAt(at)+ahead, 7, 9)
				require.NoError(t, err)
				clock := fake.NewClock(at)
				g, err := uncached.New(&fake.Worker{ID: 1}, uncached.Config{Layout: layout, ClockBack: policy, After: after, Now: clock.Now})
				require.NoError(t, err)
				for i := range 3 * ahead {
					if u, err := g.GetUID(); err == nil {
						require.Greater(t, u, after)
					} else {
						require.ErrorIs(t, err, uid.ErrClockBack)
						require.LessOrEqual(t, i, ahead+1)
					}
					clock.Step(time.Millisecond)
				}
				require.NoError(t, g.Close())
			})
		})
	}
}

// A floor out of reach is refused, with the numbers.
func TestAfterRefused(t *testing.T) {
	layout := bits.Twitter()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := fake.NewFrozenClock(at)
	now, err := layout.Last(at)
	require.NoError(t, err)
	const tick = 1 << 22
	for after, says := range map[uid.UID]string{
		-1:                           "After -1 is negative",
		1<<63 - 1:                    "no tick of the layout",
		now + 10*60*1000*tick:        "10m0.001s ahead of the clock; 10m0s is allowed",
		now + 365*24*60*60*1000*tick: "8760h0m0.001s ahead",
	} {
		_, err := uncached.New(&fake.Worker{}, uncached.Config{Layout: layout, After: after, Now: clock.Now})
		require.ErrorContains(t, err, says)
	}
	g, err := uncached.New(&fake.Worker{}, uncached.Config{Layout: layout, After: now + 10*60*1000*tick - tick, Now: clock.Now})
	require.NoError(t, err)
	require.NoError(t, g.Close())
}
