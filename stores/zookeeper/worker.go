package zookeeper

import (
	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/lazy"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/lease"
)

// Lease returns a worker that leases a worker ID of a namespace, with the store's settings at their defaults and those
// of one lease.Config, if there is one. A generator on it returns the errors that [lease.New] lists when it is made,
// and [uid.ErrConfig] or [uid.ErrRange] when the connection or the namespace cannot be used. The caller closes the
// connection, after the generator.
func Lease(conn connection, namespace string, cfg ...lease.Config) uid.Worker {
	return lazy.Lease(cfg, func() (lease.Store, error) {
		store, err := New(conn, Config{})
		if err != nil {
			return nil, err
		}
		return store.Leases(namespace)
	})
}

// Segment returns a generator of dense numbers of a tag, with the store's settings at their defaults, and the errors of
// [New] and of [segment.New]. The caller closes the generator, and then the connection.
func Segment(conn connection, tag string, cfg segment.Config) (*segment.Generator, error) {
	store, err := New(conn, Config{})
	if err != nil {
		return nil, err
	}
	return segment.New(store.Segments(), tag, cfg)
}
