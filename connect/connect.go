// Package connect opens the store that a URL names, for programs that get it from the environment:
//
//	uids, err := connect.Cached(ctx, os.Getenv("UID_STORE"), cached.Config{})
//
// A program imports the drivers of the stores that it may meet, for their init functions alone:
//
//	mysql://user:password@host:3306/database         github.com/uidgen/uid/connect/mysql
//	postgres://user:password@host:5432/database      github.com/uidgen/uid/connect/postgres
//	sqlite:workers.db                                github.com/uidgen/uid/worker/sqlite
//	etcd://user:password@host:2379,host:2379/prefix  github.com/uidgen/uid/stores/etcd
//	kubernetes://, or kubernetes://host/namespace    github.com/uidgen/uid/stores/kubernetes
//	redis://user:password@host:6379/0                github.com/uidgen/uid/stores/redis
//	zookeeper://user:password@host:2181/path         github.com/uidgen/uid/stores/zookeeper
//
// mariadb, postgresql and rediss (with TLS) are schemes, too. A path such as ./workers.db is a SQLite file.
//
// The parameter namespace is the namespace from which a worker ID is leased. With ids=disposable, in a SQL database,
// each start takes a new ID instead. The other parameters are the driver's. In a user and a password / : @ # ? % are
// written as %2F %3A %40 %23 %3F %25.
//
// A server that refuses connections, or whose name is not known, is an error in a few seconds, or at the context's
// deadline if it has one. Errors wrap [uid.ErrConfig] where a URL cannot be used; none holds a part of it.
package connect

import (
	"context"
	"log/slog"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/lazy"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// A Store has namespaces of leases, disposable IDs, nil where it has none, and segments, until its Close.
type Store = scheme.Store

// Open opens the store that url names, which need not be reachable yet. It returns the driver's error when it cannot
// open a file, or has to ask a server that does not answer. Close the Store after all that uses it.
func Open(ctx context.Context, url string) (*Store, error) {
	u, err := scheme.Parse(url)
	if err != nil {
		return nil, err
	}
	return u.Open(ctx, scheme.Options{})
}

// Worker returns a worker on the store that url names, with default settings, or an error when url cannot be read. A
// generator opens the store when it is made, which returns the errors of [Open], [lease.New] or [disposable.New], and
// closes it with its own Close.
func Worker(url string) (uid.Worker, error) {
	u, err := scheme.Parse(url)
	if err != nil {
		return nil, err
	}
	return lazy.New(func(ctx context.Context) (uid.Worker, func() error, error) {
		var s *scheme.Store
		err := retry.Do(ctx, 0, slog.Default(), func(ctx context.Context) (err error) {
			s, err = u.Open(ctx, scheme.Options{})
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		w, err := on(s, u)
		if err != nil {
			_ = s.Close() // nothing was done in it
			return nil, nil, err
		}
		return w, s.Close, nil
	}), nil
}

func on(s *scheme.Store, u *scheme.URL) (uid.Worker, error) {
	if u.Disposable {
		return disposable.New(s.Numbers, disposable.Config{})
	}
	leases, err := s.Registry.Namespace(u.Namespace)
	if err != nil {
		return nil, err
	}
	return lease.New(leases, lease.Config{})
}

// Cached returns a generator on a [Worker], or an error of Worker or of [cached.NewContext]. Its Close closes
// everything.
func Cached(ctx context.Context, url string, cfg cached.Config) (*cached.Generator, error) {
	w, err := Worker(url)
	if err != nil {
		return nil, err
	}
	return cached.NewContext(ctx, w, cfg)
}
