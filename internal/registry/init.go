package registry

import (
	"cmp"
	"context"

	"github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/worker/lease"
)

// Init makes a namespace of leases, and the store's place for it (a table, say) if that is
// missing. Name "" stands for "default". By the zero Founding the caller vouches that nobody has an ID of
// the namespace, or ever had one: so a person calls it, once, not each start of a program. Starts that
// make a missing namespace cannot know that, and begin a [lease.Burn] ahead of the clock. What Init does
// to a namespace that is there, and its errors, are those of [lease.Found]; for a name that cannot be used
// it returns [uid.ErrConfig] or [uid.ErrRange]. It needs the rights to read, insert, update and create.
func (r *Registry) Init(ctx context.Context, name string, f lease.Founding) error {
	leases, err := r.store.Namespace(cmp.Or(name, namespace.Default))
	if err != nil {
		return err
	}
	return r.do(ctx, "make "+leases.Name(), func(ctx context.Context) error { return lease.Found(ctx, leases, f) })
}
