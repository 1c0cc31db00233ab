package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker"
)

// shortestRest is the least time for which a namespace rests that a start has made. Nobody can
// tell a new one from one whose rows were lost and whose owners may be at work. Such an owner
// notices at its next renewal, half its Window later; what it has reserved by then ends 3/2 of
// its Window after its last one.
const shortestRest = 5 * time.Minute

// A Founding says what [Found] makes.
type Founding struct {
	// Terms are those of the layout of the namespace's UIDs. Whoever gets an ID of the namespace
	// begins at MinTick or later, which is at most ten minutes ahead of the store's clock. On a
	// store that can lose writes starts fail with [uid.ErrNoReservation] until it is as near as a
	// new owner begins, some two minutes by default.
	Terms uid.Terms

	// Rest is how long nobody gets an ID of the namespace, 100 years at most. Nobody ever gets a
	// tick that begins before its end.
	//
	// With 0 the caller vouches that nobody has an ID of the namespace: a person does that, once,
	// not each start of a program.
	Rest time.Duration

	// IDs are the worker IDs that the namespace has. The zero Range stands for all of the layout
	// or, if the namespace is there, for those that it has. They can be set only as long as none was
	// given, so that each ID up to Given is known to have had a row. Several stores, one in each region
	// say, can share a space of worker IDs without knowing of each other: each has a range of its
	// own, and refuses whoever asks for others. The ranges must not overlap, and a namespace that
	// was lost must have the same again: no store can see that.
	IDs Range
}

// Found makes the namespace of a store if it is missing. One that exists it leaves as it is, with
// two exceptions. A Rest of 0 ends the rest of a namespace that a start has made and of which
// nobody has had an ID yet, and sets its IDs if f has some. And a MinTick above the namespace's
// floor raises that, for all who get an ID from then on; those who have one go on as they are.
//
// A namespace that is made where rows of a former one are left gives new IDs only above these.
//
// It makes one attempt. It returns [uid.ErrConfig] when the terms are not those of a layout or
// the rest is not within 0 and 100 years, [uid.ErrRange] when the IDs or MinTick are not within
// the layout's, MinTick is too far ahead, the IDs are not those that the namespace has, or rows of IDs
// above them are left of a former one, [worker.ErrLayout] when the namespace has another layout, or the
// store's error.
func Found(ctx context.Context, store Store, f Founding) error {
	t := f.Terms
	switch {
	case t.Layout == "" || t.Unit <= 0 || t.Epoch.IsZero() || t.MaxTick <= 0:
		return fmt.Errorf("%w: the Terms for %s are not those of a layout: %q", uid.ErrConfig, store.Name(), t.Layout)
	case f.Rest < 0 || f.Rest > maxDuration:
		return fmt.Errorf("%w: Rest %v is not within 0 and %v", uid.ErrConfig, f.Rest, maxDuration)
	case t.MinTick < 0 || t.MinTick > t.MaxTick:
		return fmt.Errorf("%w: MinTick %d is not within 0..%d, the ticks of the layout", uid.ErrRange, t.MinTick, t.MaxTick)
	case !f.IDs.within(t.MaxWorkerID):
		return fmt.Errorf("%w: the worker IDs %d to %d are not within 0..%d, those of the layout", uid.ErrRange, f.IDs.First, f.IDs.Last, t.MaxWorkerID)
	}
	return written(store.Init(ctx, func(ns *Namespace, now Clock) error {
		if clock := t.TickAt(now.Now); t.MinTick > 0 && t.MinTick > t.TickAt(now.Now.Add(mostFloorAhead)) {
			return fmt.Errorf("%w: MinTick %d is %v ahead of the store's clock, which is at tick %d; %v is allowed, since nobody could begin before",
				uid.ErrRange, t.MinTick, ticks.Span(t.MinTick-clock, t.Unit), clock, mostFloorAhead)
		}
		return found(ns, f, now)
	}))
}

// mostFloorAhead is as far as a generator runs ahead of its clock by default.
const mostFloorAhead = 10 * time.Minute

// within reports whether the range has an ID, and none above last.
func (r Range) within(last int64) bool { return 0 <= r.First && r.First <= r.Last && r.Last <= last }

// found decides what the namespace becomes.
func found(ns *Namespace, f Founding, now Clock) error {
	if !ns.Fresh {
		return refound(ns, f, now)
	}
	last := f.Terms.MaxWorkerID
	if f.IDs != (Range{}) {
		last = f.IDs.Last
	}
	if ns.Given > last {
		return fmt.Errorf("%w: the row of worker ID %d is left of a former namespace, "+
			"now asked for are IDs up to %d: none of them would be new",
			uid.ErrRange, ns.Given, last)
	}
	ns.Layout, ns.IDs, ns.Made, ns.Renewed = f.Terms.Layout, f.IDs, now.Now, now.Now
	ns.Floor, ns.Rest = f.Terms.MinTick-1, time.Unix(0, 0).UTC()
	if f.Rest > 0 {
		ns.Rest = now.after(f.Rest)
		ns.Floor = max(ns.Floor, min(f.Terms.TickAt(ns.Rest.Add(now.Error)), f.Terms.MaxTick))
	}
	return nil
}

// refound decides what becomes of a namespace that is there.
func refound(ns *Namespace, f Founding, now Clock) error {
	settled := ns.Given >= 0 || f.Rest > 0 || ns.Rest.Before(now.Now)
	others := f.IDs != (Range{}) && f.IDs != ns.IDs
	switch {
	case ns.Layout != f.Terms.Layout:
		return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", worker.ErrLayout, ns.Layout, f.Terms.Layout)
	case settled && others:
		return fmt.Errorf("%w: the namespace has the worker IDs %v, now asked for %v", uid.ErrRange, ns.IDs, f.IDs)
	case settled && f.Terms.MinTick-1 <= ns.Floor:
		return errNothing
	case settled:
		ns.Floor, ns.Renewed = f.Terms.MinTick-1, now.Now
		return nil
	}
	if others {
		ns.IDs = f.IDs
	}
	ns.Floor, ns.Rest, ns.Renewed = f.Terms.MinTick-1, time.Unix(0, 0).UTC(), now.Now
	return nil
}
