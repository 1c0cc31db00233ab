package registry

import (
	"context"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker/lease"
)

// A Namespace is what [Registry.Init] makes.
type Namespace struct {
	// Name is that of the leases' store; the default, for "", is "default".
	Name string

	// Terms are those of the layout of its UIDs: of a bits.Layout, what its method of
	// that name returns. All generators in the namespace have to have this layout.
	Terms uid.Terms

	// Rest is for how long nobody gets an ID, and what lies below the first ticks that
	// anybody gets then. It is 0 for a namespace that nobody has ever had an ID of. After
	// its rows were lost it is to be at least as long as any owner's TTL and 3/2 Window, and,
	// with DurableStore, its generator's MaxLead and its Offline.
	// Negative values and those above 100 years are refused.
	Rest time.Duration
}

// Init makes a namespace of leases, in a table that it creates if it is missing. Whoever
// calls it vouches that nobody has an ID of the namespace, or had one within the Rest: so
// it is for a person, once, and not for each start of a program. Leases with DurableStore
// need it; for others it spares the first start a rest of five minutes.
//
// If the namespace is there already, Init changes nothing, but for one that a start has made
// and of which nobody has had an ID yet: with a Rest of 0 it ends that one's rest.
//
// It returns [uid.ErrConfig] or [uid.ErrRange] when n cannot be used, and [worker.ErrLayout]
// when the namespace is one of another layout. It needs the rights to read, insert, update
// and create.
func (r *Registry) Init(ctx context.Context, n Namespace) error {
	if n.Name == "" {
		n.Name = defaultNamespace
	}
	leases, err := r.store.Namespace(n.Name)
	if err != nil {
		return err
	}
	return r.do(ctx, "make "+leases.Name(), func(ctx context.Context) error { return lease.Found(ctx, leases, n.Terms, n.Rest) })
}
