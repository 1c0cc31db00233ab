package worker_test

import (
	"crypto/rand"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
)

// A number that nothing keeps is free for another process when the clock has passed what was issued.
func TestUnkept(t *testing.T) {
	for name, make := range map[string]func(uid.Worker, *slog.Logger, func() time.Time) (uid.Generator, error){
		"cached": func(w uid.Worker, logger *slog.Logger, now func() time.Time) (uid.Generator, error) {
			return cached.New(w, cached.Config{Logger: logger, Now: now})
		},
		"uncached": func(w uid.Worker, logger *slog.Logger, now func() time.Time) (uid.Generator, error) {
			return uncached.New(w, uncached.Config{Logger: logger, Now: now})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var records logtest.Records
			clock, space := fake.NewFrozenClock(time.Date(2026, 6, 1, 0, 0, 0, 3e8, time.UTC)), rand.Text()
			begin := func(draws int) uid.Generator {
				g, err := make(worker.FromSource(worker.FixedID(3), space), records.Logger(), clock.Now)
				require.NoError(t, err)
				for range draws {
					_, err := g.GetUID()
					require.NoError(t, err)
				}
				return g
			}
			const said = "until=2026-06-01T00:00:02.000Z"
			require.NoError(t, begin(8192).CloseContext(t.Context()), "the running tick")
			require.Zero(t, records.Count(said), records.String())

			var unkept *uid.UnkeptError
			require.ErrorAs(t, begin(1).CloseContext(t.Context()), &unkept, "the next one")
			require.Equal(t, uid.UnkeptError{WorkerID: 3, Until: time.Date(2026, 6, 1, 0, 0, 2, 0, time.UTC)}, *unkept)
			require.ErrorContains(t, unkept,
				"worker ID 3 issued: no process may begin with it before 2026-06-01T00:00:02Z")
			require.Zero(t, records.Count(said), records.String())

			require.NoError(t, begin(0).Close(), "what the one before issued")
			require.Equal(t, 1, records.Count(said), records.String())

			clock.Step(700 * time.Millisecond)
			require.NoError(t, begin(0).CloseContext(t.Context()), "its last tick runs")
		})
	}
}

// No tick follows the layout's last one.
func TestStaticExhausted(t *testing.T) {
	for _, last := range []int64{1<<28 - 1, math.MaxInt64} {
		w := worker.Static(3, rand.Text())
		acquire(t, w, terms(9))
		var unkept *uid.UnkeptError
		require.ErrorAs(t, w.Release(t.Context(), last), &unkept)
		require.Equal(t, time.Date(2034, 7, 4, 21, 24, 16, 0, time.UTC), unkept.Until)
		logtest.Error(t, acquireError(t, w, terms(9)), uid.ErrExhausted, "268435455")
	}
}
