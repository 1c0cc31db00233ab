package conformance

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/telemetry"
)

// Waiting tests generators whose calls wait. empty makes one that has nothing to give for so long, and then enough
// for the test. It is called in a bubble.
func Waiting(t *testing.T, long time.Duration, empty func(testing.TB) uid.Generator) {
	for name, test := range map[string]func(*testing.T, uid.Generator, time.Duration){
		"Context": contextEndsWait, "Served": waitIsServed, "Close": closeEndsWait,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := empty(t)
				defer func() { require.NoError(t, g.Close()) }()
				test(t, g, long)
			})
		})
	}
}

func contextEndsWait(t *testing.T, g uid.Generator, long time.Duration) {
	began := time.Now()
	_, err := g.TryGetUID()
	require.ErrorIs(t, err, uid.ErrRejectedTake)
	n, err := g.Fill(nil)
	require.NoError(t, err)
	require.Zero(t, n)
	require.Zero(t, time.Since(began), "they wait")
	ctx, cancel := context.WithTimeout(t.Context(), long/3)
	defer cancel()
	_, err = g.GetUIDContext(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Equal(t, long/3, time.Since(began))
	ctx, cancel = context.WithTimeout(t.Context(), long/3)
	defer cancel()
	n, err = g.FillContext(ctx, make([]uid.UID, 3))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.Zero(t, n)
	require.Equal(t, 2*(long/3), time.Since(began))
	_, err = g.GetUID()
	require.NoError(t, err)
	require.Equal(t, long, time.Since(began))
}

func waitIsServed(t *testing.T, g uid.Generator, long time.Duration) {
	began := time.Now()
	var calls sync.WaitGroup
	for range 3 {
		calls.Go(func() {
			_, err := g.GetUID()
			require.NoError(t, err)
			require.Equal(t, long, time.Since(began))
		})
	}
	synctest.Wait()
	require.EqualValues(t, 3, healthOf(g).Waiting)
	calls.Wait()
	require.Zero(t, healthOf(g).Waiting)
}

func closeEndsWait(t *testing.T, g uid.Generator, _ time.Duration) {
	var waiting sync.WaitGroup
	for i := range 20 {
		waiting.Go(func() {
			_, err := draws(t.Context(), g)[[]int{0, 2, 3, 4}[i%4]]()
			require.ErrorIs(t, err, uid.ErrClosed)
		})
	}
	synctest.Wait()
	require.EqualValues(t, 20, healthOf(g).Waiting)
	require.NoError(t, g.Close())
	waiting.Wait()
	require.Zero(t, healthOf(g).Waiting)
}

// Handled tests generators that ask a handler. empty makes one as for Waiting.
func Handled(t *testing.T, empty func(testing.TB, func(uid.Rejection) error, *slog.Logger) uid.Generator) {
	own := errors.New("own")
	var log strings.Builder
	var asked []uid.Rejection
	for name, c := range map[string]struct {
		handler func(uid.Rejection) error
		want    error
		panics  uint64
	}{
		"Fail":  {uid.Fail, uid.ErrRejectedTake, 0},
		"Own":   {func(r uid.Rejection) error { asked = append(asked, r); return own }, own, 0},
		"Panic": {func(uid.Rejection) error { panic("mine") }, uid.ErrRejectedTake, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log.Reset()
				g := empty(t, c.handler, slog.New(slog.NewTextHandler(&log, nil)))
				defer func() { require.NoError(t, g.Close()) }()
				before, began := healthOf(g).Counts[telemetry.RejectedTakes], time.Now()
				for way, draw := range draws(t.Context(), g) {
					all, err := draw()
					if way == 1 {
						require.ErrorIs(t, err, uid.ErrRejectedTake, "no handler is asked")
					} else {
						require.ErrorIs(t, err, c.want)
					}
					require.Zero(t, append(all, 0)[0])
				}
				require.Zero(t, time.Since(began))
				require.EqualValues(t, 5, healthOf(g).Counts[telemetry.RejectedTakes]-before)
				require.Equal(t, c.panics, healthOf(g).Counts[telemetry.HandlerPanics])
				require.Equal(t, min(1, int(c.panics)), strings.Count(log.String(), "a handler panicked"), log.String())
			})
		})
	}
	for _, r := range asked {
		require.ErrorIs(t, r.Err, uid.ErrRejectedTake)
		require.Zero(t, r.Attempt)
	}
	require.Len(t, asked, 4)
}
