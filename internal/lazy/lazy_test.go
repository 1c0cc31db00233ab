package lazy_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/lazy"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// What was opened is closed: when the generator is, and when none could be made.
func TestWhatIsOpenedIsClosed(t *testing.T) {
	broken, ended, id := errors.New("broken"), 0, int64(1)
	w := lazy.New(func(context.Context) (uid.Worker, func() error, error) {
		if id == 0 {
			return nil, nil, broken
		}
		return worker.Static(id, rand.Text()), func() error { ended++; return nil }, nil
	})
	for i := range 2 {
		g, err := cached.New(w, cached.Config{})
		require.NoError(t, err)
		_, err = cached.New(w, cached.Config{})
		require.ErrorIs(t, err, uid.ErrWorkerInUse)
		require.Equal(t, i, ended)
		require.NoError(t, g.Close())
		require.Equal(t, i+1, ended)
	}
	id = -1
	_, err := cached.New(w, cached.Config{})
	require.ErrorIs(t, err, uid.ErrRange)
	require.Equal(t, 3, ended)
	id = 0
	_, err = cached.New(w, cached.Config{})
	require.ErrorIs(t, err, broken)
	_, err = w.Extend(t.Context(), 1)
	require.ErrorIs(t, err, uid.ErrNoReservation)
	require.ErrorIs(t, w.Release(t.Context(), 1), uid.ErrNoReservation)
	require.Equal(t, 3, ended)
}

// What a lease can do besides, it does in here.
func TestLeaseInHere(t *testing.T) {
	w := lazy.Lease(nil, func() (lease.Store, error) {
		return storetest.NewMemory(storetest.MemoryConfig{}).Store("orders"), nil
	})
	require.Zero(t, w.(health.WorkerReporter).WorkerHealth())
	_, err := w.Acquire(t.Context(), bits.Default().Terms())
	require.NoError(t, err)
	require.Equal(t, "lease", w.(health.WorkerReporter).WorkerHealth().Kind)
	require.NoError(t, w.Release(t.Context(), -1))

	require.NoError(t, worker.Invalidate(w))
	g, err := cached.New(w, cached.Config{})
	require.NoError(t, err)
	for _, id := range []int64{0, 1} {
		u, err := g.GetUID()
		require.NoError(t, err)
		p, err := bits.Default().Parse(u)
		require.NoError(t, err)
		require.Equal(t, id, p.WorkerID)
		require.NoError(t, worker.Invalidate(w))
	}
	require.NoError(t, g.Close())
	logtest.Error(t, worker.Invalidate(worker.Static(1)), uid.ErrConfig, "leases no IDs")
}

// A process may be cloned while it starts.
func TestInvalidateWhileItStarts(t *testing.T) {
	inner := &starting{Worker: worker.Static(1)}
	w := lazy.New(func(context.Context) (uid.Worker, func() error, error) { return inner, nil, nil })
	inner.during = func() error { return worker.Invalidate(w) }
	_, err := w.Acquire(t.Context(), bits.Default().Terms())
	require.NoError(t, err)
	require.Equal(t, 1, inner.invalidated)
}

type starting struct {
	uid.Worker
	during      func() error
	invalidated int
}

func (s *starting) Acquire(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
	if err := s.during(); err != nil {
		return uid.Reservation{}, err
	}
	return s.Worker.Acquire(ctx, t)
}

func (s *starting) Invalidate() error {
	s.invalidated++
	return nil
}
