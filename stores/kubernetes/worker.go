package kubernetes

import (
	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/lazy"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/lease"
)

// Lease returns a worker that leases a worker ID of a namespace in the cluster of this pod, with the default [Config]
// and at most one lease.Config. Making a generator on it returns the errors of [New], [stores.Store.Leases] and
// [lease.New].
func Lease(namespace string, cfg ...lease.Config) uid.Worker {
	return lazy.Lease(cfg, func() (lease.Store, error) {
		store, err := New(Config{})
		if err != nil {
			return nil, err
		}
		return store.Leases(namespace)
	})
}

// Segment returns a generator of dense numbers of a tag in the cluster of this pod, with the default [Config], and the
// errors of [New] and [segment.New].
func Segment(tag string, cfg segment.Config) (*segment.Generator, error) {
	store, err := New(Config{})
	if err != nil {
		return nil, err
	}
	return segment.New(store.Segments(), tag, cfg)
}
