package statefile_test

import (
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/statefile"
)

// lives are what an owner does until it is killed: something, and a renewal after a pause.
var lives = map[string]struct {
	first func(p *process)
	pause time.Duration
	fault storetest.Fault // of the renewal
	ahead time.Duration   // by how much it goes beyond what the owner has
	id    int64           // of the next start
}{
	"renewed":                        {pause: time.Minute},
	"renewed late":                   {pause: 2 * time.Minute},
	"of bursts":                      {ahead: time.Minute},
	"whose renewal was lost":         {pause: time.Minute / 2, fault: storetest.LoseWrite},
	"whose renewal was not answered": {pause: time.Minute / 2, fault: storetest.LoseReply},
	"whose lease was lost": {first: func(p *process) { p.h.memory.RemoveRow(orders, 0) }, pause: time.Minute,
		id: 2}, // the record before has the lease that was lost
	"whose lease was invalidated": {first: func(p *process) { p.Invalidate() }, id: 2},
	"closed, and started again": {first: func(p *process) {
		require.NoError(p.h.t, p.Release(p.h.t.Context(), p.extend(0).Last))
		time.Sleep(time.Minute)
		p.acquire()
	}},
	"new": {id: 1}, // it renews nothing yet
}

// The newer of the two records is damaged after a kill. The next start goes on at once, above all that
// was granted by then, as far as the older record names the lease; else it leases another ID.
func TestLeaseFileWithAFlippedBit(t *testing.T) {
	for name, c := range lives {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse(t, false, lease.Range{Last: 7})
				p := h.process()
				r := p.acquire()
				if c.first != nil {
					c.first(p)
				}
				time.Sleep(c.pause)
				p.store.Fault(c.fault)
				r = p.extend(r.Last + ms(c.ahead))
				p.crash()
				image := content(t, h.path)
				restore := h.memory.Backup()
				for bit := 0; bit < 8*500; bit += 97 { // package state flips all of them
					restore()
					require.NoError(t, os.WriteFile(h.path, image, 0o600))
					require.NoError(t, state.Damage(h.path, bit))
					p := h.process()
					began := time.Now()
					again := p.acquire()
					require.Equal(t, c.id, again.WorkerID)
					if c.id == 0 {
						require.Greater(t, again.First, r.Last)
						require.Zero(t, time.Since(began))
						require.Equal(t, 1, p.logged.Count("damaged"))
					}
					p.crash()
				}
			})
		})
	}
}

// While the store is down such a start begins no lower, and one whose lease was lost has nothing.
func TestLeaseFileWithAFlippedBitWithoutStore(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p := h.with(lease.Config{Window: 80 * time.Second}, statefile.Config{})
		p.acquire()
		time.Sleep(time.Minute)
		r := p.extend(0)
		p.crash()
		require.NoError(t, state.Damage(h.path, 1000))
		h.memory.Outage(true)
		p, again := h.held()
		require.Zero(t, again.WorkerID)
		require.Greater(t, again.First, r.Last)
		require.LessOrEqual(t, again.First, r.Last+ms(fileReach)+1)

		p.Invalidate()
		require.Error(t, extendError(t, p, 0))
		p.crash()
		require.NoError(t, state.Damage(h.path, 1000))
		require.Error(t, acquireError(t, h.process(), millis()))
		h.memory.Outage(false)
		require.EqualValues(t, 1, h.process().acquire().WorkerID)
	})
}

// A renewal is granted, damaged in the file, and lost by the store, whose next server's clock is behind. What the file
// rules out it rules out for every later start, too.
func TestLeaseFileWithAFlippedBitOfALostWrite(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		time.Sleep(time.Minute / 2)
		p.extend(0)
		restore := h.memory.Backup()
		time.Sleep(time.Minute / 2)
		r := p.extend(h.tick() + ms(time.Minute))
		p.crash()
		require.NoError(t, state.Damage(h.path, 1000))
		restore()
		h.off = -2 * time.Second
		for range 2 {
			p, again := h.held()
			require.Zero(t, again.WorkerID)
			require.Greater(t, again.First, r.Last)
			require.NoError(t, p.Release(t.Context(), -1))
		}
	})
}

// A renewal costs one write of the file, and so does the file's own, and the end.
func TestLeaseFileSavesOnce(t *testing.T) {
	inHouse(t, func(t *testing.T, h *house) {
		p, _ := h.held()
		r := p.extend(0)
		before := saved(t, h.path)
		for range 12 {
			time.Sleep(fileWindow/2 + time.Millisecond)
			r = p.extend(0)
			before++
			require.Equal(t, before, saved(t, h.path))
		}
		require.NoError(t, p.Release(t.Context(), r.First))
		require.Equal(t, before+1, saved(t, h.path))
		h.held()
		require.Equal(t, before+2, saved(t, h.path))
	})
}
