package kubernetes

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker"
)

// All clients of a namespace have the same bound for their clocks.
func TestClockError(t *testing.T) {
	t.Parallel()
	inCluster(t, func(t *testing.T, c *cluster) {
		c.take(c.made())
		l := orders.Leases(t, c.store(func(cfg *Config) { cfg.ClockError = 2 * time.Second }))
		for _, err := range []error{
			l.Change(t.Context(), 0, orders.Unasked(t)), l.Take(t.Context(), orders.Wanted(0, 9), orders.Unasked(t)),
		} {
			require.ErrorIs(t, err, uid.ErrConfig)
			orders.Fails(t, err, false, `ClockError is 2s, and namespace "orders" was made with 1s`)
		}
		require.NoError(t, c.made().Init(t.Context(), func(_ *storage.Namespace, now storage.Clock) error {
			require.Equal(t, storage.Clock{Now: time.Now().UTC(), Error: time.Second}, now)
			return nil
		}))
	})
}

// The API server's clock is known by the Date of its answers, in whole seconds. Who begins compares it; who goes on
// does not.
func TestClock(t *testing.T) {
	t.Parallel()
	for _, is := range []struct {
		ahead, bound time.Duration // the API server's clock, and ClockError
		apart        bool          // more than can be
	}{
		{0, time.Microsecond, false},
		{2 * time.Second, time.Second, false},
		{3*time.Second - 1, time.Second, false}, // its Date shows two
		{3 * time.Second, time.Second, true},
		{time.Hour, time.Second, true},
		{time.Hour, 30 * time.Minute, false},
		{-3 * time.Second, time.Second, false}, // its second may be over
		{-3*time.Second - 1, time.Second, true},
		{-time.Hour, time.Second, true},
		{-time.Hour, 30 * time.Minute, false},
	} {
		inCluster(t, func(t *testing.T, c *cluster) {
			bound := func(cfg *Config) { cfg.ClockError = is.bound }
			l := orders.Made(t, c.store(bound))
			id := c.take(l)
			c.through = c.Another(func() time.Time { return time.Now().Add(is.ahead) }).RoundTripper()
			another := orders.Leases(t, c.store(bound))
			require.NoError(t, renew(another, id, 1))
			for _, err := range []error{
				another.Take(t.Context(), orders.Wanted(0, 9), orders.Keep),
				another.Init(t.Context(), func(*storage.Namespace, storage.Clock) error { return nil }),
			} {
				if !is.apart {
					require.NoError(t, err, "%v, %v", is.ahead, is.bound)
					continue
				}
				require.ErrorIs(t, err, worker.ErrClock, "%v, %v", is.ahead, is.bound)
				orders.Fails(t, err, false, "this process's shows 2000-01-01 00:00:00 +0000 UTC, that of the API serv",
					fmt.Sprintf("with a ClockError of %v they are %v apart at most", is.bound, 2*is.bound))
			}
		})
	}
	inCluster(t, func(t *testing.T, c *cluster) {
		c.through = through(func(r *http.Request) (*http.Response, error) {
			answer, err := c.RoundTripper().RoundTrip(r)
			if err == nil {
				answer.Header.Del("Date")
			}
			return answer, err
		})
		c.take(c.made())
	})
}
