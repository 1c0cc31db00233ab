package lease_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A new owner begins above what its ID's row and the namespace have, with ticks reserved at once.
func TestLeaseAcquire(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		var logged logtest.Records
		var told events
		for id := range int64(3) {
			began := time.Now()
			r := h.acquire(h.named("me", lease.Config{Losses: losses, Logger: logged.Logger(), OnEvent: told.add}))
			require.Zero(t, time.Since(began), "it does not wait")
			require.Equal(t, uid.Reservation{WorkerID: id, Last: h.tick() + ms(reach),
				Renew: h.tick() + ms(window/2)}, r)
			require.Equal(t, lease.Event{Kind: "acquired", Store: `namespace "orders" in memory`, WorkerID: id},
				told.last())

			row, now := h.row(id), h.storeNow().UTC()
			require.Len(t, row.Nonce, 32)
			require.Equal(t, storage.Lease{WorkerID: id, Nonce: row.Nonce, High: r.Last, Until: now.Add(ttl),
				Layout: millis(0).Layout, Holder: "me", Acquired: now, Renewed: now}, row)
		}
		require.Equal(t, 3, logged.Count("level=DEBUG msg=\"worker ID leased\""))

		l, r := h.held(lease.Config{Losses: losses})
		require.NoError(t, l.Release(t.Context(), r.Last-100))
		require.Equal(t, r.Last-100, h.row(r.WorkerID).High)
		h.pass(quarantine + 100*time.Millisecond)
		require.Equal(t, r.Last-99, h.acquire(h.lease(lease.Config{Losses: losses})).First, "where the last one was")
	})
}

func TestLeaseRelease(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, first := h.held(lease.Config{})
		base := first.First - 1
		require.NoError(t, l.Release(t.Context(), -1))
		row := h.row(0)
		require.Empty(t, row.Nonce)
		require.Equal(t, base, row.High, "not lowered below what it was at the start")
		require.Equal(t, row.Renewed, row.Until)
		require.ErrorIs(t, l.Release(t.Context(), -1), uid.ErrNoReservation)
		require.ErrorIs(t, h.extendError(l, 0), uid.ErrNoReservation)

		// It is in quarantine, whoever asks.
		second := h.acquire(l)
		require.EqualValues(t, 1, second.WorkerID)
		require.NoError(t, l.Release(t.Context(), second.First))
		require.Equal(t, second.First, h.row(1).High)
		h.pass(quarantine + time.Millisecond)
		var told events
		l = h.lease(lease.Config{OnEvent: told.add})
		require.EqualValues(t, 0, h.acquire(l).WorkerID, "the one that has been free the longest")
		require.Equal(t, []string{"acquired"}, told.kinds())
		require.NoError(t, l.Release(t.Context(), math.MaxInt64))
		require.LessOrEqual(t, h.row(0).High, h.tick()+ms(reach), "no more than what was reserved")
	})
}

// A lease that has ended is not released: its row says when that was, and its quarantine goes on.
func TestReleaseAfterTheEnd(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l, r := h.held(lease.Config{Losses: losses})
		row := h.row(0)
		h.pass(row.Until.Sub(h.storeNow()) + time.Millisecond)
		require.NoError(t, l.Release(t.Context(), r.First))
		require.Equal(t, row, h.row(0))
	})
}

// IDs whose holders do not come back are used again, the one that has been free the longest
// first, before any that was never used.
func TestLeaseTakeover(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		gone := []uid.Reservation{h.acquire(h.named("first", lease.Config{}))}
		h.pass(time.Second)
		gone = append(gone, h.acquire(h.named("second", lease.Config{})))
		h.pass(ttl)
		alive := h.acquire(h.lease(lease.Config{}))
		require.EqualValues(t, 2, alive.WorkerID)
		h.pass(quarantine + time.Millisecond)
		for i, holder := range []string{"first", "second"} {
			var told events
			r := h.acquire(h.lease(lease.Config{OnEvent: told.add}))
			require.EqualValues(t, i, r.WorkerID)
			require.Greater(t, r.First, gone[i].Last)
			require.Equal(t, lease.Event{Kind: "taken over", Store: `namespace "orders" in memory`,
				WorkerID: int64(i), Holder: holder}, told.last())
		}
		require.EqualValues(t, 3, h.acquire(h.lease(lease.Config{})).WorkerID)
	})
}

func TestLeaseLayout(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.acquire(h.lease(lease.Config{}))
		other := millis(1023)
		other.Layout = "41/12/10 unit=1ms epoch=2026-01-01T00:00:00Z"
		err := h.acquireError(h.lease(lease.Config{}), other)
		logtest.Error(t, err, worker.ErrLayout, other.Layout, millis(0).Layout)
		layout := bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 12, SequenceBits: 10, Unit: time.Millisecond})
		require.NoError(t, lease.Found(t.Context(), h.memory.Store("other"), lease.Founding{Layout: layout}))
		h.acquireFor(h.on(h.memory.Store("other"), lease.Config{}), layout.Terms())
	})
}

// A renewal reaches 3/2 Window beyond the clock, at least every half Window.
func TestLeaseExtend(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l, r := h.held(lease.Config{Losses: losses})
		row := h.row(r.WorkerID)
		h.pass(window / 4)
		require.Equal(t, r, h.extend(l, r.Last), "it is not due")
		require.Equal(t, row, h.row(r.WorkerID))
		for range 5 {
			h.pass(window / 2)
			next := h.extend(l, 0)
			require.Equal(t, uid.Reservation{WorkerID: r.WorkerID, First: r.First, Last: h.tick() + ms(reach),
				Renew: h.tick() + ms(window/2)}, next)
			got, now := h.row(r.WorkerID), h.storeNow().UTC()
			require.NotEqual(t, row.Nonce, got.Nonce)
			row.Nonce, row.High, row.Until, row.Renewed = got.Nonce, next.Last, now.Add(ttl), now
			require.Equal(t, row, got)
		}
	})
}

// What a burst asks for is reserved on demand, as far as a burn makes up for, also where nothing is lost: somebody may
// remove the rows.
func TestLeaseExtendThrough(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		l, r := h.held(lease.Config{Losses: losses})
		got := h.extend(l, r.Last+ms(window/8))
		require.Equal(t, r.Last+ms(window/4), got.Last)
		require.Equal(t, got.Last, h.row(r.WorkerID).High)
		// The far reservation is kept, and the lease renewed all the same.
		h.pass(window / 2)
		until := h.row(r.WorkerID).Until
		require.Equal(t, max(got.Last, h.tick()+ms(reach)), h.extend(l, 0).Last)
		require.True(t, h.row(r.WorkerID).Until.After(until))

		h.pass(time.Second)
		got = h.extend(l, math.MaxInt64-1000)
		require.Equal(t, h.tick()+ms(lease.Burn-skew), got.Last)
		require.Equal(t, got, h.extend(l, got.Last), "what is asked for is reserved")
		// Who asks for more than there can be asks the store when there is more.
		row := h.row(r.WorkerID)
		h.pass(200 * time.Microsecond)
		require.Equal(t, got, h.extend(l, math.MaxInt64-1000))
		require.Equal(t, row, h.row(r.WorkerID))
		h.pass(time.Second)
		require.Equal(t, got.Last+ms(time.Second),
			h.extend(l, math.MaxInt64-1000).Last/ms(time.Millisecond)*ms(time.Millisecond))
		require.NoError(t, l.Release(t.Context(), math.MaxInt64))
		h.pass(quarantine + time.Second)
		require.Equal(t, r.WorkerID, h.acquire(h.lease(lease.Config{Losses: losses})).WorkerID)
	})
	eachHouse(t, func(t *testing.T, h *house) {
		far := millis(1023)
		far.MaxLead = math.MaxInt64
		l := h.lease(lease.Config{Losses: lease.Never})
		h.acquireFor(l, far)
		require.Equal(t, h.tick()+ms(lease.Burn-skew), h.extend(l, math.MaxInt64-1000).Last)
	})
}

// However a lease is lost, the owner reserves nothing more under its ID, says so, and
// goes on under another one.
func TestLeaseLost(t *testing.T) {
	type loss struct {
		how func(h *house, l *lease.Lease)
		why string
	}
	edited := func(change func(row *storage.Lease)) func(h *house, l *lease.Lease) {
		return func(h *house, _ *lease.Lease) { h.edit(0, change) }
	}
	eachTrustOf(t, map[string]loss{
		"taken over": {func(h *house, _ *lease.Lease) {
			h.pass(ttl + quarantine + 100*time.Millisecond)
			h.acquire(h.named("another", lease.Config{}))
		}, `another nonce or other ticks than this owner wrote; it is held by "another"`},
		"ended":         {func(h *house, _ *lease.Lease) { h.pass(ttl + 100*time.Millisecond) }, "it ended at 20"},
		"row is gone":   {func(h *house, _ *lease.Lease) { h.memory.RemoveRow(orders, 0) }, "its row is gone"},
		"released":      {edited(func(row *storage.Lease) { row.Nonce = "" }), "by somebody else"},
		"another nonce": {edited(func(row *storage.Lease) { row.Nonce = "x" }), "another nonce"},
		"another owner's nonce": {edited(func(row *storage.Lease) {
			row.Nonce = strings.Repeat("a", 22) + row.Nonce[22:] // of the same write
		}), "another nonce"},
		"more ticks": {edited(func(row *storage.Lease) { row.High++ }), "other ticks"},
		"a copy of the process has renewed": {func(h *house, l *lease.Lease) {
			held, _ := l.Held()
			held.Before = held.Reserved // so that the test may do it
			other := must(h.lease(lease.Config{}).Resume(h.t.Context(), millis(1023), held))
			require.Zero(h.t, other.WorkerID)
		}, "another nonce"},
	}, func(t *testing.T, h *house, losses lease.Losses, c loss) {
		var told events
		l := h.named("one", lease.Config{OnEvent: told.add, Losses: losses})
		was := h.acquire(l)
		c.how(h, l)
		h.pass(window / 2)
		before := h.tick()
		r := h.extend(l, was.Last+10)
		require.Equal(t, []string{"acquired", "lost", "acquired"}, told.kinds())
		lost := told.all[1]
		require.EqualValues(t, 0, lost.WorkerID)
		require.ErrorContains(t, lost.Err, c.why)
		require.GreaterOrEqual(t, r.Last, r.First)
		require.Less(t, r.First, before)
	})
}

// An owner that renews its lease while somebody reaches for its ID keeps it.
func TestLeaseRenewedAtTheLastMoment(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.acquire(h.lease(lease.Config{}))
		h.pass(ttl + quarantine + time.Second)
		row := h.row(0)
		row.Until = row.Until.Add(time.Hour)
		// A store that has chosen the row before that, and offers it as it is now.
		stale := &meddled{Store: h.memory.Store(orders)}
		stale.offered = []offer{func(_ *storage.Namespace, r *storage.Lease) { *r = row }}
		var logged logtest.Records
		r := h.acquire(h.on(stale, lease.Config{Logger: logged.Logger()}))
		require.Zero(t, r.WorkerID, "the store of the test offers the right row then")
		require.Equal(t, 1, logged.Count("the ID that was free has just been leased again"))
	})
}

// The lease of a process whose clock is far off is refused, and so is a row that makes no
// sense; each limit can be moved.
func TestLeaseClocks(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		apart := func(d time.Duration) func() time.Time {
			return func() time.Time { return h.now().Add(d) }
		}
		for _, c := range []struct {
			by, skew time.Duration
			good     bool
		}{
			{3 * time.Second, 0, false},
			{-1500 * time.Millisecond, 0, true},
			{-15 * time.Second, 30 * time.Second, true},
			{31 * time.Second, 30 * time.Second, false},
		} {
			l := h.lease(lease.Config{MaxClockSkew: c.skew, TTL: 6 * time.Minute})
			l.SetNow(apart(c.by))
			if c.good {
				h.acquire(l)
				continue
			}
			err := h.acquireError(l, millis(1023))
			require.ErrorIs(t, err, worker.ErrClock)
			require.Regexp(t, `this process's shows 20.*Z, the store's 20.*Z, .* apart; at most .* are allowed`, err)
			h.acquire(h.lease(lease.Config{})) // and it is bound to nothing
		}

		l, r := h.held(lease.Config{})
		h.shiftStore(time.Hour)
		h.shiftProcesses(window / 2)
		row := h.row(r.WorkerID)
		require.ErrorIs(t, h.extendError(l, 0), worker.ErrClock)
		require.Equal(t, row, h.row(r.WorkerID))
		h.shiftStore(window/2 - time.Hour)
		require.Equal(t, r.WorkerID, h.extend(l, 0).WorkerID)

		h.pass(-300 * 24 * time.Hour)
		require.NoError(t, lease.Found(t.Context(), h.memory.Store("early"), lease.Founding{Layout: milliseconds}))
		early := h.on(h.memory.Store("early"), lease.Config{})
		logtest.Error(t, h.acquireError(early, millis(1023)), worker.ErrClock, "before the layout's epoch")
	})
}

// An ID whose ticks are used far ahead of the clock is passed over as long as there is
// another one.
func TestLeaseFarFuture(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		require.NoError(t, l.Release(t.Context(), -1))
		h.pass(quarantine + time.Second)
		high := h.tick() + ms(40*time.Minute)
		h.edit(0, func(row *storage.Lease) { row.High = high })
		logtest.Error(t, h.acquireError(l, millis(0)), worker.ErrClock,
			fmt.Sprintf("the ticks of worker ID 0 are used up to %d", high))
		require.Equal(t, high, h.row(0).High)
		require.EqualValues(t, 1, h.acquire(l).WorkerID, "one that was never used")
		require.NoError(t, l.Release(t.Context(), -1))
		h.pass(quarantine + time.Second)
		require.EqualValues(t, 1, h.acquire(l).WorkerID, "one that has been free for less long")
		// A namespace whose floor lies there.
		h.editNamespace(func(namespace *storage.Namespace) { namespace.Floor = h.tick() + ms(time.Hour) })
		require.ErrorIs(t, h.acquireError(l, millis(1023)), uid.ErrWorkerInUse)
		err := h.acquireError(h.lease(lease.Config{}), millis(1023))
		logtest.Error(t, err, worker.ErrClock, "the ticks of the namespace are used up to")

		// The end of the time field.
		terms := millis(0)
		h.pass(terms.Epoch.Add(time.Duration(terms.MaxTick) * terms.Unit).Sub(h.now()))
		h.editNamespace(func(namespace *storage.Namespace) { namespace.Floor = -1 })
		h.edit(0, func(row *storage.Lease) { row.High = terms.MaxTick })
		logtest.Error(t, h.acquireError(h.lease(lease.Config{}), terms), uid.ErrExhausted, fmt.Sprint(terms.MaxTick))
	})
}

func TestLeaseEventPanics(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var logged logtest.Records
		h.acquire(h.lease(lease.Config{Logger: logged.Logger(), OnEvent: func(lease.Event) { panic("oops") }}))
		require.Equal(t, 1, logged.Count("OnEvent panicked"))
	})
}

// An outage is told once, when it becomes serious.
func TestLeaseLow(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var told events
		var logged logtest.Records
		l, _ := h.held(lease.Config{Losses: lease.Never, OnEvent: told.add, Logger: logged.Logger()})
		down, cancel := context.WithCancel(t.Context())
		cancel()
		fail := func() {
			_, err := l.Extend(down, 0)
			require.ErrorIs(t, err, context.Canceled)
		}
		h.pass(window / 2)
		fail()
		require.Len(t, told.kinds(), 1)
		h.pass(window/2 + 50*time.Millisecond)
		fail()
		fail()
		require.Equal(t, []string{"acquired", "low"}, told.kinds())
		low := told.last()
		require.ErrorIs(t, low.Err, context.Canceled)
		require.Greater(t, low.Left, time.Duration(0))
		require.Less(t, low.Left, window/2)
		require.Zero(t, logged.Count("level=WARN")+logged.Count("level=ERROR"), "that is the generator's")
		h.extend(l, 0)
		h.pass(window + 50*time.Millisecond)
		fail()
		require.Len(t, told.kinds(), 3)
	})
}

// A lease that is lost before its first reservation is replaced, and not by a failure of
// the start.
func TestLeaseLostWhileStarting(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var told events
		l := h.lease(lease.Config{OnEvent: func(e lease.Event) {
			told.add(e)
			if e.Kind == "acquired" && e.WorkerID == 0 {
				h.edit(0, func(row *storage.Lease) { row.Nonce, row.Holder = "another", "another" })
			}
		}})
		h.memory.LoseHistory() // it has to wait for its first ticks
		r := h.acquire(l)
		require.EqualValues(t, 1, r.WorkerID)
		require.GreaterOrEqual(t, r.Last, r.First)
		require.Equal(t, []string{"acquired", "lost", "acquired"}, told.kinds())

		// But not for ever.
		told.all = nil
		l = h.lease(lease.Config{Losses: lease.Anytime, OnEvent: func(e lease.Event) {
			told.add(e)
			for _, id := range h.ids()[2:] {
				h.edit(id, func(row *storage.Lease) { row.Nonce = "another" })
			}
		}})
		require.ErrorContains(t, h.acquireError(l, millis(1023)), "its row has another nonce")
		require.Len(t, told.kinds(), 7)
	})
}

// What takes the place of a resumed lease, which is lost before it has ticks, is given back when the start fails.
func TestResumedLeaseLostWhileStarting(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		held, _ := l.Held()
		require.NoError(t, l.Leave())
		ctx, cancel := context.WithCancel(t.Context())
		l = h.lease(lease.Config{Timeout: time.Minute, OnEvent: func(e lease.Event) {
			if e.Kind == "acquired" {
				cancel()
			}
		}})
		terms := millis(1023)
		terms.MinTick = h.tick() + ms(lease.Burn-skew+window*2/3) // longer than until the next renewal
		time.AfterFunc(window/4, func() { h.edit(0, func(row *storage.Lease) { row.Nonce = "another" }) })
		_, err := l.Resume(ctx, terms, held)
		require.ErrorIs(t, err, context.Canceled)
		require.Empty(t, h.row(1).Nonce)
	})
}
