package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
)

// from are terms with a floor: ticks from min on.
func from(min int64) uid.Terms {
	t := millis(1023)
	t.MinTick = min
	return t
}

// An owner with a floor ahead of the clock begins there, and so do all later owners of any ID, though they ask for no
// floor. Present owners are not affected.
func TestFloor(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		cfg := lease.Config{Losses: losses}
		earlier, before := h.held(cfg)
		floor := h.tick() + ms(reach) + 20_000 // what a start waits for at most is 32 s
		asking := h.lease(cfg)
		r := h.acquireFor(asking, from(floor))
		require.Equal(t, floor, r.First)
		require.GreaterOrEqual(t, r.Last, floor, "it can begin at once")
		require.Equal(t, floor-1, h.namespace().Floor)
		require.NoError(t, asking.Release(t.Context(), -1))
		require.GreaterOrEqual(t, h.row(r.WorkerID).High, floor-1, "and its row keeps it")

		other := h.acquire(h.lease(cfg))
		require.NotEqual(t, r.WorkerID, other.WorkerID)
		require.GreaterOrEqual(t, other.First, floor)
		require.Equal(t, before.First, h.extend(earlier, before.Last+1).First)

		// A lower floor, or none, does not lower it.
		h.acquireFor(h.lease(cfg), from(floor-10))
		require.Equal(t, floor-1, h.namespace().Floor)
	})
}

// A floor beyond what a lease can begin with is refused with the numbers, and nothing is written:
// all others would have to wait for it.
func TestFloorTooFarAhead(t *testing.T) {
	const most = lease.Burn + 2*time.Millisecond + 10*time.Second
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l := h.lease(lease.Config{Losses: losses, Timeout: 10 * time.Second})
		namespace := h.namespace()
		err := h.acquireError(l, from(h.tick()+ms(most)+2))
		logtest.Error(t, err, uid.ErrRange, "the generator's floor rules out ticks up to", most.String())
		require.Equal(t, namespace, h.namespace())
		r := h.acquireFor(l, from(h.tick()+ms(most)))
		require.GreaterOrEqual(t, r.Last, r.First)
	})
}

// An acquisition with a floor whose reply was lost is taken up above the floor.
func TestFloorOfARetake(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		require.NoError(t, h.foundWith(0, 0))
		l, client := h.client(lease.Config{Losses: lease.Never})
		client.Fault(storetest.LoseReply)
		floor := h.tick() + ms(time.Minute)
		require.Equal(t, floor, h.acquireFor(l, from(floor)).First)
	})
}

// Found gives a namespace its floor, and raises that of one which is there; it does not lower it.
func TestFoundFloor(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		found := func(f lease.Founding) error { return lease.Found(t.Context(), h.memory.Store(orders), f) }
		now := h.tick()
		at := func(tick int64) lease.Founding { // everybody begins at the tick
			return lease.Founding{Layout: milliseconds, After: uid.UID(tick<<22 - 1)}
		}
		require.NoError(t, found(at(now+5000)))
		require.Equal(t, now+4999, h.namespace().Floor)
		require.NoError(t, found(at(now+1000)))
		require.Equal(t, now+4999, h.namespace().Floor)
		require.NoError(t, found(at(now+9000)))
		require.Equal(t, now+8999, h.namespace().Floor)
		require.Equal(t, now+9000, h.acquire(h.lease(lease.Config{})).First)

		before := h.namespace()
		logtest.Error(t, found(at(now+ms(lease.Burn)+1)), uid.ErrRange, "is 2m2.001s ahead of the store's clock")
		require.Equal(t, before, h.namespace())
		require.NoError(t, found(at(now+ms(lease.Burn))))
	})
}
