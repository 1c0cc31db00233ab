package engines

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// A PutBack is how a store with leases is put back to what it was, under running owners.
type PutBack struct {
	Store func() lease.Store   // as a process opens it
	Keep  func() (back func()) // keeps what is there, and puts it back
	Empty func()               // nil, or removes all that is there once it was kept
}

var errLook = errors.New("nothing is to be written")

// Play plays that, with default settings: an owner has renewed its lease since the store was kept, three others have
// started and drawn, and the store is put back; the owner renews again, and then another process starts and draws
// beyond all of them. No UID is drawn twice, nor one that the owner had reserved.
func (p PutBack) Play(t *testing.T) {
	layout := bits.MustLayout(bits.Config{TimeBits: 32, WorkerBits: 16, SequenceBits: 8})
	store := p.Store()
	require.Eventually(t, func() (old bool) { // a server that was started just now has no history
		require.ErrorIs(t, store.Init(t.Context(), func(_ *storage.Namespace, now storage.Clock) error {
			old = now.History != ""
			return errLook
		}), errLook)
		return old
	}, time.Minute, 10*time.Millisecond)
	require.NoError(t, lease.Found(t.Context(), store, lease.Founding{Layout: layout}))
	logger := (&logtest.Records{}).Logger()
	owner := must(lease.New(store, lease.Config{Logger: logger}))
	first, err := owner.Acquire(t.Context(), layout.Terms())
	require.NoError(t, err)
	back := p.Keep()
	renewed, err := owner.Extend(t.Context(), first.Last+1)
	require.NoError(t, err)
	require.Equal(t, first.WorkerID, renewed.WorkerID)
	require.Greater(t, renewed.Last, first.Last)
	if p.Empty != nil {
		p.Empty()
	}

	drawn, twice, newest := map[uid.UID]bool{}, 0, int64(0)
	start := func() (draw func() (tick int64)) {
		w := must(lease.New(p.Store(), lease.Config{Logger: logger}))
		g := must(cached.New(w, cached.Config{Layout: layout, MaxLead: 2 * time.Minute, Logger: logger}))
		t.Cleanup(func() { _ = g.Close() })
		return func() int64 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			u := must(g.GetUIDContext(ctx))
			tick := must(layout.Tick(u))
			if drawn[u] {
				twice++
			}
			drawn[u], newest = true, max(newest, tick)
			return tick
		}
	}
	for range 3 {
		draw := start()
		for range 3 << layout.SequenceBits() {
			draw()
		}
	}
	back()
	var next uid.Reservation
	require.Eventually(t, func() bool { // two writes of a burst are apart
		next = must(owner.Extend(t.Context(), renewed.Last+1))
		return next.WorkerID != first.WorkerID
	}, time.Minute, 10*time.Millisecond)
	draw := start()
	for others := newest; draw() <= others; {
	}
	for u := range drawn {
		id, tick := must(layout.Parse(u)).WorkerID, must(layout.Tick(u))
		for _, r := range []uid.Reservation{renewed, next} {
			if r.WorkerID == id && r.First <= tick && tick <= r.Last {
				twice++
			}
		}
	}
	require.Zero(t, twice, "UIDs come twice, of %d", len(drawn))
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
