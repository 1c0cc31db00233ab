package redis_test

import (
	"testing"
	"time"

	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/stores/drivertest"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/redis"
)

// The tests in test/engines do the same on Redis and on Valkey.
func TestStore(t *testing.T) {
	drivertest.Run(t, drivertest.Config{}, func(t *testing.T) drivertest.Subject { return newFake(t).subject() })
	t.Run("beside others", func(t *testing.T) {
		fresh := func(t *testing.T) segmenttest.Subject { return newFake(t).segments() }
		segmenttest.Run(t, segmenttest.Config{}, fresh)
	})
}

func TestPage(t *testing.T) {
	f := newFake(t)
	f.advance(time.Since(f.now))
	orders.OnPage(t, f.store(), redis.Lease(f.client(), "orders"))
}
