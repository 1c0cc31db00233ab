package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/registry"
)

// An engine is a kind of store that a URL can name.
type engine struct {
	schemes []string
	form    string   // what its URLs look like
	secure  string   // the parameters that turn TLS on
	port    string   // of a host that names none
	params  []string // the parameters of its URLs; nil where a client library knows them
	sql     bool     // it has tables
	open    func(ctx context.Context, u *storeURL, s settings) (*workerStore, error)
}

// allEngines are in the order of the help.
func allEngines() []engine { return []engine{postgres, mySQL, etcdEngine, zooKeeper, redisEngine} }

// settings are what all stores are opened with.
type settings struct {
	nodes, leases, segments string // names of tables; "" for the default
	timeout                 time.Duration
	log                     *slog.Logger
	note                    func(format string, args ...any) // tells the user
}

// A workerStore is an open store, of worker IDs and of segments.
type workerStore struct {
	// all is what the registry works on. Where the store can say more of itself it is a
	// doctor.Examiner, too.
	all registry.Store
	// numbers is nil where the store has no disposable IDs.
	numbers  disposable.Numbers
	segments segment.Store
	close    func()
	place    choice // what it was opened by
}
