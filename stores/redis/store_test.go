package redis_test

import (
	"testing"

	"github.com/uidgen/uid/worker/storetest"
)

// The tests in test/engines do the same on Redis and on Valkey.
func TestStore(t *testing.T) {
	storetest.Run(t, storetest.Config{}, func(t *testing.T) storetest.Subject { return newFake(t).subject() })
}

func TestRegistry(t *testing.T) {
	storetest.RunRegistry(t, storetest.Config{}, func(t *testing.T) storetest.Subject { return newFake(t).subject() })
}
