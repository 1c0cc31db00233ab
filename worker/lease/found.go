package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
)

// shortestRest is for how long a namespace rests, at least, that a start has made.
// Nobody can tell a new one from one whose rows were lost, whose owners may be at work.
// Such an owner notices at its next renewal, half its Window later, and what it had
// reserved by then ends 3/2 of its Window after its last one.
const shortestRest = 5 * time.Minute

// Found makes the namespace of a store, if it is not there. Nobody gets an ID of it before
// the rest is over, and nobody ever gets a tick that begins before the end of the rest.
//
// With a rest of 0 whoever calls it vouches that nobody has an ID of the namespace: so it is
// for a person, once, and not for each start of a program. It then also ends the rest of a
// namespace of which nobody has had an ID yet, which a start has made. Otherwise it changes
// nothing of a namespace that is there.
//
// It makes one attempt, and returns [uid.ErrConfig] when the terms are not those of a
// layout or the rest is not within 0 and 100 years, [worker.ErrLayout] when the namespace is
// one of another layout, and the store's error.
func Found(ctx context.Context, store Store, terms uid.Terms, rest time.Duration) error {
	if terms.Layout == "" || terms.Unit <= 0 || terms.Epoch.IsZero() || terms.MaxTick <= 0 {
		return fmt.Errorf("%w: the Terms for %s are not those of a layout: %q", uid.ErrConfig, store.Name(), terms.Layout)
	}
	if rest < 0 || rest > maxDuration {
		return fmt.Errorf("%w: Rest %v is not within 0 and %v", uid.ErrConfig, rest, maxDuration)
	}
	return written(store.Init(ctx, func(ns *Namespace, now Clock) error { return found(ns, terms, rest, now) }))
}

// found decides what becomes of a namespace.
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
