package lease_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/worker"
)

// newLossyHouse returns a house on a database behind a proxy, and the proxy.
func newLossyHouse(t *testing.T) (*house, *proxy.Proxy) {
	s := newMySQL(t)
	p := newProxy(t, serverOf(t, s))
	h := newHouse(t, s)
	h.db = s.with(t, func(c *mysql.Config) { c.Addr = p.Addr() }).open(t)
	return h, p
}

// A renewal whose reply is lost may or may not have happened. Its ticks are not the
// owner's before it has read the row, and the lease goes on in either case.
func TestLeaseLostReply(t *testing.T) {
	for name, swallow := range map[string]func(p *proxy.Proxy){
		"committed":    func(p *proxy.Proxy) { p.SwallowReply("COMMIT") },
		"not heard of": func(p *proxy.Proxy) { p.SwallowRequest("COMMIT") },
	} {
		t.Run(name, func(t *testing.T) {
			h, p := newLossyHouse(t)
			l := h.lease(worker.LeaseConfig{})
			was := h.acquire(l)
			row := h.row(0)
			for i := range 3 {
				h.pass(window / 2)
				swallow(p)
				r, err := l.Extend(t.Context(), 0)
				require.Error(t, err)
				require.Zero(t, r)
				require.Equal(t, i+1, p.Swallowed())
				require.Equal(t, name == "committed", h.row(0).Nonce != row.Nonce)
				row = h.row(0)
			}
			if name != "committed" {
				require.Equal(t, was, worker.ReservationOf(l))
			}
			next := h.extend(l, 0)
			require.Zero(t, next.WorkerID, "it is still the owner")
			require.Equal(t, was.First, next.First)
			require.Greater(t, next.Last, was.Last)
			require.Equal(t, next.Last, h.row(0).High)
			require.NotEqual(t, row.Nonce, h.row(0).Nonce)

			// A release finds the row that a lost reply left behind.
			h.pass(window / 2)
			swallow(p)
			_, err := l.Extend(t.Context(), 0)
			require.Error(t, err)
			require.NoError(t, l.Release(t.Context(), next.Last))
			require.Empty(t, h.row(0).Nonce)
			require.Equal(t, next.Last, h.row(0).High)
		})
	}
}

// An acquisition whose reply is lost may have leased an ID. If so the next attempt takes
// it up, however many replies were lost.
func TestLeaseLostReplyToAcquire(t *testing.T) {
	for name, c := range map[string]struct {
		swallow func(p *proxy.Proxy)
		durable bool
	}{
		"committed":             {func(p *proxy.Proxy) { p.SwallowReply("COMMIT") }, false},
		"not heard of":          {func(p *proxy.Proxy) { p.SwallowRequest("COMMIT") }, false},
		"committed, durable":    {func(p *proxy.Proxy) { p.SwallowReply("COMMIT") }, true},
		"not heard of, durable": {func(p *proxy.Proxy) { p.SwallowRequest("COMMIT") }, true},
	} {
		t.Run(name, func(t *testing.T) {
			h, p := newLossyHouse(t)
			h.acquire(h.lease(worker.LeaseConfig{}))
			var logged records
			var told events
			lost := 0
			l := h.lease(worker.LeaseConfig{DurableStore: c.durable, Logger: logged.logger(), OnEvent: told.add})
			logged.on = map[string]func(){"trying again": func() { c.swallow(p); lost++ }}
			c.swallow(p)
			before := h.tick()
			r := h.acquire(l)
			require.EqualValues(t, 1, r.WorkerID)
			require.Equal(t, 1, lost)
			require.Equal(t, 2, p.Swallowed())
			require.Equal(t, []worker.LeaseEventKind{worker.LeaseAcquired}, told.kinds())
			if c.durable {
				require.GreaterOrEqual(t, r.First, before-ms(skew))
				require.LessOrEqual(t, r.First, h.tick())
			} else {
				require.GreaterOrEqual(t, r.First, before+ms(reach+skew)+1)
			}
			require.Equal(t, r.Last, h.row(1).High)
			require.EqualValues(t, 2, h.acquire(h.lease(worker.LeaseConfig{})).WorkerID)
			require.NoError(t, l.Release(t.Context(), r.First))
			require.Equal(t, r.First, h.row(1).High)
		})
	}
}

// What an acquisition has leased to nobody is not taken up once somebody else has had it.
func TestLeaseLostReplyToAcquireIsStale(t *testing.T) {
	for name, durable := range map[string]bool{"": false, "durable": true} {
		t.Run(name, func(t *testing.T) {
			h, p := newLossyHouse(t)
			other := h.lease(worker.LeaseConfig{DurableStore: durable})
			var was, theirs leaseRow
			l := h.lease(worker.LeaseConfig{DurableStore: durable, Logger: (&records{on: map[string]func(){"trying again": func() {
				was = h.row(0)
				h.pass(ttl + quarantine + time.Second)
				require.Zero(t, h.acquire(other).WorkerID)
				theirs = h.row(0)
			}}}).logger()})
			p.SwallowReply("COMMIT")
			r := h.acquire(l)
			require.NotEmpty(t, was.Nonce, "nobody could be told")
			require.Greater(t, worker.ReservationOf(other).First, was.High)
			require.EqualValues(t, 1, r.WorkerID)
			require.Equal(t, theirs, h.row(0))
		})
	}
}

// It is given back when the start gives up.
func TestLeaseLostReplyToAcquireIsGivenBack(t *testing.T) {
	for name, durable := range map[string]bool{"": false, "durable": true} {
		t.Run(name, func(t *testing.T) {
			h, p := newLossyHouse(t)
			ctx, cancel := context.WithCancel(t.Context())
			var nonce string
			l := h.lease(worker.LeaseConfig{DurableStore: durable, Logger: (&records{on: map[string]func(){"trying again": func() {
				nonce = h.row(0).Nonce
				cancel()
			}}}).logger()})
			p.SwallowReply("COMMIT")
			_, err := l.Acquire(ctx, millis(1023))
			require.ErrorIs(t, err, context.Canceled)
			require.NotEmpty(t, nonce)
			require.Empty(t, h.row(0).Nonce)
		})
	}
}

// A release whose reply is lost is not tried on a row that somebody else may have by now.
func TestLeaseLostReplyToRelease(t *testing.T) {
	h, p := newLossyHouse(t)
	l := h.lease(worker.LeaseConfig{Timeout: 2 * time.Second})
	r := h.acquire(l)
	p.SwallowReply("COMMIT")
	require.NoError(t, l.Release(t.Context(), r.First))
	row := h.row(0)
	require.Empty(t, row.Nonce)
	require.Equal(t, r.First, row.High)

	// A database that is away is not waited for.
	h.acquire(l)
	p.Refuse(true)
	err := l.Release(t.Context(), r.First)
	require.ErrorContains(t, err, "release the lease of worker ID 1")
	p.Refuse(false)
	require.NotEmpty(t, h.row(1).Nonce)
	h.acquire(l)
}
