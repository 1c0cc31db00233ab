package workerid_test

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/workerid"
)

func TestOneGeneratorAtATime(t *testing.T) {
	b := workerid.NewBinding("the worker on table X")
	logtest.Error(t, b.Check(), uid.ErrNoReservation, "the worker on table X serves no generator")
	require.ErrorIs(t, b.Unbind(), uid.ErrNoReservation)

	require.NoError(t, b.Bind(nil))
	require.NoError(t, b.Check())
	logtest.Error(t, b.Bind(nil), uid.ErrWorkerInUse, ": the worker on table X")
	require.NoError(t, b.Check(), "a refusal ends nothing")

	require.NoError(t, b.Unbind())
	require.ErrorIs(t, b.Check(), uid.ErrNoReservation)
	require.NoError(t, b.Bind(nil))
}

func TestTake(t *testing.T) {
	b := workerid.NewBinding("w")
	why := errors.New("no ID")
	require.ErrorIs(t, b.Take(nil, func() error {
		require.NoError(t, b.Check(), "it is bound already, so that nobody else takes one")
		return why
	}), why)
	require.ErrorIs(t, b.Check(), uid.ErrNoReservation)
	require.Panics(t, func() { _ = b.Take(nil, func() error { panic("a source of somebody else's") }) })
	require.ErrorIs(t, b.Check(), uid.ErrNoReservation)

	require.NoError(t, b.Take(nil, func() error { return nil }))
	require.NoError(t, b.Check())
	require.ErrorIs(t, b.Take(nil, func() error { return errors.New("is not called") }), uid.ErrWorkerInUse)
	require.NoError(t, b.Check(), "a refusal ends nothing")
}

func TestOnlyOneOfManyIsBound(t *testing.T) {
	b := workerid.NewBinding("w")
	var bound atomic.Int32
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if b.Bind(nil) == nil {
				bound.Add(1)
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, bound.Load())
}

func TestInvalidate(t *testing.T) {
	b := workerid.NewBinding("w")
	b.Invalidate()
	require.False(t, b.Invalid(), "there is nothing to be invalid")

	revoked := 0
	// Revoke may find the worker in an Extend, which looks at the binding.
	require.NoError(t, b.Bind(func() {
		revoked++
		require.True(t, b.Invalid())
		require.NoError(t, b.Check())
	}))
	require.False(t, b.Invalid())
	b.Invalidate()
	require.Equal(t, 1, revoked)
	require.True(t, b.Invalid())
	b.Renew()
	require.False(t, b.Invalid())
	b.Invalidate()
	require.Equal(t, 2, revoked)

	require.NoError(t, b.Unbind())
	require.False(t, b.Invalid())
	b.Invalidate()
	require.Equal(t, 2, revoked, "the generator is gone")

	require.NoError(t, b.Bind(func() {}))
	b.Invalidate()
	require.NoError(t, b.Unbind())
	require.NoError(t, b.Bind(nil))
	require.False(t, b.Invalid(), "that was the one before")
	b.Invalidate()
	require.True(t, b.Invalid(), "without a Revoke, too")
}
