package tenure

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
)

// deaf makes Extend wait for the channel, whatever its context.
func deaf(w *fake.Worker, until chan struct{}) {
	onExtend(w, func(context.Context, int64) (uid.Reservation, error) {
		<-until
		return endless, nil
	})
}

// Stop gives up on an Extend that does not return when its context ends. The worker is
// released when it has returned, once and not before, under a context that still lasts.
func TestStopGivesUpOnExtend(t *testing.T) {
	for _, failure := range []error{nil, fake.ErrDown} {
		bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
			until := make(chan struct{})
			deaf(w, until)
			var left time.Duration
			w.OnRelease = func(ctx context.Context, _ int64) error {
				deadline, ok := ctx.Deadline()
				require.True(t, ok && ctx.Err() == nil)
				left = time.Until(deadline)
				return failure
			}
			ten := start(t, w, o)
			synctest.Wait()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			began := time.Now()
			logtest.Error(t, ten.Stop(ctx, 7), context.DeadlineExceeded, "the worker's Extend has not returned")
			require.Equal(t, 3*time.Second+stopGrace, time.Since(began))
			require.NoError(t, ten.Stop(ctx, 8), "again")
			time.Sleep(time.Hour)
			require.Empty(t, w.Released)
			close(until)
			synctest.Wait()
			require.Equal(t, []int64{7}, w.Released)
			require.Equal(t, releaseTimeout, left)
			require.Len(t, o.grants(), 1, "a reservation after Stop")
			if failure == nil {
				require.Empty(t, o.log.String())
			} else {
				require.Equal(t, 1, o.log.Count("could not be released"), o.log.String())
				require.Contains(t, o.log.String(), fake.ErrDown.Error())
			}
		})
	}
}

// A worker that minds its context has the last word, and costs no more time than that.
func TestStopReturnsTheWorkersError(t *testing.T) {
	bubble(t, endless, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		late := errors.New("the lease lasts for another minute")
		w.OnRelease = func(ctx context.Context, _ int64) error { <-ctx.Done(); return late }
		ten := start(t, w, o)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		require.Equal(t, late, ten.Stop(ctx, 7))
		require.Equal(t, time.Second, time.Since(began))
	})
}

// Calls of Stop beside the first one wait for it, but no longer than their own contexts.
func TestStopTwiceAtOnce(t *testing.T) {
	bubble(t, due, func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		until := make(chan struct{})
		deaf(w, until)
		ten := start(t, w, o)
		synctest.Wait()
		first := make(chan error, 1)
		go func() { first <- ten.Stop(context.Background(), 7) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		require.ErrorIs(t, ten.Stop(ctx, 8), context.DeadlineExceeded)
		require.Equal(t, time.Second, time.Since(began))
		second := make(chan error, 1)
		go func() { second <- ten.Stop(context.Background(), 9) }()
		synctest.Wait()
		require.Empty(t, second)
		close(until)
		synctest.Wait()
		require.NoError(t, <-first)
		require.NoError(t, <-second)
		require.Equal(t, []int64{7}, w.Released)
	})
}
