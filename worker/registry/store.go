package registry

import (
	"context"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// A Store is a place that holds namespaces of leases: a table, say, or a prefix of keys.
//
// An error that may pass is marked with [worker.Transient]; the registry then tries again.
// All others are final. No error holds a secret.
//
// All methods may be called by any number of goroutines, and processes, at once.
type Store interface {
	// Namespaces returns the names of all namespaces of which there is any row, in
	// ascending order, and the Clock. It needs no lock. When the place itself is not there
	// it returns [worker.ErrNoNamespace], with the Clock.
	Namespaces(ctx context.Context) ([]string, lease.Clock, error)

	// Namespace returns one of them as a store of leases, whether it is there or not; the
	// Init of that makes it. The error wraps [uid.ErrConfig] or [uid.ErrRange] when the place cannot
	// hold a namespace of this name.
	Namespace(name string) (lease.Store, error)

	// Rows reads a page of a namespace: up to most rows of IDs above the one given, in
	// ascending order. It needs no lock, and only the right to read. A namespace without
	// any row is a page without rows.
	Rows(ctx context.Context, namespace string, above int64, most int) (Page, error)

	// Prune offers decide a page of a namespace, as Rows reads it, of rows that are old: whose
	// leases have been over for longer than old, and the Clock's Error, by the Clock. decide returns the IDs whose
	// rows can go. Prune removes those, each only if it still is exactly as it was read, and
	// raises the namespace's Floor to the largest High among them, all or nothing. Until that
	// is stored nobody acquires an ID of the namespace.
	//
	// It returns the IDs whose rows it has removed. When decide returns an error it removes
	// nothing and returns that error, wrapped or not. decide may run several times, each time
	// with a page that was read anew; its last run counts. After another error the rows may be
	// removed or not. A namespace without a row of its own (Fresh) loses no rows.
	Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(Page) ([]int64, error)) (removed []int64, err error)
}

// A Page is a part of a namespace, read at one time.
type Page struct {
	// Namespace is its own row; Fresh when that is not there.
	Namespace lease.Namespace
	// Rows are those of IDs, in ascending order.
	Rows []lease.Row
	// Clock was read after the rows, and after what locks them. In Prune it says which rows
	// are old.
	Clock lease.Clock
}

// A NodeStore is a [Store] that holds disposable IDs, too.
type NodeStore interface {
	Store
	// Nodes counts the disposable IDs. found is false where there is no table of them. It
	// needs no lock, and only the right to read.
	Nodes(ctx context.Context) (n NodeInfo, found bool, err error)
}
