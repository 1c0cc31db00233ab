package lease_test

import (
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// rest is for how long a namespace rests that a start has made.
const rest = 5 * time.Minute

// short is for starts that do not wait for a namespace that rests.
var short = lease.Config{Timeout: 5 * time.Second}

// foundNow makes the namespace, or finds it.
func (h *house) foundNow(rest time.Duration) {
	h.t.Helper()
	require.NoError(h.t, lease.Found(h.t.Context(), h.memory.Store(orders), lease.Founding{Terms: millis(1023), Rest: rest}))
}

// isThere reports whether there is a namespace.
func (h *house) isThere() bool {
	_, found := h.memory.Namespace(orders)
	return found
}

// Where nothing is lost nothing is made: what is missing is for a person to look at.
func TestNamespaceDurable(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := lease.Config{DurableStore: true}
		l := h.bare(cfg)
		_, err := l.Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrNoNamespace)
		require.False(t, h.isThere())

		require.NoError(t, lease.Found(t.Context(), h.memory.Store("other"), lease.Founding{Terms: millis(1023)}))
		_, err = l.Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, worker.ErrNoNamespace)
		require.ErrorContains(t, err, `namespace "orders"`)

		h.foundNow(0)
		require.Zero(t, h.acquire(l).WorkerID)
		namespace := h.namespace()
		h.foundNow(0)
		require.Equal(t, namespace, h.namespace(), "it is there")
	})
}

// A namespace that is away for a while, as a table is in a change of its schema in two steps:
// nobody makes another one, and its owner goes on when it is back.
func TestNamespaceRenamedAway(t *testing.T) {
	for name, durable := range map[string]bool{"": false, "durable": true} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				cfg := lease.Config{DurableStore: durable}
				l := h.lease(cfg)
				was := h.acquire(l)
				h.pass(window / 2)
				namespace, row := h.namespace(), h.row(0)
				h.empty()
				_, err := l.Extend(t.Context(), was.Last+10)
				require.ErrorIs(t, err, worker.ErrNoNamespace)
				require.False(t, h.isThere())
				if durable {
					_, err = h.bare(cfg).Acquire(t.Context(), millis(1023))
					require.ErrorIs(t, err, worker.ErrNoNamespace)
					require.False(t, h.isThere())
				}
				h.memory.SetNamespace(orders, namespace)
				h.memory.SetRow(orders, row)
				r := h.extend(l, was.Last+10)
				require.Equal(t, was.WorkerID, r.WorkerID)
				require.Equal(t, was.First, r.First)
				require.Greater(t, r.Last, was.Last)
				require.EqualValues(t, 1, h.acquire(h.bare(cfg)).WorkerID)
			})
		})
	}
}

// A namespace that is removed under its owner, with its rows or without. Whoever comes then
// does not know of it, and the owner asks in vain for another ID.
func TestNamespaceGone(t *testing.T) {
	for name, remove := range map[string]func(h *house){
		"with its rows": (*house).empty,
		"alone":         func(h *house) { h.memory.RemoveNamespace(orders) },
	} {
		t.Run(name, func(t *testing.T) {
			for name, durable := range map[string]bool{"": false, "durable": true} {
				t.Run(name, func(t *testing.T) {
					eachHouse(t, func(t *testing.T, h *house) {
						l := h.lease(lease.Config{DurableStore: durable})
						was := h.acquire(l)
						remove(h)
						ids := h.ids()
						for range 3 {
							h.pass(window / 2)
							_, err := l.Extend(t.Context(), was.Last+10)
							require.ErrorIs(t, err, worker.ErrNoNamespace)
						}
						require.False(t, h.isThere())
						require.Equal(t, ids, h.ids())
						other := short
						other.DurableStore = durable
						_, err := h.bare(other).Acquire(t.Context(), millis(1023))
						if durable {
							require.ErrorIs(t, err, worker.ErrNoNamespace)
							return
						}
						require.ErrorIs(t, err, uid.ErrNoReservation)
						h.pass(rest + time.Second)
						next := h.acquire(h.bare(other))
						require.Zero(t, next.WorkerID)
						require.Greater(t, next.First, was.Last)
					})
				})
			}
		})
	}
}

// A namespace that a start has made rests: nobody can tell it from one whose rows were lost.
func TestNamespaceRests(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var logged logtest.Records
		cfg := short
		cfg.Logger = logged.Logger()
		before := h.tick()
		for range 2 {
			_, err := h.bare(cfg).Acquire(t.Context(), millis(1023))
			require.ErrorIs(t, err, uid.ErrNoReservation)
			require.ErrorContains(t, err, "Registry.Init or uid worker init ends that")
		}
		require.Equal(t, 1, logged.Count("has been made"))
		namespace := h.namespace()
		require.Equal(t, rest, namespace.Rest.Sub(namespace.Made))
		require.Equal(t, before+ms(rest), namespace.Floor)
		require.Equal(t, millis(0).Layout, namespace.Layout)
		h.pass(rest - 10*time.Second)
		_, err := h.bare(cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(11 * time.Second)
		r := h.acquire(h.bare(cfg))
		require.Zero(t, r.WorkerID)
		require.Greater(t, r.First, namespace.Floor)
	})
}

// The rest ends when its last moment is over.
func TestNamespaceRestsToItsEnd(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.foundNow(rest)
		cfg := lease.Config{DurableStore: true, Timeout: time.Nanosecond}
		h.pass(rest)
		_, err := h.bare(cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(time.Microsecond)
		require.Zero(t, h.acquire(h.bare(cfg)).WorkerID)
	})
}

// A start waits for the end of a rest that is not further away than its Timeout.
func TestNamespaceRestIsWaitedFor(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		_, err := h.bare(short).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(rest - 20*time.Second)
		var logged logtest.Records
		began := h.now()
		require.Zero(t, h.acquire(h.bare(lease.Config{Timeout: time.Minute, Logger: logged.Logger()})).WorkerID)
		require.GreaterOrEqual(t, h.now().Sub(began), 20*time.Second)
		require.NotZero(t, logged.Count("trying again"))
	})
}

// The longest of what a start's own settings say counts.
func TestNamespaceRestsForLonger(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		for name, cfg := range map[string]lease.Config{"TTL": {TTL: 2 * rest}, "Quarantine": {Quarantine: 2 * rest}} {
			_, err := h.on(h.memory.Store(name), cfg).Acquire(t.Context(), millis(1023))
			require.ErrorIs(t, err, uid.ErrNoReservation)
			namespace, found := h.memory.Namespace(name)
			require.True(t, found)
			require.Equal(t, 2*rest, namespace.Rest.Sub(namespace.Made))
		}
	})
}

// Who knows that nobody ever had an ID ends the rest; as soon as somebody had one it is too
// late for that.
func TestFoundEndsTheRest(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		_, err := h.bare(short).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		namespace := h.namespace()
		h.foundNow(time.Second)
		require.Equal(t, namespace, h.namespace(), "one that rests already")
		h.pass(time.Second)
		h.foundNow(0)
		ended := h.namespace()
		require.True(t, ended.Rest.Before(h.now().AddDate(-50, 0, 0)))
		require.EqualValues(t, -1, ended.Floor)
		require.Equal(t, namespace.Made, ended.Made)
		require.Equal(t, h.storeNow().UTC(), ended.Renewed)
		require.Zero(t, h.acquire(h.bare(short)).WorkerID)

		h.editNamespace(func(namespace *lease.Namespace) { namespace.Rest = h.now().AddDate(10, 0, 0) })
		namespace = h.namespace()
		h.foundNow(0)
		require.Equal(t, namespace, h.namespace())
	})
}

// A floor that rows have left behind is not lowered where nothing rests.
func TestFoundKeepsTheFloor(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.foundNow(0)
		h.editNamespace(func(namespace *lease.Namespace) { namespace.Floor = h.tick() })
		namespace := h.namespace()
		for _, rest := range []time.Duration{0, time.Minute} {
			h.foundNow(rest)
			require.Equal(t, namespace, h.namespace())
		}
	})
}

// A namespace that is made anew, beside rows of a former one, keeps the widest reach of the
// owners that are left, whoever makes it.
func TestNamespaceKeepsItsReach(t *testing.T) {
	for name, found := range map[string]func(t *testing.T, h *house){
		"by a start": func(t *testing.T, h *house) {
			_, err := h.bare(short).Acquire(t.Context(), millis(1023))
			require.ErrorIs(t, err, uid.ErrNoReservation)
		},
		"by a person":            func(_ *testing.T, h *house) { h.foundNow(0) },
		"by a person, with rest": func(_ *testing.T, h *house) { h.foundNow(time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				h.acquire(h.lease(lease.Config{Window: 2 * window, TTL: 3 * window}))
				h.acquire(h.lease(lease.Config{Timeout: 3 * window}))
				was := h.namespace()
				require.Equal(t, 3*window+skew, was.Reach)
				h.memory.RemoveNamespace(orders)
				found(t, h)
				require.Equal(t, was.Reach, h.namespace().Reach)
			})
		})
	}
}

func TestFoundWithRest(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.foundNow(time.Minute)
		cfg := lease.Config{Timeout: 5 * time.Second, DurableStore: true}
		before := h.tick()
		_, err := h.bare(cfg).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(time.Minute + time.Second)
		r := h.acquire(h.bare(cfg))
		require.Equal(t, before+ms(time.Minute)+1, r.First)
	})
}

// The floor of a rest that goes beyond the last tick, or ends before the first.
func TestFoundAtTheEnds(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		brief := millis(1023)
		brief.MaxTick = 1000
		require.NoError(t, lease.Found(t.Context(), h.memory.Store("brief"), lease.Founding{Terms: brief, Rest: time.Minute}))
		namespace, _ := h.memory.Namespace("brief")
		require.EqualValues(t, 1000, namespace.Floor)

		late := millis(1023)
		late.Epoch = h.now().Add(time.Hour)
		require.NoError(t, lease.Found(t.Context(), h.memory.Store("late"), lease.Founding{Terms: late, Rest: time.Minute}))
		namespace, _ = h.memory.Namespace("late")
		require.EqualValues(t, -1, namespace.Floor)
	})
}

func TestFoundRefuses(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		store := h.memory.Store(orders)
		none := millis(1023)
		none.Layout = ""
		for text, c := range map[string]struct {
			terms uid.Terms
			rest  time.Duration
		}{
			"are not those of a layout":                           {none, 0},
			`namespace "orders" in memory are not those of a lay`: {uid.Terms{}, 0},
			"Rest -1s is not within 0 and":                        {millis(1023), -time.Second},
			"Rest 2562047h47m16.854775807s is not w":              {millis(1023), math.MaxInt64},
		} {
			err := lease.Found(t.Context(), store, lease.Founding{Terms: c.terms, Rest: c.rest})
			require.ErrorIs(t, err, uid.ErrConfig)
			require.ErrorContains(t, err, text)
		}
		require.False(t, h.isThere())

		h.foundNow(0)
		namespace := h.namespace()
		other := millis(1023)
		other.Layout = "another"
		for _, rest := range []time.Duration{0, time.Minute} {
			err := lease.Found(t.Context(), store, lease.Founding{Terms: other, Rest: rest})
			require.ErrorIs(t, err, worker.ErrLayout)
			require.ErrorContains(t, err, "another")
			require.ErrorContains(t, err, millis(0).Layout)
		}
		require.Equal(t, namespace, h.namespace())

		h.memory.Outage(true)
		err := lease.Found(t.Context(), store, lease.Founding{Terms: millis(1023)})
		require.ErrorContains(t, err, "cannot be reached")
	})
}

// Owners with different Windows, whose rows are all removed: the widest reach is forgotten
// with them, and nobody is given what the owner with the wide one still has. When the former
// rows come back after that, it does not go on under its ID.
func TestNamespaceEmptiedAndRestored(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		wide := h.lease(lease.Config{Window: 4 * window / 5, TTL: ttl})
		was := h.acquire(wide)
		restore, row := h.memory.Backup(), h.row(0)
		h.empty()
		narrow := lease.Config{Window: time.Second, TTL: 3 * time.Second, Quarantine: skew, Timeout: 5 * time.Second}
		_, err := h.bare(narrow).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)

		// Back within half a Window: nobody else has had anything.
		h.pass(window / 5)
		restore()
		h.pass(window / 5)
		again := h.extend(wide, was.Last+1)
		require.Equal(t, was.WorkerID, again.WorkerID)

		// Not back: the next owner begins above all that this one had.
		h.empty()
		_, err = h.bare(narrow).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoReservation)
		h.pass(rest + time.Second)
		l := h.bare(narrow)
		next := h.acquire(l)
		require.Equal(t, was.WorkerID, next.WorkerID)
		require.Greater(t, next.First, again.Last)

		// Back too late: the lease has ended by then.
		h.memory.SetRow(orders, row)
		more := h.extend(wide, again.Last+1)
		require.True(t, more.WorkerID != was.WorkerID || more.First > next.Last, "%+v, %+v", more, next)
	})
}

// A generator on a clock that is set back does not reach the ticks that the ID had before,
// as an ID that nobody has had begins near the store's clock.
func TestUnusedIDBeginsNearTheClock(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		var back atomic.Int64
		l := h.lease(lease.Config{DurableStore: true})
		before := h.tick()
		g, err := uncached.New(l, uncached.Config{Layout: milliseconds, Now: func() time.Time { return h.now().Add(-time.Duration(back.Load())) }})
		require.NoError(t, err)
		defer g.Close()
		back.Store(int64(30 * 24 * time.Hour))
		u, err := g.GetUID()
		require.NoError(t, err)
		tick, err := milliseconds.Tick(u)
		require.NoError(t, err)
		require.GreaterOrEqual(t, tick, before-ms(skew))
	})
}
