package cached_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// lap is the number of UIDs in one lap of the default ring.
const lap = 8 << 13

// TestManyGoroutinesGetDistinctUIDs draws over several laps of the ring, with every way to draw at once and with
// rings from the smallest.
func TestManyGoroutinesGetDistinctUIDs(t *testing.T) {
	tiny := bits.MustLayout(bits.Config{TimeBits: 50, WorkerBits: 4, SequenceBits: 0, Unit: 1e3})
	small := bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 4, SequenceBits: 3, Unit: 1e6})
	for _, c := range []struct {
		name   string
		layout bits.Layout
		slots  int
		each   int
	}{
		{"default", bits.Default(), 8, 8 * lap / 64},
		{"two slots", bits.Default(), 2, 8 * lap / 64},
		{"runs of 8", small, 2, 2000},
		{"runs of 1", tiny, 4, 2000},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := cached.Config{Layout: c.layout, Slots: c.slots, MaxLead: cached.Unbounded}
			g := start(t, &fake.Worker{ID: 9}, nil, cfg)
			const goroutines = 64
			streams := make([][]uid.UID, goroutines)
			var wg sync.WaitGroup
			for i := range streams {
				wg.Go(func() { streams[i] = drawSomehow(t, g, i, c.each) })
			}
			wg.Wait()
			for i, stream := range streams {
				require.True(t, slices.IsSorted(stream), "goroutine %d", i)
				for _, u := range stream {
					require.EqualValues(t, 9, parse(t, g, u).WorkerID)
				}
			}
			conformance.Distinct(t, slices.Concat(streams...))
			require.GreaterOrEqual(t, g.Health().Counts[telemetry.Issued], uint64(goroutines*c.each))
		})
	}
}

// drawSomehow draws n UIDs in the i-th of several ways. UIDs that come from Unordered are
// sorted.
func drawSomehow(t *testing.T, g *cached.Generator, i, n int) []uid.UID {
	out := make([]uid.UID, n)
	draw := g.GetUID
	switch i % 5 {
	case 1:
		draw = g.Lane().GetUID
	case 2:
		for part := range slices.Chunk(out, 1+i*7) {
			if _, err := g.Fill(part); err != nil {
				t.Error(err)
			}
		}
		return out
	case 3:
		draw = func() (uid.UID, error) { return g.GetUIDContext(t.Context()) }
	case 4:
		draw = g.Unordered().GetUID
		defer slices.Sort(out)
	}
	for k := range out {
		var err error
		if out[k], err = draw(); err != nil {
			t.Error(err)
		}
	}
	return out
}

// TestNothingIsWasted: at full speed all but a thousandth of every used tick is issued,
// and no call fails.
func TestNothingIsWasted(t *testing.T) {
	for _, goroutines := range []int{1, 2, 8, 32} {
		g := start(t, &fake.Worker{ID: 1}, nil, cached.Config{MaxLead: cached.Unbounded})
		const draws = 6 * lap
		var wg sync.WaitGroup
		first := next(t, g.GetUID)
		var last atomic.Int64
		last.Store(int64(first))
		for range goroutines {
			wg.Go(func() {
				var u uid.UID
				for range draws / goroutines {
					var err error
					if u, err = g.GetUID(); err != nil {
						t.Error(err)
						return
					}
				}
				conformance.Raise(&last, int64(u))
			})
		}
		wg.Wait()
		l := g.Layout()
		ticks := l.TickAt(parse(t, g, uid.UID(last.Load())).Time) - l.TickAt(parse(t, g, first).Time) - 1 // whole ones
		issued := float64(draws)
		// The clock may have moved on once meanwhile, and left the rest of a tick behind.
		require.GreaterOrEqual(t, issued/float64(ticks<<13), 0.999-2.0/float64(ticks), "%d goroutines", goroutines)
		st := g.Health()
		require.EqualValues(t, 0, st.Counts[telemetry.RejectedTakes])
		require.LessOrEqual(t, float64(st.Counts[telemetry.Lost]), issued/1000)
	}
}

func parse(t testing.TB, g *cached.Generator, u uid.UID) uid.Parts {
	t.Helper()
	p, err := g.ParseUID(u)
	require.NoError(t, err)
	return p
}
