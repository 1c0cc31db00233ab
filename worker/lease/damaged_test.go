package lease_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// A life is what an owner does until it is killed.
type life func(h *house, l *lease.Lease, client *storetest.Client)

// damaged has an owner live, kills it, and damages the newer record of its file.
func (h *house) damaged(cfg lease.Config, live life) (granted int64) {
	h.t.Helper()
	l, client := h.client(cfg)
	h.acquire(l)
	live(h, l, client)
	granted = lease.ReservationOf(l).Last
	lease.Crash(l)
	require.NoError(h.t, state.Damage(cfg.StateFile, 1000))
	return granted
}

// The newer of a file's records is damaged after a kill. The next start goes on at once, above all
// that was granted by then, as far as the older record names the lease; else it leases another ID.
func TestLeaseFileWithAFlippedBit(t *testing.T) {
	lives := map[string]struct {
		live life
		ids  map[string]int64 // of the next start, if not 0
	}{
		"new": {func(*house, *lease.Lease, *storetest.Client) {}, map[string]int64{"offline": 1}},
		"renewed": {func(h *house, l *lease.Lease, _ *storetest.Client) {
			h.pass(window)
			h.extend(l, 0)
		}, nil},
		"renewed late": {func(h *house, l *lease.Lease, _ *storetest.Client) {
			h.pass(window / 2)
			h.extend(l, 0)
			h.pass(5 * window / 4)
			h.extend(l, 0)
		}, nil},
		"of a burst": {func(h *house, l *lease.Lease, _ *storetest.Client) {
			h.pass(window)
			h.extend(l, h.extend(l, 0).Last+ms(window))
		}, nil},
		"whose renewal was lost": {func(h *house, l *lease.Lease, client *storetest.Client) {
			h.pass(window)
			client.Fault(storetest.LoseWrite)
			_, _ = l.Extend(h.t.Context(), 0)
		}, nil},
		"whose renewal was not answered": {func(h *house, l *lease.Lease, client *storetest.Client) {
			h.pass(window)
			h.extend(l, 0)
			h.pass(window / 2)
			client.Fault(storetest.LoseReply)
			_, _ = l.Extend(h.t.Context(), 0)
		}, map[string]int64{"lossy": 1}}, // offline, with a shorter window, the file has been saved again
		"closed, and started again": {func(h *house, l *lease.Lease, _ *storetest.Client) {
			h.pass(window)
			require.NoError(h.t, l.Release(h.t.Context(), h.extend(l, 0).Last))
			h.pass(window)
			h.acquire(l)
		}, nil},
	}
	for mode, config := range map[string]func(t testing.TB) lease.Config{
		"lossy": fileConfig, "offline": offlineConfig,
	} {
		for name, c := range lives {
			t.Run(mode+", "+name, func(t *testing.T) {
				eachHouse(t, func(t *testing.T, h *house) {
					cfg := config(t)
					granted := h.damaged(cfg, c.live)
					var logged logtest.Records
					cfg.Logger = logged.Logger()
					began := time.Now()
					r := h.acquire(h.lease(cfg))
					require.Equal(t, 1, logged.Count("damaged"))
					require.Equal(t, c.ids[mode], r.WorkerID)
					if r.WorkerID == 0 {
						require.Greater(t, r.First, granted)
						require.LessOrEqual(t, time.Since(began), 2*time.Millisecond,
							"of the first tick above what was reserved")
					}
					require.GreaterOrEqual(t, r.Last, r.First)
				})
			})
		}
	}
}

// While the store is down such a start begins no lower.
func TestLeaseFileWithAFlippedBitOffline(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		granted := h.damaged(cfg, func(h *house, l *lease.Lease, _ *storetest.Client) {
			h.pass(offlineWindow)
			h.extend(l, 0)
		})
		h.memory.Outage(true)
		cfg.Timeout = patience
		r := h.acquire(h.lease(cfg))
		require.Zero(t, r.WorkerID)
		require.Greater(t, r.First, granted)
		require.LessOrEqual(t, r.First, granted+ms(2*offlineWindow))
		require.GreaterOrEqual(t, r.Last, r.First)
	})
}

// A renewal is granted, damaged in the file, and lost by the store, whose next server's clock is
// behind. What the file rules out it rules out for every later start, too.
func TestLeaseFileWithAFlippedBitOfALostWrite(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := fileConfig(t)
		restore := func() {}
		granted := h.damaged(cfg, func(h *house, l *lease.Lease, _ *storetest.Client) {
			h.pass(window)
			h.extend(l, 0)
			restore = h.memory.Backup()
			h.pass(window)
			h.extend(l, 0)
		})
		restore()
		h.shiftStore(-skew)
		ctx, cancel := context.WithTimeout(t.Context(), skew/2)
		defer cancel()
		_, err := h.lease(cfg).Acquire(ctx, millis(3))
		require.ErrorIs(t, err, context.DeadlineExceeded, "it waits for the store's clock")
		r := h.acquire(h.lease(cfg))
		require.Zero(t, r.WorkerID)
		require.Greater(t, r.First, granted)
	})
}

// A lease that was given up does not come back with the record before that.
func TestLeaseFileWithAFlippedBitAfterALoss(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		cfg := offlineConfig(t)
		cfg.Timeout = patience
		l := h.lease(cfg)
		h.acquire(l)
		h.memory.Outage(true)
		l.Invalidate() // another copy of the process has the lease, and a file of its own
		_, err := l.Extend(t.Context(), 0)
		require.Error(t, err)
		lease.Crash(l)
		require.NoError(t, state.Damage(cfg.StateFile, 1000))
		h.memory.Outage(false)
		require.EqualValues(t, 1, h.acquire(h.lease(cfg)).WorkerID)
	})
}

// A renewal costs two writes of the file: before the store is asked, and before the ticks are
// granted. The one foresees the other, however late it is.
func TestLeaseFileSavesTwice(t *testing.T) {
	for mode, config := range map[string]func(t testing.TB) lease.Config{
		"lossy": fileConfig, "offline": offlineConfig,
	} {
		t.Run(mode, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				cfg := config(t)
				saved := func() int64 {
					n, err := state.Saved(cfg.StateFile)
					require.NoError(t, err)
					return n
				}
				l := h.lease(cfg)
				h.acquire(l)
				before := saved()
				for _, d := range []time.Duration{window, window / 2, window / 2, ttl - time.Second} {
					h.pass(d)
					h.extend(l, 0)
					require.Equal(t, before+2, saved())
					before = saved()
				}
				r := lease.ReservationOf(l)
				require.NoError(t, l.Release(t.Context(), r.Last))
				h.pass(ttl / 2)
				h.acquire(h.lease(cfg))
				require.Equal(t, before+3, saved(), "the end, and a start")
			})
		})
	}
}
