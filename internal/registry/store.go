package registry

import (
	"context"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/worker/lease"
)

// A Store holds namespaces of leases: a table, say, or a prefix of keys.
//
// An error that may pass is marked with [worker.Transient]; the registry then tries again. All
// others are final. No error holds a secret.
//
// All methods may be called by any number of goroutines, and processes, at once. The function
// RunRegistry of package storetest checks that a Store keeps this contract.
type Store interface {
	// Namespaces returns the names of all namespaces that have any row, in ascending order, and
	// the Clock. It needs no lock. If the place itself is missing it returns
	// [worker.ErrNoNamespace], with the Clock.
	Namespaces(ctx context.Context) ([]string, leasestore.Clock, error)

	// Namespace returns a namespace as a store of leases, whether it exists or not; that store's
	// Init makes it. The error wraps [uid.ErrConfig] or [uid.ErrRange] when no namespace can have
	// this name.
	Namespace(name string) (lease.Store, error)

	// Rows reads a page of a namespace: up to most rows of IDs above the one given, in ascending
	// order. It needs no lock, and only the right to read. A namespace without any row gives a
	// page without rows. If the place itself is missing it may return [worker.ErrNoNamespace].
	Rows(ctx context.Context, namespace string, above int64, most int) (Page, error)
}

// A Page is a part of a namespace, read at one time.
type Page struct {
	// Namespace is the namespace's own row; Fresh when that is missing.
	Namespace leasestore.Namespace
	// Rows are the rows of IDs, in ascending order.
	Rows []leasestore.Row
	// Clock was read after the rows were read.
	Clock leasestore.Clock
}

// A NodeStore is a [Store] that holds disposable IDs, too.
type NodeStore interface {
	Store
	// Nodes counts the disposable IDs. found is false when there is no place for them (no table,
	// say). It needs no lock, and only the right to read.
	Nodes(ctx context.Context) (n NodeInfo, found bool, err error)
}
