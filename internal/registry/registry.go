// Package registry is for operators: it lists who holds which worker ID, ends dead holders' leases, and makes
// namespaces.
//
// It works on any [Store]; package sqlstore has one for SQL databases.
package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A Store holds namespaces of leases: a table, say, or a prefix of keys.
//
// An error that may pass is marked with [worker.Transient]; the registry then tries again. All other errors are final.
// No error holds a secret.
//
// Any number of goroutines, and processes, may call all methods at once. RunRegistry of package storetest checks this
// contract.
type Store interface {
	// Namespaces returns the names of all namespaces with rows, in ascending order, and the Clock. It needs no lock. If
	// the place itself is missing it returns [worker.ErrNoNamespace], with the Clock.
	Namespaces(ctx context.Context) ([]string, storage.Clock, error)

	// Namespace returns a namespace as a store of leases, whether it exists or not; that store's Init makes it. It
	// returns [uid.ErrConfig] or [uid.ErrRange] when no namespace can have this name.
	Namespace(name string) (lease.Store, error)

	// Rows reads a page of a namespace: up to most rows of IDs above the one given, in ascending
	// order. It needs no lock, and only the right to read. A namespace without any row gives a
	// page without rows. If the place itself is missing it may return [worker.ErrNoNamespace].
	Rows(ctx context.Context, namespace string, above int64, most int) (Page, error)
}

// A Page is a part of a namespace, read at one time.
type Page struct {
	// Namespace is the namespace's own row; Fresh when that is missing.
	Namespace storage.Namespace
	// Rows are the rows of IDs, in ascending order.
	Rows []storage.Lease
	// Clock was read after the rows were read.
	Clock storage.Clock
}

// A NodeStore is a [Store] that holds disposable IDs, too.
type NodeStore interface {
	Store
	// Nodes counts the disposable IDs. found is false when there is no place for them (no table,
	// say). It needs no lock, and only the right to read.
	Nodes(ctx context.Context) (n NodeInfo, found bool, err error)
}

// Config holds the settings of a [Registry]. The zero value works.
type Config struct {
	// Timeout bounds each call of the store, all attempts together. The default, for 0, is
	// 30 s. A negative one is refused.
	Timeout time.Duration

	// Logger gets a Warn record when the store is not available at first. The default, for
	// nil, is slog.Default at the time of New.
	Logger *slog.Logger
}

// A Registry manages the worker IDs of a [Store]. Only Init creates anything. Calls of the store with errors that may
// pass are tried again until the configured timeout or the end of the context.
//
// Make it with [New]. Any number of goroutines may call all methods at once, while workers run.
type Registry struct {
	store   Store
	timeout time.Duration
	log     *slog.Logger
}

// New returns a registry of the store. It returns [uid.ErrConfig] when a setting cannot be used.
// It does not touch the store.
func New(store Store, cfg Config) (*Registry, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store", uid.ErrConfig)
	}
	if err := settings.Timeout(cfg.Timeout); err != nil {
		return nil, err
	}
	return &Registry{store: store, timeout: cfg.Timeout, log: settings.Logger(cfg.Logger)}, nil
}

// do calls attempt until it succeeds, returns a final error, or the time is up.
func (r *Registry) do(ctx context.Context, doing string, attempt func(context.Context) error) error {
	if err := retry.Do(ctx, r.timeout, r.log, attempt); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// Init makes a namespace of leases, and the store's place for it (a table, say) if that is missing. Name "" is
// "default". With the zero Founding the caller vouches that no ID of the namespace was ever leased: so a person calls
// it once, and not each start of a program. A start that makes a missing namespace cannot know that, and begins a
// [lease.Burn] ahead of the clock. For a namespace that exists, and for errors, see [lease.Found]; for an unusable name
// it returns [uid.ErrConfig] or [uid.ErrRange]. It needs the rights to read, insert, update and create.
func (r *Registry) Init(ctx context.Context, name string, f lease.Founding) error {
	leases, err := r.store.Namespace(cmp.Or(name, settings.DefaultNamespace))
	if err != nil {
		return err
	}
	return r.do(ctx, "make "+leases.Name(), func(ctx context.Context) error { return lease.Found(ctx, leases, f) })
}

// The errors of a Registry.
var (
	// ErrNoLease is returned by Release when the namespace has no row of that worker ID.
	ErrNoLease = errors.New("no such lease")

	// ErrLive is returned by Release when the lease has not expired and force is not set.
	ErrLive = errors.New("the lease is live")

	// errNothing makes a store write nothing.
	errNothing = errors.New("nothing to write")
)

// Release ends the lease of a worker ID whose holder is known to be dead, so that the ID is free after the quarantine.
// It clears the holder's nonce and ends the lease now, if it has not ended earlier. The last tick stays, so that no
// tick is used twice. A holder that is alive after all loses the ID at its next Extend, and acquires another one.
//
// It returns the lease as it was before, with a State of Live or Free. It returns [ErrNoLease] when the ID was never
// leased, and [ErrLive] when the lease is live and force is not set; then it changes nothing. An empty namespace is
// "default".
//
// It needs the rights to read and update, and locks the row.
func (r *Registry) Release(ctx context.Context, namespace string, id int64, force bool) (LeaseInfo, error) {
	namespace = cmp.Or(namespace, settings.DefaultNamespace)
	if id < 0 {
		return LeaseInfo{}, fmt.Errorf("%w: worker ID %d is negative", ErrNoLease, id)
	}
	leases, err := r.store.Namespace(namespace)
	if errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange) {
		// The error does not repeat the name, which may be a DSN in the wrong place.
		err = fmt.Errorf("%w: no namespace can have such a name", ErrNoLease)
	}
	if err != nil {
		return LeaseInfo{}, err
	}
	var was LeaseInfo
	err = r.do(ctx, fmt.Sprintf("release worker ID %d", id), func(ctx context.Context) error {
		err := leases.Change(ctx, id, func(_ *storage.Namespace, row *storage.Lease, c storage.Clock) error {
			if row == nil {
				return fmt.Errorf("%w: the namespace has none of worker ID %d", ErrNoLease, id)
			}
			if row.Unused() {
				return fmt.Errorf("%w: worker ID %d was never leased", ErrNoLease, id)
			}
			is := info(namespace, *row, c, 0)
			err := end(row, is, c.Now, force)
			if err == nil || was == (LeaseInfo{}) { // else an earlier attempt, whose reply was lost, has ended it
				was = is
			}
			return err
		})
		if errors.Is(err, worker.ErrNoNamespace) {
			return fmt.Errorf("%w: %w", ErrNoLease, err)
		}
		return err
	})
	if err != nil && !errors.Is(err, errNothing) {
		return LeaseInfo{}, err
	}
	return was, nil
}

// end ends the lease of a row, if that is allowed.
func end(row *storage.Lease, was LeaseInfo, now time.Time, force bool) error {
	if was.State == Live && !force {
		return fmt.Errorf("%w: worker ID %d is held by %q for another %v, renewed %v ago", ErrLive, was.WorkerID,
			was.Holder, was.Until.Sub(now).Round(time.Millisecond), now.Sub(was.Renewed).Round(time.Millisecond))
	}
	over := !row.Until.After(now)
	if row.Nonce == "" && over {
		return errNothing
	}
	row.Nonce = ""
	if !over {
		row.Until = now
	}
	return nil
}
