package databases_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker"
)

// A process that stands still in the middle of a transaction does not keep others from
// its ID, nor from any ID, for long.
func TestLeaseStall(t *testing.T) {
	for _, during := range []string{"renewal", "acquisition"} {
		t.Run(during, func(t *testing.T) {
			brief := worker.LeaseConfig{Window: 4 * time.Second, Timeout: 10 * time.Second} // stalls end sooner than Windows
			s := newMySQL(t)
			h := newHouse(t, s)
			p := newProxy(t, serverOf(t, s))
			direct := h.db
			h.db = s.with(t, func(c *mysql.Config) { c.Addr, c.InterpolateParams = p.Addr(), true }).open(t)
			still := h.lease(brief)
			h.db = direct
			first := h.lease(brief)
			h.acquire(first)
			require.NoError(t, first.Release(t.Context(), -1))
			h.pass(quarantine + 100*time.Millisecond)
			if during == "renewal" {
				require.Zero(t, h.acquire(still).WorkerID)
				h.pass(brief.Window / 2)
			}

			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			p.Stall("FOR UPDATE")
			go func() {
				var err error
				if during == "renewal" {
					_, err = still.Extend(ctx, 0)
				} else {
					_, err = still.Acquire(ctx, millis(1023))
				}
				ended <- err
			}()
			require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
			h.pass(ttl + quarantine + 100*time.Millisecond)
			require.Zero(t, h.acquire(h.lease(brief)).WorkerID)
			cancel()
			require.Error(t, <-ended)
		})
	}
}

// What a lease sets on a connection of the program's pool it sets back.
func TestLeaseSession(t *testing.T) {
	s := newMySQL(t).with(t, func(c *mysql.Config) { c.Params = map[string]string{"wait_timeout": "1234"} })
	h := newHouse(t, s)
	h.db.SetMaxOpenConns(1)
	var id, now, waits int
	require.NoError(t, h.db.Get(&id, "SELECT CONNECTION_ID()"))
	l := h.lease(worker.LeaseConfig{})
	h.acquire(l)
	h.pass(window / 2)
	h.extend(l, 0)
	require.NoError(t, l.Release(t.Context(), -1))
	require.NoError(t, h.db.Get(&now, "SELECT CONNECTION_ID()"))
	require.Equal(t, id, now)
	require.NoError(t, h.db.Get(&waits, "SELECT @@SESSION.wait_timeout"))
	require.Equal(t, 1234, waits)
}

// A commit whose reply never comes ends with its context; the row tells what became of it.
func TestLeaseCommitHangs(t *testing.T) {
	h, p := newLossyHouse(t)
	l := h.lease(worker.LeaseConfig{})
	was := h.acquire(l)
	h.pass(window / 2)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	p.Stall("COMMIT")
	go func() {
		_, err := l.Extend(ctx, 0)
		ended <- err
	}()
	require.Eventually(t, func() bool { return p.Swallowed() == 1 }, time.Minute, time.Millisecond)
	cancel()
	select {
	case err := <-ended:
		require.ErrorIs(t, err, context.Canceled)
	case <-time.After(15 * time.Second):
		p.Cut()
		require.ErrorIs(t, <-ended, context.Canceled, "it waited until the connection was cut")
	}
	next := h.extend(l, 0)
	require.Equal(t, was.WorkerID, next.WorkerID)
	require.Greater(t, next.Last, was.Last)
}
