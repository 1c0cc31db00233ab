package cached_test

import (
	"crypto/rand"
	"math"
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
	three, four := worker.Static(3, rand.Text()), worker.Static(4, rand.Text())
	logtest.Error(t, errOf(cached.New(three, cfg)), uid.ErrRange, "4s ahead of the clock; 3s is allowed")
	start(t, three, clock, cached.Config{Layout: runsOf16, After: at(2), MaxLead: 3 * time.Second})
	start(t, four, clock, cached.Config{Layout: runsOf16, After: at(100000), MaxLead: cached.Unbounded})
}

// A lead that no Duration holds is the largest one.
func TestHealthOfCenturiesAhead(t *testing.T) {
	clock, wide := fake.NewFrozenClock(day), bits.MustParseLayout("40s/10/13")
	after, err := wide.Compose(wide.TickAt(day.AddDate(317, 0, 0)), 0, 0)
	require.NoError(t, err)
	g := start(t, fake.Endless(3), clock, cached.Config{Layout: wide, After: after, MaxLead: cached.Unbounded})
	_, err = g.GetUID()
	require.NoError(t, err)
	h := g.Health()
	require.EqualValues(t, time.Duration(math.MaxInt64), h.Lead.Now.Duration)
	require.Zero(t, h.Lead.Lag)
}
