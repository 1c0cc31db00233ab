package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// shortestRest is the least time for which a namespace rests that a start has made. Nobody can
// tell a new one from one whose rows were lost and whose owners may be at work. Such an owner
// notices at its next renewal, half its Window later; what it has reserved by then ends 3/2 of
// its Window after its last one.
const shortestRest = 5 * time.Minute

// Found makes the namespace of a store if it is missing. Nobody gets an ID of it before the rest
// is over, and nobody ever gets a tick that begins before the end of the rest.
//
// With a rest of 0 the caller vouches that nobody has an ID of the namespace: a person does that,
// once, not each start of a program. It then also ends the rest of a namespace that a start has
// made and of which nobody has had an ID yet. Otherwise it changes nothing in a namespace that
// exists.
//
// It makes one attempt. It returns [uid.ErrConfig] when the terms are not those of a layout or
// the rest is not within 0 and 100 years, [worker.ErrLayout] when the namespace has another
// layout, or the store's error.
func Found(ctx context.Context, store Store, terms uid.Terms, rest time.Duration) error {
	if terms.Layout == "" || terms.Unit <= 0 || terms.Epoch.IsZero() || terms.MaxTick <= 0 {
		return fmt.Errorf("%w: the Terms for %s are not those of a layout: %q", uid.ErrConfig, store.Name(), terms.Layout)
	}
	if rest < 0 || rest > maxDuration {
		return fmt.Errorf("%w: Rest %v is not within 0 and %v", uid.ErrConfig, rest, maxDuration)
	}
	return written(store.Init(ctx, func(ns *Namespace, now Clock) error { return found(ns, terms, rest, now) }))
}

// found decides what the namespace becomes.
func found(ns *Namespace, terms uid.Terms, rest time.Duration, now Clock) error {
	switch {
	case !ns.Fresh && ns.Layout != terms.Layout:
		return fmt.Errorf("%w: the namespace's UIDs are of %s, now asked for %s", worker.ErrLayout, ns.Layout, terms.Layout)
	case !ns.Fresh && (rest > 0 || ns.Rest.Before(now.Now) || ns.Used):
		return errNothing
	}
	if ns.Fresh {
		ns.Layout, ns.Made = terms.Layout, now.Now
	}
	ns.Floor, ns.Rest, ns.Renewed = -1, time.Unix(0, 0).UTC(), now.Now
	if rest > 0 {
		ns.Rest = now.after(rest)
		ns.Floor = min(max(terms.TickAt(ns.Rest.Add(now.Error)), -1), terms.MaxTick)
	}
	return nil
}
