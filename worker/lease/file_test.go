package lease_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker/lease"
)

func fileConfig(t testing.TB) lease.Config {
	return lease.Config{StateFile: filepath.Join(t.TempDir(), "lease"), Timeout: 10 * time.Second}
}

// On a store that can lose writes a new owner waits, and begins ahead of the clock. Whoever comes
// back with its state file does neither: it goes on above what it may have issued.
func TestLeaseFileStartsAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(t *testing.T, l *lease.Lease, r uid.Reservation)
		next func(r uid.Reservation) int64
	}{
		"closed": {
			func(t *testing.T, l *lease.Lease, r uid.Reservation) {
				require.NoError(t, l.Release(t.Context(), r.First+100))
			},
			func(r uid.Reservation) int64 { return r.First + 101 },
		},
		"crashed": {
			func(_ *testing.T, l *lease.Lease, _ uid.Reservation) { lease.Crash(l) },
			func(r uid.Reservation) int64 { return r.Last + 1 },
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				cfg := fileConfig(t)
				l := h.lease(cfg)
				began := time.Now()
				r := h.acquire(l)
				require.GreaterOrEqual(t, time.Since(began), skew, "a new owner")
				require.Greater(t, r.First, h.tick()+ms(reach-skew))
				require.GreaterOrEqual(t, r.Last, r.First)
				h.pass(window) // at first there is one tick
				r = h.extend(l, 0)
				for range 3 {
					c.end(t, l, r)
					h.pass(ttl - time.Second)
					l = h.lease(cfg)
					began = time.Now()
					again := h.acquire(l)
					require.Zero(t, time.Since(began))
					require.Zero(t, again.WorkerID)
					require.Equal(t, c.next(r), again.First)
					require.GreaterOrEqual(t, again.Last, h.tick()+ms(window), "the clock's ticks are among them")
					r = again
				}

				// Once the lease is over there is nothing to go on with.
				c.end(t, l, r)
				h.pass(ttl + time.Second)
				began = time.Now()
				r = h.acquire(h.lease(cfg))
				require.GreaterOrEqual(t, time.Since(began), skew)
				require.EqualValues(t, 1, r.WorkerID)
			})
		})
	}
}

// A start goes on from its file while the store is down, with what is left, and not beyond.
func TestLeaseFileWithoutStore(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := fileConfig(t)
		cfg.Timeout = patience
		l := h.lease(cfg)
		h.acquire(l)
		h.pass(window)
		r := h.extend(l, 0)
		require.NoError(t, l.Release(t.Context(), r.First))
		h.memory.Outage(true)
		l = h.lease(cfg)
		again := h.acquire(l)
		require.Equal(t, r.First+1, again.First)
		require.Equal(t, r.Last, again.Last)
		lease.Crash(l)
		_, err := h.lease(cfg).Acquire(t.Context(), millis(3))
		require.ErrorIs(t, err, uid.ErrNoReservation)
	})
}

// A start that fails leaves the row as it is when its file may have the lease: a failover could
// lose the release, and with it that somebody else has had the ID.
func TestLeaseFileIsNotReleased(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := fileConfig(t)
		l := h.lease(cfg)
		ctx, cancel := context.WithTimeout(t.Context(), skew/2)
		defer cancel()
		_, err := l.Acquire(ctx, millis(3))
		require.Error(t, err)
		row := h.row(0)
		require.NotEmpty(t, row.Nonce)
		require.True(t, row.Until.After(h.storeNow()))

		// The next start takes it up, and waits for what is left of the wait.
		r := h.acquire(h.lease(cfg))
		require.Zero(t, r.WorkerID)
		require.Equal(t, row.High+1, r.First)
		require.GreaterOrEqual(t, r.Last, r.First)
	})
}

// A floor beyond what the file has reserved is waited for.
func TestLeaseFileFloor(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := fileConfig(t)
		l := h.lease(cfg)
		r := h.acquire(l)
		require.NoError(t, l.Release(t.Context(), r.First))
		terms := millis(3)
		terms.MinTick = h.tick() + ms(reach+skew)
		again, err := h.lease(cfg).Acquire(t.Context(), terms)
		require.NoError(t, err)
		require.Zero(t, again.WorkerID)
		require.Equal(t, terms.MinTick, again.First)
		require.GreaterOrEqual(t, again.Last, again.First)
	})
}

// Only an acquisition tells the namespace how far an owner reserves. One whose Window has become
// longer, or who no longer trusts the store, therefore does not go on with the lease in its file:
// what it reserved further ahead a failover could lose, and nobody would burn as much.
func TestLeaseFileOfAShorterReach(t *testing.T) {
	for name, c := range map[string]struct{ before, after lease.Config }{
		"a longer Window":       {lease.Config{}, lease.Config{Window: 5 * window, TTL: 10 * window}},
		"a longer MaxClockSkew": {lease.Config{}, lease.Config{MaxClockSkew: 10 * skew}},
		"no DurableStore":       {lease.Config{Window: 5 * window, TTL: 10 * window, DurableStore: true}, lease.Config{Window: 5 * window, TTL: 10 * window}},
	} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				before, after := c.before, c.after
				before.StateFile = filepath.Join(t.TempDir(), "lease")
				after.StateFile = before.StateFile
				l := h.lease(before)
				h.acquire(l)
				h.pass(window)
				h.extend(l, 0)
				lease.Crash(l)

				l = h.lease(after)
				r := h.acquire(l)
				require.EqualValues(t, 1, r.WorkerID)
				known := h.namespace().Reach
				require.Equal(t, h.row(1).Reach, known)

				// It goes on with that, and whoever comes after a lost write begins above it.
				restore := h.memory.Backup()
				h.pass(12 * window)
				lease.Crash(l)
				h.pass(-10 * window)
				l = h.lease(after)
				require.EqualValues(t, 1, h.acquire(l).WorkerID)
				h.pass(2 * window)
				r = h.extend(l, 0)
				restore()
				h.pass(14 * window)
				require.LessOrEqual(t, r.Last, h.tick()+ms(known))
				for range 2 {
					other := h.lease(lease.Config{MaxAhead: time.Hour, Timeout: time.Hour})
					again := h.acquire(other)
					if again.WorkerID == r.WorkerID {
						require.Greater(t, again.First, r.Last)
					}
				}
			})
		})
	}
}

// While the store is down such a start still has what was reserved before.
func TestLeaseFileOfAShorterReachWithoutStore(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := fileConfig(t)
		cfg.Timeout = patience
		l := h.lease(cfg)
		h.acquire(l)
		h.pass(window)
		r := h.extend(l, 0)
		require.NoError(t, l.Release(t.Context(), r.First))
		h.memory.Outage(true)
		cfg.Window, cfg.TTL = 5*window, 10*window
		l = h.lease(cfg)
		again := h.acquire(l)
		require.Equal(t, r.First+1, again.First)
		require.Equal(t, r.Last, again.Last)
		h.memory.Outage(false)
		h.pass(5 * window / 2)
		again = h.extend(l, 0)
		require.EqualValues(t, 1, again.WorkerID)
		require.Equal(t, h.namespace().Reach, h.row(1).Reach)
	})
}

// A file is worth no more than the row: whoever starts on one that another start has gone on from,
// or on one from before a renewal, gets another ID.
func TestLeaseFileThatIsOld(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := fileConfig(t)
		l := h.lease(cfg)
		h.acquire(l)
		h.pass(window)
		r := h.extend(l, 0)
		old, err := os.ReadFile(cfg.StateFile)
		require.NoError(t, err)
		restore := h.memory.Backup()
		copied := cfg
		copied.StateFile += ".copy"
		require.NoError(t, os.WriteFile(copied.StateFile, old, 0o600))

		// A copy, after a renewal of the original.
		h.pass(window)
		h.extend(l, 0)
		other := h.lease(copied)
		require.EqualValues(t, 1, h.acquire(other).WorkerID)
		lease.Crash(l)

		// A backup of the file.
		require.NoError(t, os.WriteFile(cfg.StateFile, old, 0o600))
		l = h.lease(cfg)
		require.EqualValues(t, 2, h.acquire(l).WorkerID)
		lease.Crash(l)

		// A backup of the rows, beside a newer file: that names a nonce which the row no longer has.
		restore()
		l = h.lease(cfg)
		again := h.acquire(l)
		require.EqualValues(t, 1, again.WorkerID)
		lease.Crash(l)
		h.pass(ttl + quarantine + time.Second)
		last := h.acquire(h.lease(lease.Config{}))
		require.Zero(t, last.WorkerID)
		require.Greater(t, last.First, r.Last)
	})
}

// Over means over, whatever the file says: not even the row as it was before its next owner came
// brings the lease back.
func TestLeaseFileAfterTTL(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := fileConfig(t)
		l := h.lease(cfg)
		r := h.acquire(l)
		require.NoError(t, l.Release(t.Context(), r.First))
		restore := h.memory.Backup()
		h.pass(ttl + quarantine + time.Second)
		other := h.lease(lease.Config{})
		require.Zero(t, h.acquire(other).WorkerID)
		h.pass(window)
		others := h.extend(other, 0)
		restore()
		h.shiftStore(-skew) // as another server's clock may be
		again := h.acquire(h.lease(cfg))
		require.True(t, again.WorkerID != others.WorkerID || again.First > others.Last, "%v after %v", again, others)
	})
}
