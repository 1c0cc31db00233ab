package worker_test

import (
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

// An acquisition whose reply is lost may have leased an ID to nobody. The next attempt has
// another one.
func TestLeaseLostReplyToAcquire(t *testing.T) {
	h, p := newLossyHouse(t)
	var logged records
	h.acquire(h.lease(worker.LeaseConfig{}))
	p.SwallowReply("COMMIT")
	r := h.acquire(h.lease(worker.LeaseConfig{Logger: logged.logger()}))
	require.EqualValues(t, 2, r.WorkerID)
	require.Equal(t, 1, logged.count("trying again"))
	require.Less(t, h.row(1).High, h.tick()+ms(reach+skew)+1)
	h.pass(ttl + quarantine + 100*time.Millisecond)
	require.EqualValues(t, 0, h.acquire(h.lease(worker.LeaseConfig{})).WorkerID)
	require.EqualValues(t, 1, h.acquire(h.lease(worker.LeaseConfig{})).WorkerID)
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
