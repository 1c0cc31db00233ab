package lease_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

// A fleet that starts at once does not renew at once, and nobody renews later than half a Window
// after the last time.
func TestRenewalsAreSpread(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		const fleet = 200
		require.NoError(t, h.foundWith(0, 1023))
		leases := make([]*lease.Lease, fleet)
		for i := range leases {
			leases[i] = h.lease(lease.Config{Losses: lease.Never})
			leases[i].SetChance(rand.Int64N)
			r := h.acquire(leases[i])
			require.GreaterOrEqual(t, r.Renew, h.tick()+ms(3*window/8))
			require.LessOrEqual(t, r.Renew, h.tick()+ms(window/2))
		}
		// renewed asks all to extend what they have, and counts those that do.
		renewed := func(since time.Time) (n int) {
			for i, l := range leases {
				h.extend(l, 0)
				if h.row(int64(i)).Renewed.After(since) {
					n++
				}
			}
			return n
		}
		for range 3 {
			last := h.storeNow().UTC()
			h.pass(3*window/8 - time.Millisecond)
			require.Zero(t, renewed(last))
			h.pass(window/16 + time.Millisecond)
			require.InDelta(t, fleet/2, renewed(last), fleet/4)
			h.pass(window / 16)
			require.Equal(t, fleet, renewed(last))
			last = h.storeNow().UTC()
			h.pass(window / 2) // the next round begins in step again
			require.Equal(t, fleet, renewed(last))
		}
	})
}

// A generator that draws beyond its reservation again and again writes ten times a second at
// most, and ever less often.
func TestBurstsAreFloored(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, r := h.held(lease.Config{Window: 5 * time.Second})
		begin, writes := r.Last, 0
		for range 1000 {
			h.pass(time.Millisecond)
			last := r.Last
			if r = h.extend(l, r.Last+1); r.Last > last {
				writes++
			}
		}
		require.InDelta(t, 10, writes, 1)
		require.Greater(t, r.Last-begin, int64(100*625), "each write of a burst reserves more than the one before")
		require.LessOrEqual(t, r.Last, h.tick()+ms(lease.Burn))

		// Once the burst is over all is as before: the next one is served at once.
		h.pass(20 * time.Minute)
		l = h.lease(lease.Config{Window: 5 * time.Second})
		r = h.acquire(l)
		require.Equal(t, r.Last+1+625, h.extend(l, r.Last+1).Last)
	})
}
