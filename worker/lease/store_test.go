package lease_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

var errBroken = errors.New("the disk is on fire")

// passing has the first calls fail, as many as that, with what may pass.
func passing(calls int) func(n int) error {
	return func(n int) error {
		if n <= calls {
			return worker.Transient(errBroken)
		}
		return nil
	}
}

// bubble runs a test with a store that fails as told.
func bubble(t *testing.T, test func(t *testing.T, h *house, f *meddled)) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, storetest.MemoryConfig{})
		h.found()
		test(t, h, &meddled{Store: h.memory.Store(orders)})
	})
}

// What a store tells of itself is minded where DurableStore claims more.
func TestStoreThatLosesWrites(t *testing.T) {
	lossy := []string{"the log is not synced", "2 replicas are behind"}
	for _, c := range []struct {
		name    string
		lossy   []string
		cfg     lease.Config
		refused bool
	}{
		{"durable", nil, lease.Config{Losses: lease.Never}, false},
		{"lossy", lossy, lease.Config{Losses: lease.Never}, true},
		{"lossy in one way", lossy[1:], lease.Config{Losses: lease.Never}, true},
		{"lossy, unverified", lossy, lease.Config{Losses: lease.NeverUnchecked}, false},
		{"lossy, not claimed", lossy, lease.Config{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, storetest.MemoryConfig{Lossy: c.lossy})
				l := h.lease(c.cfg)
				if !c.refused {
					h.acquire(l)
					return
				}
				logtest.Error(t, h.acquireError(l, millis(1023)), uid.ErrConfig, c.lossy...)
				require.Empty(t, h.ids(), "nothing is leased")
			})
		})
	}
}

// A store that cannot hold the rows is refused, durable or not. One that does not answer is
// asked again, and once it has answered it is not.
func TestInspect(t *testing.T) {
	for _, losses := range []lease.Losses{lease.ByHistory, lease.Never} {
		bubble(t, func(t *testing.T, h *house, f *meddled) {
			l := h.on(f, lease.Config{Losses: losses})
			f.inspect = func(int) error { return fmt.Errorf("%w: a column is too short", uid.ErrConfig) }
			logtest.Error(t, h.acquireError(l, millis(1023)), uid.ErrConfig, "too short")
			require.Equal(t, 1, f.asked)
			require.Zero(t, f.called)

			f.asked = 0
			f.inspect = passing(3)
			f.call = func(_ context.Context, n int) error { return passing(2)(n) }
			h.acquire(l)
			require.Equal(t, 4, f.asked)
			require.Equal(t, 3, f.called)
			require.NoError(t, l.Release(t.Context(), -1))
			f.asked, f.inspect = 0, nil
			h.acquire(l)
			require.Equal(t, 1, f.asked, "at each start")
		})
	}
}

// What is not marked as passing is told at once, and in its own words.
func TestFinalError(t *testing.T) {
	bubble(t, func(t *testing.T, h *house, f *meddled) {
		final := func(context.Context, int) error { return errBroken }
		f.call = final
		var told events
		l := h.on(f, lease.Config{Losses: lease.Never, OnEvent: told.add})
		began := h.now()
		err := h.acquireError(l, millis(1023))
		logtest.Error(t, err, errBroken,
			`the lease of a worker ID in namespace "orders" in memory: the disk is on fire`)
		require.NotErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 1, f.called)
		require.Equal(t, began, h.now())

		f.call = nil
		was := h.acquire(l) // after a failure the worker is free again
		f.call = final
		h.pass(window / 2)
		logtest.Error(t, h.extendError(l, 0), errBroken, "extend the lease of worker ID 0")
		f.call = nil
		require.Equal(t, was.First, h.extend(l, 0).First, "the lease is not lost by it")
		f.call, f.called = final, 0
		logtest.Error(t, l.Release(t.Context(), -1), errBroken, "release the lease of worker ID 0")
		require.Equal(t, 1, f.called)
		require.Equal(t, []string{"acquired"}, told.kinds())
	})
}

// What may pass is tried again until the Timeout is over, and warned of once. A renewal makes
// one attempt: the generator asks again.
func TestTransientErrors(t *testing.T) {
	for _, c := range []struct{ set, want time.Duration }{
		{0, 30 * time.Second}, {time.Minute, time.Minute}, {time.Millisecond, time.Millisecond},
	} {
		bubble(t, func(t *testing.T, h *house, f *meddled) {
			f.call = func(context.Context, int) error { return worker.Transient(errBroken) }
			var logged logtest.Records
			l := h.on(f, lease.Config{Timeout: c.set, Logger: logged.Logger()})
			began := h.now()
			err := h.acquireError(l, millis(1023))
			require.Equal(t, c.want, h.now().Sub(began))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			logtest.Error(t, err, errBroken, "gave up after "+c.want.String())
			require.Equal(t, 1, logged.Count("level=WARN"), "one warning, not one each time")
			require.Empty(t, h.ids())

			f.call = nil
			was := h.acquire(l)
			f.call, f.called = func(context.Context, int) error { return worker.Transient(errBroken) }, 0
			h.pass(window / 2)
			require.ErrorIs(t, h.extendError(l, 0), errBroken)
			require.Equal(t, 1, f.called)
			require.Equal(t, was, lease.ReservationOf(l))
		})
	}
}

// A start ends with its context, also while the store does not answer, and tells what failed last.
func TestCancelledStart(t *testing.T) {
	bubble(t, func(t *testing.T, h *house, f *meddled) {
		f.call = func(ctx context.Context, n int) error {
			if n > 1 {
				<-ctx.Done()
			}
			return worker.Transient(errBroken)
		}
		l := h.on(f, lease.Config{})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		began := h.now()
		_, err := l.Acquire(ctx, millis(1023))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, errBroken, "the last failure is told too")
		require.Equal(t, 3*time.Second, h.now().Sub(began))

		called, asked := f.called, f.asked
		_, err = l.Acquire(ctx, millis(1023))
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, called, f.called, "with an ended context nothing is tried")
		require.Equal(t, asked, f.asked)

		// While it waits for its first ticks it gives the ID back.
		f.call = nil
		ctx, cancel = context.WithCancel(t.Context())
		time.AfterFunc(skew/2, cancel)
		h.memory.LoseHistory()
		_, err = l.Acquire(ctx, millis(1023))
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, h.row(0).Nonce)
	})
}

// When there is no ID that is told at once, since it takes long to pass.
func TestNoneFree(t *testing.T) {
	until := time.Date(2026, 7, 1, 12, 0, 0, 123456000, time.FixedZone("", 3600))
	ids := lease.Range{First: 3, Last: 17}
	err := storage.NoneFree(ids, until, nil)
	require.ErrorIs(t, err, uid.ErrNoWorkerID)
	require.EqualError(t, err, uid.ErrNoWorkerID.Error()+
		": all of 3 to 17 are leased or in quarantine, the first one until 2026-07-01T11:00:00.123456Z")
	var many []lease.Range
	for id := int64(4); id < 40; id += 2 {
		many = append(many, lease.Range{First: id, Last: id})
	}
	for text, missing := range map[string][]lease.Range{
		"; worker ID 4 has no row: somebody has deleted it, and nobody gets the ID until it is put back": {
			{First: 4, Last: 4},
		},
		"; worker IDs 4 to 5 have no row: somebody has deleted them, ":      {{First: 4, Last: 5}},
		"; worker IDs 4 to 5 and 9 have no row: ":                           {{First: 4, Last: 5}, {First: 9, Last: 9}},
		"; worker IDs 4, 6, 8, 10, 12, 14, 16, 18 and others have no row: ": many,
	} {
		require.ErrorContains(t, storage.NoneFree(ids, until, missing), text)
	}
	require.ErrorContains(t, storage.NoneFree(ids, time.Time{}, []lease.Range{ids}),
		"none of 3 to 17 has a row; worker IDs 3 to 17 have no row")

	eachHouse(t, func(t *testing.T, h *house) {
		h.acquireFor(h.lease(lease.Config{Losses: lease.Never}), millis(0))
		began, row := h.now(), h.row(0)
		logtest.Error(t, h.acquireError(h.lease(lease.Config{}), millis(0)), uid.ErrNoWorkerID,
			"the first one until "+row.Until.Add(quarantine).Format(time.RFC3339Nano))
		require.Equal(t, began, h.now())
	})
}

func TestNewIDs(t *testing.T) {
	all := lease.Range{Last: 4095}
	for _, c := range []struct {
		given int64
		in    lease.Range
		want  lease.Range
		some  bool
	}{
		{-1, all, lease.Range{First: 0, Last: 15}, true},
		{15, all, lease.Range{First: 16, Last: 31}, true},
		{79, all, lease.Range{First: 80, Last: 99}, true}, // a quarter of 80
		{395, all, lease.Range{First: 396, Last: 494}, true},
		{2000, all, lease.Range{First: 2001, Last: 2100}, true}, // the most
		{4079, all, lease.Range{First: 4080, Last: 4082}, true}, // a quarter of what is left
		{4094, all, lease.Range{First: 4095, Last: 4095}, true},
		{4095, all, lease.Range{}, false},
		{5000, all, lease.Range{}, false},
		{-1, lease.Range{First: 512, Last: 1023}, lease.Range{First: 512, Last: 527}, true},
		{511, lease.Range{First: 512, Last: 1023}, lease.Range{First: 512, Last: 527}, true},
		{-1, lease.Range{First: 5, Last: 5}, lease.Range{First: 5, Last: 5}, true},
		{-1, lease.Range{First: 0, Last: 15}, lease.Range{First: 0, Last: 2}, true},
		{-1, lease.Range{First: 0, Last: math.MaxInt64}, lease.Range{First: 0, Last: 15}, true},
		{math.MaxInt64 - 1, lease.Range{First: 0, Last: math.MaxInt64},
			lease.Range{First: math.MaxInt64, Last: math.MaxInt64}, true},
		{math.MaxInt64, lease.Range{First: 0, Last: math.MaxInt64}, lease.Range{}, false},
	} {
		ids, some := storage.Namespace{Given: c.given}.NewIDs(c.in)
		require.Equal(t, c.some, some, "%+v", c)
		require.Equal(t, c.want, ids, "%+v", c)
	}
	// Many need few writes.
	ns, writes := storage.Namespace{Given: -1}, 0
	for ; ns.Given < 1000; writes++ {
		ids, _ := ns.NewIDs(all)
		require.Equal(t, ns.Given+1, ids.First)
		ns.Given = ids.Last
	}
	require.Less(t, writes, 20)
}

// Where clocks may be off, a lease lasts for longer, and is over later, by everybody's.
func TestClockErrorOfALease(t *testing.T) {
	const off = 700 * time.Millisecond
	eachStore(t, storetest.MemoryConfig{Error: off}, func(t *testing.T, h *house) {
		var told events
		l := h.lease(lease.Config{Losses: lease.Never, OnEvent: told.add})
		h.acquireFor(l, millis(0))
		row := h.row(0)
		require.Equal(t, ttl+off, row.Until.Sub(row.Renewed))
		h.pass(ttl)
		h.extend(l, 0)
		require.Equal(t, []string{"acquired"}, told.kinds(), "by the fastest clock this is its last moment")

		// From then on its owner must not count on it, and nobody else have it yet.
		h.pass(ttl + time.Microsecond)
		require.ErrorIs(t, h.extendError(l, 0), uid.ErrNoWorkerID)
		require.Equal(t, []string{"acquired", "lost"}, told.kinds())
		h.pass(off + quarantine + off - time.Microsecond)
		require.ErrorIs(t, h.acquireError(h.lease(lease.Config{Losses: lease.Never}), millis(0)), uid.ErrNoWorkerID)
		h.pass(time.Microsecond)
		h.acquireFor(h.lease(lease.Config{Losses: lease.Never}), millis(0))
	})
}

// A pending acquisition is confirmed only while its lease lasts by every client's clock.
func TestClockErrorOfAPending(t *testing.T) {
	const off = 700 * time.Millisecond
	for pass, id := range map[time.Duration]int64{ttl: 1, ttl + time.Microsecond: 2} {
		eachStore(t, storetest.MemoryConfig{Error: off}, func(t *testing.T, h *house) {
			l, client := h.client(lease.Config{Losses: lease.Never})
			h.acquire(l)
			h.memory.RemoveRow(orders, 0)
			h.pass(window / 2)
			client.Fault(storetest.OK, storetest.LoseReply)
			require.Error(t, h.extendError(l, 0))
			h.pass(pass)
			require.Equal(t, id, h.extend(l, 0).WorkerID)
		})
	}
}

// The clocks of two owners are apart by up to twice their error: nobody reserves so far that another one's burn would
// not reach.
func TestClockErrorOfTheReach(t *testing.T) {
	for off, apart := range map[time.Duration]time.Duration{time.Second: skew, 3 * time.Second / 2: 3 * time.Second} {
		eachStore(t, storetest.MemoryConfig{Error: off}, func(t *testing.T, h *house) {
			l, _ := h.held(lease.Config{})
			h.pass(window / 2)
			require.Equal(t, h.tick()+ms(lease.Burn-apart), h.extend(l, math.MaxInt64/2).Last)

			// However long its Window is.
			wide := h.acquire(h.lease(lease.Config{Window: 2 * (lease.Burn - skew) / 3, TTL: lease.Burn}))
			require.Equal(t, h.tick()+ms(lease.Burn-apart), wide.Last)
		})
	}
}

// Nor is a tick refused that another owner was allowed to use.
func TestClockErrorOfMaxAhead(t *testing.T) {
	const off = time.Second
	eachStore(t, storetest.MemoryConfig{Error: off}, func(t *testing.T, h *house) {
		h.found()
		const ahead = lease.Burn + 15*time.Minute + 2*off
		set := func(high int64) {
			h.memory.SetRow(orders, storage.Lease{WorkerID: 0, High: high, Until: h.now().Add(-time.Hour)})
		}
		set(h.tick() + ms(ahead) + 1)
		require.ErrorIs(t, h.acquireError(h.lease(lease.Config{Losses: lease.Never}), millis(0)), worker.ErrClock)
		set(h.tick() + ms(ahead))
		// It is believed; only that nothing can be reserved so far ahead of the clock.
		require.ErrorIs(t, h.acquireError(h.lease(lease.Config{Losses: lease.Never}), millis(0)), uid.ErrNoReservation)
	})
}

// A store whose clock may be off by more than what is allowed is refused, by each of the limits.
func TestClockErrorIsLimited(t *testing.T) {
	eachStore(t, storetest.MemoryConfig{Error: 3 * time.Second}, func(t *testing.T, h *house) {
		err := h.acquireError(h.lease(lease.Config{}), millis(1023))
		logtest.Error(t, err, worker.ErrClock, "0s apart and up to 3s more; at most 2s are allowed")
		h.acquire(h.lease(lease.Config{MaxClockSkew: 3 * time.Second}))
	})
}
