package lease

import (
	"context"
	"fmt"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker"
)

// A Founding says what [Found] makes. Its zero value makes a new namespace of the default layout.
type Founding struct {
	// Layout is that of the namespace's UIDs; the zero Layout stands for the default one.
	Layout bits.Layout

	// Lost says that a namespace was lost or put back, and that its owners may be at work: each later owner begins a
	// [Burn] ahead of the clock. Without it the caller vouches that no ID of the namespace was ever leased, in this
	// store or in one that it replaces. Do so once, where the table is made: not at each start, and never after the
	// namespace was emptied or deleted.
	Lost bool

	// After is a UID: each later owner begins above its tick, which may be a [Burn] ahead of the store's clock. The
	// default, 0, stands for none.
	After uid.UID

	// IDs are the namespace's worker IDs, to be set only before the first lease. The zero Range stands for all of the
	// layout or, if the namespace exists, for those that it has. A namespace that was lost must get the same range
	// again: no store can check that.
	IDs Range
}

// Found makes a missing namespace in a store, and its table if the store can. In one that exists it raises the floor
// for later owners if After or Lost ask for a higher one, and sets the IDs if it has all and leased none. It lowers
// nothing: that nobody has leased an ID of a namespace says nothing of one that it may have replaced.
//
// It makes one attempt, and fails with
//
//   - [uid.ErrRange]: the IDs or After are not within the layout's, After is too far ahead, the IDs are not the
//     namespace's, or rows of a former one have higher IDs.
//   - [uid.ErrConfig]: there are rows of a former namespace, so that it is not new, and Lost is not set.
//   - [worker.ErrLayout]: the namespace has another layout.
//   - The store's error: all else.
func Found(ctx context.Context, store Store, f Founding) error {
	if f.Layout.IsZero() {
		f.Layout = bits.Default()
	}
	t := f.Layout.Terms()
	if f.After != 0 {
		tick, err := ticks.Above(f.Layout, f.After)
		if err != nil {
			return err
		}
		t.MinTick = tick
	}
	if f.IDs != (Range{}) && (f.IDs.First < 0 || f.IDs.First > f.IDs.Last || f.IDs.Last > t.MaxWorkerID) {
		return fmt.Errorf("%w: the worker IDs %d to %d are not within 0..%d, those of the layout",
			uid.ErrRange, f.IDs.First, f.IDs.Last, t.MaxWorkerID)
	}
	return found(ctx, store, t, f.IDs, f.Lost, false)
}

// found makes a namespace or, unless makeOnly, changes the one that is there. Starts make only: concurrent first starts
// must not each raise the floor, which would invalidate one another's writes.
func found(ctx context.Context, store Store, t uid.Terms, ids Range, lost, makeOnly bool) error {
	return written(store.Init(ctx, func(ns *storage.Namespace, now storage.Clock) error {
		if clock := t.TickAt(now.Now); t.MinTick > 0 && t.MinTick > t.TickAt(now.Now.Add(Burn)) {
			return fmt.Errorf("%w: MinTick %d is %v ahead of the store's clock, which is at tick %d; "+
				"%v is allowed, since nobody could begin before",
				uid.ErrRange, t.MinTick, ticks.Span(t.MinTick-clock, t.Unit), clock, Burn)
		}
		floor := t.MinTick - 1
		if lost {
			floor = max(floor, min(t.TickAt(now.Now.Add(Burn)), t.MaxTick))
		}
		if !ns.Fresh {
			if makeOnly {
				return errNothing
			}
			return refound(ns, t.Layout, ids, floor, now)
		}
		last := t.MaxWorkerID
		if ids != (Range{}) {
			last = ids.Last
		}
		if ns.Given > last {
			return fmt.Errorf("%w: the row of worker ID %d is left of a former namespace, "+
				"now asked for are IDs up to %d: none of them would be new", uid.ErrRange, ns.Given, last)
		}
		if ns.Given >= 0 && !lost {
			return fmt.Errorf("%w: the namespace is missing, but rows of worker IDs up to %d are there, whose owners "+
				"may be at work: nobody can vouch that it is new; say that it was lost (uid worker init --lost, or "+
				"Founding.Lost)", uid.ErrConfig, ns.Given)
		}
		ns.Layout, ns.IDs, ns.Floor, ns.History = t.Layout, ids, floor, now.History
		ns.Made, ns.Renewed = now.Now, now.Now
		return nil
	}))
}

// refound changes a namespace that is there, as a person asks.
func refound(ns *storage.Namespace, layout string, ids Range, floor int64, now storage.Clock) error {
	others := ids != (Range{}) && ids != ns.IDs
	switch {
	case ns.Layout != layout:
		return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", worker.ErrLayout, ns.Layout, layout)
	case others && (ns.Given >= 0 || ns.IDs != (Range{})):
		return fmt.Errorf("%w: the namespace has the worker IDs %v, now asked for %v", uid.ErrRange, ns.IDs, ids)
	case !others && floor <= ns.Floor:
		return errNothing
	}
	if others {
		ns.IDs = ids
	}
	ns.Floor, ns.Renewed = max(ns.Floor, floor), now.Now
	return nil
}
