package registry

import (
	"context"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/worker/lease"
)

// A Namespace is what [Registry.Init] makes.
type Namespace struct {
	// Name is the name of the namespace; the default, for "", is "default".
	Name string

	// Terms describe the layout of the namespace's UIDs: the result of bits.Layout's method
	// Terms. All generators in the namespace must have this layout. MinTick, which is 0 there, is
	// the floor: whoever gets an ID begins with this tick or a later one (see bits.Layout's
	// method TickAbove).
	Terms uid.Terms

	// Rest is how long nobody gets an ID. The first ticks that anybody gets then lie above its
	// end. It is 0 for a namespace of which nobody has ever had an ID. If its rows were lost, it
	// must be at least as long as any owner's TTL and 3/2 Window and, with DurableStore, any
	// generator's MaxLead and owner's Offline. Negative values and those above 100 years are
	// refused.
	Rest time.Duration

	// IDs are the worker IDs that the namespace has, see [lease.Founding]. The zero Range stands
	// for all of the layout or, if the namespace is there, for those that it has.
	IDs lease.Range
}

// Init makes a namespace of leases, and the store's place for it (a table, say) if that is
// missing. The caller vouches that nobody has an ID of the namespace, or had one within the Rest:
// so a person calls it, once, not each start of a program. Leases with DurableStore need it;
// others are spared the rest of five minutes at the first start.
//
// If the namespace is there already, Init changes nothing, with two exceptions. A Rest of 0 ends
// the rest of a namespace that a start has made and of which nobody has had an ID yet, and sets
// its IDs if n has some. And a MinTick above the namespace's floor raises that.
//
// It returns [uid.ErrConfig] or [uid.ErrRange] when n cannot be used, [uid.ErrRange] also when the
// namespace has other IDs, and [worker.ErrLayout] when it has another layout. It needs the rights
// to read, insert, update and create.
func (r *Registry) Init(ctx context.Context, n Namespace) error {
	if n.Name == "" {
		n.Name = namespace.Default
	}
	leases, err := r.store.Namespace(n.Name)
	if err != nil {
		return err
	}
	return r.do(ctx, "make "+leases.Name(), func(ctx context.Context) error {
		return lease.Found(ctx, leases, lease.Founding{Terms: n.Terms, Rest: n.Rest, IDs: n.IDs})
	})
}
