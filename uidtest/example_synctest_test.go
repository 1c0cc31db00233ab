package uidtest_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/uidtest"
	"github.com/uidgen/uid/worker"
)

// TestSynctest shows how to test with a generator in a bubble, where time passes at once.
func TestSynctest(t *testing.T) {
	t.Run("the clock begins before the epoch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, err := cached.New(worker.Static(1, rand.Text()), cached.Config{})
			require.ErrorIs(t, err, uid.ErrRange)
			require.ErrorContains(t, err, "the clock is at 2000-01-01T00:00:00Z, before the layout's epoch")
		})
	})

	t.Run("sleep to a time of your choice", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
			time.Sleep(time.Until(noon)) // takes no time
			ids, err := cached.New(worker.Static(1, rand.Text()), cached.Config{})
			require.NoError(t, err)
			defer ids.Close() // or the bubble would wait for the generator's goroutine

			u, err := ids.GetUID()
			require.NoError(t, err)
			parts, err := ids.ParseUID(u)
			require.NoError(t, err)
			require.Equal(t, uid.Parts{UID: u, Time: noon, WorkerID: 1}, parts)
		})
	})

	t.Run("a layout that begins with the bubble", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			layout := bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: time.Now()})
			ids, err := uncached.New(worker.Static(1, rand.Text()), uncached.Config{Layout: layout})
			require.NoError(t, err)
			defer ids.Close()

			u, err := ids.GetUID()
			require.NoError(t, err)
			require.EqualValues(t, 8192, u, "tick 0, worker 1, sequence 0")
			time.Sleep(time.Hour)
			u, err = ids.GetUID()
			require.NoError(t, err)
			parts, err := ids.ParseUID(u)
			require.NoError(t, err)
			require.Equal(t, time.Date(2000, 1, 1, 1, 0, 0, 0, time.UTC), parts.Time)
		})
	})

	t.Run("the store is down for an hour", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)))
			w := &uidtest.Worker{ID: 1, Ticks: 60}
			ids, err := uncached.New(w, uncached.Config{})
			require.NoError(t, err)
			defer ids.Close()

			down := errors.New("the store is down")
			w.Fail(down)
			time.Sleep(59 * time.Second)
			_, err = ids.GetUID()
			require.NoError(t, err, "of the minute that was reserved")
			time.Sleep(time.Hour)
			_, err = ids.GetUID()
			require.ErrorIs(t, err, uid.ErrNoReservation)
			require.ErrorIs(t, err, down)

			w.Fail(nil)
			time.Sleep(5 * time.Second) // the longest pause between two attempts
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			_, err = ids.GetUIDContext(ctx)
			require.NoError(t, err)
		})
	})
}
