package etcd_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/etcd/etcdtest"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// The store is one as package lease wants it, with a clock that runs and with one that stands.
func TestStore(t *testing.T) {
	for name, stands := range map[string]bool{"a clock that runs": false, "a clock that stands": true} {
		t.Run(name, func(t *testing.T) {
			storetest.Run(t, storetest.Config{Histories: 12}, func(t *testing.T) storetest.Subject { return subject(t, stands) })
		})
	}
}

// subject is a store each of whose clients has a connection of its own.
func subject(t *testing.T, stands bool) storetest.Subject {
	s := newServer(t)
	var clock atomic.Int64
	clock.Store(time.Now().UnixMicro())
	out := etcdtest.Subject(func(namespace string, f *etcdtest.Faults) (lease.Store, error) {
		cfg := etcd.Config{}
		if stands {
			cfg.Now = func() time.Time { return time.UnixMicro(clock.Load()) }
		}
		store, err := etcd.New(s.client(t, f), cfg)
		require.NoError(t, err)
		return store.Namespace(namespace)
	})
	out.RemoveNamespace = func(namespace string) error {
		s.set("uid/leases/"+namespace+"/namespace", "")
		return nil
	}
	out.RemoveRow = func(namespace string, id int64) error {
		s.set(fmt.Sprintf("uid/leases/%s/worker/%019d", namespace, id), "")
		return nil
	}
	out.SetGiven = func(namespace string, given int64) error {
		s.setGiven(namespace, given)
		return nil
	}
	out.Secret = secret
	if stands {
		out.Advance = func(by time.Duration) { clock.Add(by.Microseconds()) }
	}
	return out
}
