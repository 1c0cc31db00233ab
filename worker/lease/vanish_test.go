package lease_test

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/worker/lease"
)

// An issuer draws a tick of its reservation for each of the clock, as a generator does.
type issuer struct {
	*lease.Lease
	has  uid.Reservation
	last int64
}

// vanish runs four owners for some minutes. remove is called when the owner of the highest ID is about
// to look at its row, before the others, and what it returns three seconds later. It fails when two have
// had the same tick of an ID, and returns the IDs that they had.
func vanish(t *testing.T, h *house, cfg lease.Config, remove func() (putBack func())) (had map[int64]bool) {
	t.Helper()
	const step = 250 * time.Millisecond
	type of struct{ id, tick int64 }
	by, had := map[of]int{}, map[int64]bool{}
	owners := make([]*issuer, 4)
	for i := range owners {
		l := h.lease(cfg)
		l.SetChance(func(int64) int64 { return int64(i) * int64(time.Second) })
		owners[i] = &issuer{l, h.acquire(l), -1}
	}
	putBack := func() {}
	for at := time.Duration(0); at < 6*time.Minute; at += step {
		switch at {
		case 80 * time.Second:
			putBack = remove()
		case 83 * time.Second:
			putBack()
		}
		for i, o := range owners {
			now := h.tick()
			if now >= o.has.Renew || now > o.has.Last {
				if r, err := o.Extend(t.Context(), now); err == nil {
					o.has = r
				}
			}
			if o.last = max(now, o.has.First, o.last+1); o.last > o.has.Last {
				continue
			}
			had[o.has.WorkerID] = true
			if was, issued := by[of{o.has.WorkerID, o.last}]; issued && was != i {
				t.Fatalf("%v after the start owners %d and %d have both issued tick %d of worker ID %d",
					at, was, i, o.last, o.has.WorkerID)
			}
			by[of{o.has.WorkerID, o.last}] = i
		}
		h.pass(step)
	}
	for _, o := range owners {
		_ = o.Release(t.Context(), o.last)
	}
	return had
}

// removeRows removes all rows of IDs by hand, and returns what puts them back.
func (h *house) removeRows() (putBack func()) {
	rows := map[int64]leasestore.Row{}
	for id := range int64(1024) {
		if row, found := h.memory.Row(orders, id); found {
			rows[id] = row
			h.memory.RemoveRow(orders, id)
		}
	}
	return func() {
		for row := range maps.Values(rows) {
			h.memory.SetRow(orders, row)
		}
	}
}

// Rows that vanish while owners are at work, and come back, make no ID new: an owner takes no ID that
// another one still has.
func TestRowsVanishAndComeBack(t *testing.T) {
	for name, cfg := range map[string]lease.Config{"durable": {Losses: lease.Never}, "lossy": {}} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				require.NoError(t, h.foundWith(0, 0))
				had := vanish(t, h, cfg, h.removeRows)
				require.Greater(t, len(had), 4, "some have taken other IDs")
			})
		})
		t.Run(name+", and no other ID", func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				require.NoError(t, h.foundWith(0, 3))
				require.Len(t, vanish(t, h, cfg, h.removeRows), 4)
			})
		})
	}
}

// Rows that are left of a former namespace were given. A range of IDs below them has none that is new.
func TestFoundOverRows(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		h.memory.SetRow(orders, leasestore.Row{WorkerID: 500, High: 7, Until: h.now().Add(time.Hour)})
		err := h.foundWith(0, 499)
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err,
			"the row of worker ID 500 is left of a former namespace, now asked for are IDs up to 499")
		require.False(t, h.isThere())
		require.NoError(t, h.foundWith(0, 501))
		require.EqualValues(t, 500, h.namespace().Given)
		require.EqualValues(t, 501, h.acquire(h.lease(lease.Config{Losses: lease.Never})).WorkerID)
		_, err = h.lease(lease.Config{Losses: lease.Never}).Acquire(t.Context(), millis(1023))
		require.ErrorIs(t, err, uid.ErrNoWorkerID)
		require.ErrorContains(t, err, "worker IDs 0 to 499 have no row")
	})
}
