package harness

import (
	"context"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

// Oblivious tells the history that a namespace knows, whatever has become of its store.
type Oblivious struct{ lease.Store }

type decision = func(*storage.Namespace, *storage.Lease, storage.Clock) error

func (o Oblivious) Take(ctx context.Context, w storage.Wanted, decide decision) error {
	return o.Store.Take(ctx, w, unchanged(decide))
}

func (o Oblivious) Change(ctx context.Context, id int64, decide decision) error {
	return o.Store.Change(ctx, id, unchanged(decide))
}

func unchanged(decide decision) decision {
	return func(n *storage.Namespace, r *storage.Lease, c storage.Clock) error {
		c.History = n.History
		return decide(n, r, c)
	}
}
