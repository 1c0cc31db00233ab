package statefile_test

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/worker/statefile"
)

// The newer of the two records is damaged after a kill. No tick that was reserved in it comes again,
// however far it went, and the start is not refused.
func TestFileWithAFlippedBit(t *testing.T) {
	const window = 20 * time.Millisecond
	of := termsIn(time.Millisecond)
	for name, live := range map[string]func(t *testing.T, f *statefile.File, c *fake.Clock) uid.Reservation{
		"renewed": func(t *testing.T, f *statefile.File, c *fake.Clock) (r uid.Reservation) {
			acquired(t, f, of)
			for range 7 {
				c.Step(window / 2)
				r = extended(t, f, 0)
			}
			return r
		},
		"renewed late": func(t *testing.T, f *statefile.File, c *fake.Clock) uid.Reservation {
			acquired(t, f, of)
			c.Step(time.Hour)
			return extended(t, f, 0)
		},
		"ahead of the clock": func(t *testing.T, f *statefile.File, _ *fake.Clock) uid.Reservation {
			return extended(t, f, acquired(t, f, of).Last+1000)
		},
		"started again after a kill": func(t *testing.T, f *statefile.File, _ *fake.Clock) uid.Reservation {
			acquired(t, f, of)
			f.Crash()
			return acquired(t, f, of)
		},
		"started again after a day": func(t *testing.T, f *statefile.File, c *fake.Clock) uid.Reservation {
			require.NoError(t, f.Release(t.Context(), acquired(t, f, of).First))
			c.Step(24 * time.Hour)
			return acquired(t, f, of)
		},
		"released": func(t *testing.T, f *statefile.File, _ *fake.Clock) uid.Reservation {
			r := acquired(t, f, of)
			require.NoError(t, f.Release(t.Context(), r.Last-3))
			acquired(t, f, of)
			return uid.Reservation{Last: r.Last - 3}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // they wait for the disk
			var logged logtest.Records
			clock, path := newClock(), tempPath(t)
			cfg := statefile.Config{Window: window, MaxAhead: math.MaxInt64, Logger: logged.Logger()}
			if name == "renewed" { // not ahead of the clock
				cfg.MaxAhead = window + window/2
			}
			f := newFile(t, path, clock, cfg)
			last := live(t, f, clock).Last
			f.Crash()
			image, damaged := content(t, path), 0
			require.Zero(t, logged.Count("damaged"))
			for bit := 0; bit < state.Bits; bit += 7 { // package state flips all of them
				if bit > 8*300 && bit%100 != 0 {
					continue // the record is shorter
				}
				require.NoError(t, os.WriteFile(path, image, 0o600))
				require.NoError(t, state.Damage(path, bit))
				require.Greater(t, acquired(t, f, of).First, last)
				f.Crash()
				damaged++
			}
			require.Equal(t, damaged, logged.Count("damaged"))
		})
	}
}

// saved returns how many records were saved in a file.
func saved(t testing.TB, path string) int64 {
	t.Helper()
	n := must(state.Saved(path))
	return n
}

// A renewal in time costs one write: the record before has foreseen it.
func TestFileSavesOnce(t *testing.T) {
	for _, unit := range []time.Duration{time.Millisecond, time.Second, time.Hour} {
		clock, path := newClock(), tempPath(t)
		of := termsIn(unit)
		f := newFile(t, path, clock, statefile.Config{})
		r := acquired(t, f, of)
		require.EqualValues(t, 1, saved(t, path))
		for n := range 9 {
			clock.Step(time.Duration(r.Renew-of.TickAt(clock.Now())) * unit)
			r = extended(t, f, 0)
			require.EqualValues(t, n+2, saved(t, path))
		}
		require.NoError(t, f.Release(t.Context(), r.Last-2))
		require.EqualValues(t, 11, saved(t, path))
	}
}
