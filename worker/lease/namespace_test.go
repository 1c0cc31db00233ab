package lease_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// isThere reports whether there is a namespace.
func (h *house) isThere() bool {
	_, found := h.memory.Namespace(orders)
	return found
}

// A start makes a missing namespace, at once. Nobody can tell it from one that was lost, with owners at
// work: it begins beyond what these can have reserved.
func TestNamespaceMadeByAStart(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		var logged logtest.Records
		before, began := h.tick(), time.Now()
		r := h.acquire(h.bare(lease.Config{Losses: losses, Logger: logged.Logger()}))
		require.Zero(t, r.WorkerID)
		require.Equal(t, before+ms(lease.Burn)+1, r.First)
		require.GreaterOrEqual(t, r.Last, r.First)
		require.LessOrEqual(t, time.Since(began), skew+2*time.Millisecond)
		require.Equal(t, 1, logged.Count("the namespace was missing"))
		ns := h.namespace()
		require.Equal(t, before+ms(lease.Burn), ns.Floor)
		require.Equal(t, milliseconds.String(), ns.Layout)
		require.Equal(t, h.storeNow().UTC().Sub(ns.Made).Round(time.Second), time.Since(began).Round(time.Second))
		// The next one begins above that, too, and another start makes nothing.
		require.Greater(t, h.acquire(h.bare(lease.Config{Losses: losses})).First, before+ms(lease.Burn))
		require.Equal(t, ns.Made, h.namespace().Made)
	})
}

// Of several that find no namespace one makes it, and no other raises its floor by the time that has passed since.
func TestNamespaceMadeByAnotherStart(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		var made storage.Namespace
		late := &lateInit{Client: h.memory.Store(orders), before: func() {
			h.acquire(h.bare(lease.Config{Losses: losses}))
			made = h.namespace()
			h.pass(5 * time.Second)
		}}
		h.acquire(h.on(late, lease.Config{Losses: losses}))
		require.Equal(t, made, h.namespace())
	})
}

// A lateInit lets something happen before its Init.
type lateInit struct {
	*storetest.Client
	before func()
}

func (s *lateInit) Init(ctx context.Context, decide func(*storage.Namespace, storage.Clock) error) error {
	s.before()
	return s.Client.Init(ctx, decide)
}

// A start can ask that the namespace exist.
func TestNamespaceMustExist(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l := h.bare(lease.Config{MustExist: true})
		logtest.Error(t, h.acquireError(l, millis(1023)), worker.ErrNoNamespace, `namespace "orders"`, "lease.Found")
		require.False(t, h.isThere())
		require.NoError(t, h.foundWith(0, 0))
		require.LessOrEqual(t, h.acquire(l).First, h.tick()+1, "it was founded as new: nothing is ahead")
		namespace := h.namespace()
		require.NoError(t, h.foundWith(0, 0))
		require.Equal(t, namespace, h.namespace(), "it is there")
	})
}

// A namespace that disappears under its owner, with its rows or alone. The owner makes no other, and has
// lost its lease: another process may make a namespace that knows nothing of this owner.
func TestNamespaceGone(t *testing.T) {
	eachTrustOf(t, map[string]func(h *house){
		"with its rows": (*house).empty,
		"alone":         func(h *house) { h.memory.RemoveNamespace(orders) },
	}, func(t *testing.T, h *house, losses lease.Losses, remove func(h *house)) {
		var told events
		l, was := h.held(lease.Config{Losses: losses, OnEvent: told.add})
		namespace, row := h.namespace(), h.row(0)
		remove(h)
		for range 3 {
			h.pass(window / 2)
			require.ErrorIs(t, h.extendError(l, was.Last+10), worker.ErrNoNamespace)
		}
		require.False(t, h.isThere())
		require.Equal(t, []string{"acquired", "lost"}, told.kinds())
		next := h.acquire(h.bare(lease.Config{Losses: losses}))
		require.Greater(t, next.First, was.Last)

		// The former one comes back: its row is nobody's.
		h.memory.SetNamespace(orders, namespace)
		h.memory.SetRow(orders, row)
		require.NotZero(t, h.extend(l, 0).WorkerID)
	})
}

// An owner that has stood still finds its row under a namespace that was made since. Another one may have had the ID
// meanwhile, under a namespace that is gone.
func TestNamespaceMadeAnew(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		var told events
		l, was := h.held(lease.Config{Losses: losses, OnEvent: told.add})
		row := h.row(0)
		h.empty()
		require.Zero(t, h.acquire(h.bare(lease.Config{Losses: losses})).WorkerID)
		h.pass(window / 2)
		h.empty()
		h.memory.SetRow(orders, row)
		h.acquire(h.bare(lease.Config{Losses: losses}))
		next := h.extend(l, 0)
		require.NotEqual(t, was.WorkerID, next.WorkerID)
		require.Greater(t, next.First, h.namespace().Floor)
		require.Equal(t, []string{"acquired", "lost", "acquired"}, told.kinds())
	})
}

// Where the store's clock is set back an owner finds a namespace that was made later. It goes on.
func TestNamespaceOfTheFuture(t *testing.T) {
	eachTrust(t, func(t *testing.T, h *house, losses lease.Losses) {
		h.shiftStore(time.Hour)
		require.NoError(t, h.foundWith(0, 0))
		h.shiftStore(-time.Hour)
		l := h.bare(lease.Config{Losses: losses})
		require.Zero(t, h.acquire(l).WorkerID)
		for range 3 {
			h.pass(window / 2)
			require.Zero(t, h.extend(l, 0).WorkerID)
		}
	})
}

// A person that says that a namespace was lost, or restored, raises its floor for later owners. A floor is never
// lowered.
func TestFoundLost(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		founds := func(lost bool) {
			f := lease.Founding{Layout: milliseconds, Lost: lost}
			require.NoError(t, lease.Found(t.Context(), h.memory.Store(orders), f))
		}
		founds(false)
		require.EqualValues(t, -1, h.namespace().Floor)
		l := h.bare(lease.Config{})
		was := h.acquire(l)
		at := h.tick()
		founds(true)
		require.Equal(t, at+ms(lease.Burn), h.namespace().Floor)
		founds(false)
		require.Equal(t, at+ms(lease.Burn), h.namespace().Floor)
		require.Greater(t, h.acquire(h.bare(lease.Config{})).First, at+ms(lease.Burn))
		h.pass(window / 2)
		require.Equal(t, was.First, h.extend(l, 0).First, "an owner goes on as it is")
	})
}

func TestFoundRefuses(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		store := h.memory.Store(orders)
		require.NoError(t, h.foundWith(0, 0))
		namespace := h.namespace()
		err := lease.Found(t.Context(), store, lease.Founding{})
		logtest.Error(t, err, worker.ErrLayout, bits.Default().String(), millis(0).Layout)
		for _, after := range []uid.UID{-1, math.MaxInt64} {
			err = lease.Found(t.Context(), store, lease.Founding{Layout: milliseconds, After: after})
			require.ErrorIs(t, err, uid.ErrRange)
		}
		require.Equal(t, namespace, h.namespace())

		h.memory.Outage(true)
		err = lease.Found(t.Context(), store, lease.Founding{Layout: milliseconds})
		require.ErrorContains(t, err, "cannot be reached")
	})
}
