package cached_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
)

// How far ahead of the clock a floor may be is MaxLead's to say.
func TestAfterWithinMaxLead(t *testing.T) {
	clock := fake.NewFrozenClock(day)
	at := func(ticks int64) uid.UID {
		u, err := runsOf16.Compose(runsOf16.TickAt(day)+ticks, 3, 2)
		require.NoError(t, err)
		return u
	}
	cfg := cached.Config{Layout: runsOf16, After: at(3), MaxLead: 3 * time.Second, Now: clock.Now}
	logtest.Error(t, errOf(cached.New(worker.Static(3), cfg)), uid.ErrRange, "4s ahead of the clock; 3s is allowed")
	start(t, worker.Static(3), clock, cached.Config{Layout: runsOf16, After: at(2), MaxLead: 3 * time.Second})
	start(t, worker.Static(4), clock, cached.Config{Layout: runsOf16, After: at(100000), MaxLead: cached.Unbounded})
}

// The three moves between layouts whose numbers can meet, by the largest UIDs that were made:
// the new generator makes none of the old ones again.
func TestAfterAnotherLayout(t *testing.T) {
	old := bits.MustParseLayout("uidgenerator")
	widened := bits.MustLayout(bits.Config{TimeBits: 29, WorkerBits: 21, SequenceBits: 13, Epoch: old.Epoch()})
	for name, c := range map[string]struct {
		from, to bits.Layout
		at       time.Time // of the largest old UID
		ok       bool
	}{
		"one process after the other": {bits.MustParseLayout("twitter"), bits.MustParseLayout("twitter"), day, true},
		"to a fresh epoch":            {old, bits.Default(), time.Date(2024, 11, 1, 0, 0, 0, 0, time.UTC), false},
		"to a wider time field":       {old, widened, time.Date(2021, 8, 20, 0, 0, 0, 0, time.UTC), false},
	} {
		t.Run(name, func(t *testing.T) {
			_, last, err := c.from.Range(c.at, c.at.Add(1))
			require.NoError(t, err)
			clock := fake.NewFrozenClock(day)
			if !c.ok { // its numbers are below the old ones for years
				cfg := cached.Config{Layout: c.to, After: last, Now: clock.Now}
				logtest.Error(t, errOf(cached.New(worker.Static(5), cfg)), uid.ErrRange, "ahead of the clock")
				return
			}
			g := start(t, worker.Static(5), clock, cached.Config{Layout: c.to, After: last})
			require.Greater(t, next(t, g.GetUID), last)
		})
	}
}
