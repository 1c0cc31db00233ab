package lease_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/worker/lease"
)

var milliseconds = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond})

// What was ready when the process was cloned is not issued by this copy any more, and it
// goes on under another ID.
func TestLeaseInvalidate(t *testing.T) {
	type maker = func(w uid.Worker, now func() time.Time) (uid.Generator, error)
	each(t, map[string]maker{
		"cached": func(w uid.Worker, now func() time.Time) (uid.Generator, error) {
			return cached.New(w, cached.Config{Layout: milliseconds, Now: now})
		},
		"uncached": func(w uid.Worker, now func() time.Time) (uid.Generator, error) {
			return uncached.New(w, uncached.Config{Layout: milliseconds, Now: now})
		},
	}, func(t *testing.T, h *house, make maker) {
		var told events
		l := h.lease(lease.Config{OnEvent: told.add, Losses: lease.Never})
		l.Invalidate() // nothing happens
		g, err := make(l, h.now)
		require.NoError(t, err)
		_, err = g.GetUID()
		require.NoError(t, err)
		row := h.row(0)
		l.Invalidate()
		u := must(g.GetUID())
		p := must(milliseconds.Parse(u))
		require.EqualValues(t, 1, p.WorkerID)
		require.Equal(t, []string{"acquired", "lost", "acquired"}, told.kinds())
		require.ErrorContains(t, told.all[1].Err, "invalidated")
		require.Equal(t, row, h.row(0), "the row may be another's")
		require.NoError(t, g.Close())
		require.Equal(t, row, h.row(0))
	})
}

// What was invalidated is not released: the row may be the other copy's by now.
func TestLeaseInvalidateAndRelease(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		l, _ := h.held(lease.Config{})
		row := h.row(0)
		l.Invalidate()
		require.NoError(t, l.Release(t.Context(), -1))
		require.Equal(t, row, h.row(0))
		require.EqualValues(t, 1, h.acquire(l).WorkerID)

		// It gives up one ID for each Invalidate.
		l.Invalidate()
		for range 2 {
			require.EqualValues(t, 2, h.extend(l, 0).WorkerID)
		}
	})
}
