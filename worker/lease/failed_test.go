package lease_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// An ID that a failed start could not give back is blocked for a while, and somebody has to know. The start does not
// wait for its store for longer than a release would.
func TestFailedStartThatCannotGiveBack(t *testing.T) {
	// burnt has each start wait for its first tick, so that it fails when the calls after the first do.
	burnt := func(h *house) { h.memory.LoseHistory() }
	hangs := func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	}
	fails := func(context.Context) error { return errBroken }
	for name, c := range map[string]struct {
		before func(h *house)
		lose   storetest.Fault // the reply to the first call
		fails  func(ctx context.Context) error
		most   time.Duration
	}{
		"a lease":                           {burnt, storetest.OK, fails, skew},
		"an unknown outcome":                {func(*house) {}, storetest.LoseReply, fails, time.Second},
		"a lease, no answer":                {burnt, storetest.OK, hangs, skew + time.Minute + 5*time.Second},
		"an unknown outcome, and no answer": {func(*house) {}, storetest.LoseReply, hangs, time.Minute + time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, h *house, f *meddled) {
				client := h.memory.Store(orders)
				f.Store = client
				c.before(h)
				client.Fault(c.lose)
				f.call = func(ctx context.Context, n int) error {
					if n == 1 {
						return nil
					}
					return c.fails(ctx)
				}
				var logged logtest.Records
				l := h.on(f, lease.Config{Timeout: time.Minute, Logger: logged.Logger()})
				began := h.now()
				require.Error(t, h.acquireError(l, millis(1023)))
				require.LessOrEqual(t, h.now().Sub(began), c.most+time.Millisecond)
				require.Equal(t, 1, logged.Count(`a failed start gives no worker ID back" worker_id=0 `),
					logged.String())
				require.Equal(t, 1, logged.Count("for="+(ttl+quarantine).String()), logged.String())
				require.NotEmpty(t, h.row(0).Nonce)
			})
		})
	}
}

// A worker that has once taken a lease up gives back what a later start of it leases in vain.
func TestFailedStartAfterAResume(t *testing.T) {
	bubble(t, func(t *testing.T, h *house, f *meddled) {
		held := h.resumable()
		l := h.on(f, lease.Config{})
		_, err := l.Resume(t.Context(), millis(1023), held)
		require.NoError(t, err)
		require.NoError(t, l.Release(t.Context(), held.Reserved))
		h.memory.LoseHistory()
		f.called, f.call = 0, func(_ context.Context, n int) error {
			if n == 2 { // the first renewal behind the burn
				return errBroken
			}
			return nil
		}
		require.ErrorIs(t, h.acquireError(l, millis(1023)), errBroken)
		require.Len(t, h.ids(), 2)
		require.Empty(t, h.row(1).Nonce, "it is given back")
	})
}

// resumable returns what a process held that has ended, of worker ID 0.
func (h *house) resumable() storage.Held {
	h.t.Helper()
	l, r := h.held(lease.Config{})
	held, ok := l.Held()
	require.True(h.t, ok)
	held.Before = r.First
	require.NoError(h.t, l.Leave())
	return held
}

// So does the error of a Release say it.
func TestReleaseThatFails(t *testing.T) {
	bubble(t, func(t *testing.T, h *house, f *meddled) {
		l := h.on(f, lease.Config{})
		h.acquire(l)
		f.call = func(context.Context, int) error { return errBroken }
		logtest.Error(t, l.Release(t.Context(), -1), errBroken, "nobody else gets the ID for up to 6m0s")
	})
}

// A start that can go on with what is reserved does not wait long for its store.
func TestResumeWithoutAnAnswer(t *testing.T) {
	bubble(t, func(t *testing.T, h *house, f *meddled) {
		held := h.resumable()
		f.call = func(context.Context, int) error { return worker.Transient(errBroken) }
		began := h.now()
		r := must(h.on(f, lease.Config{}).Resume(t.Context(), millis(1023), held))
		require.Equal(t, held.Reserved, r.Last)
		require.Equal(t, 5*time.Second, h.now().Sub(began))
	})
}

// A start without a Timeout waits for its first tick as long as the default.
func TestLongestWaitByDefault(t *testing.T) {
	eachHouse(t, func(t *testing.T, h *house) {
		err := h.acquireError(h.lease(lease.Config{}), from(h.tick()+ms(time.Hour)))
		logtest.Error(t, err, uid.ErrRange, (lease.Burn + 2*time.Millisecond + 30*time.Second).String())
	})
}
