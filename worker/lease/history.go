package lease

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/storage"
)

// adoptHistory writes the store's history into a namespace. If the store may have lost writes that the namespace does
// not know of, it returns why. Then each later owner begins beyond all that a lost write can have reserved.
func (l *lessee) adoptHistory(ns *storage.Namespace, now storage.Clock) (cause string) {
	switch {
	case l.wentBack:
		cause = "the store went back: an owner has read an older write of its own"
	case l.never:
		return ""
	case now.History == "":
		return "the store cannot tell whether it has lost writes"
	case now.History != ns.History:
		cause = difference(ns.History, now.History)
	case l.cfg.Losses == Anytime:
		return "Losses is Anytime"
	default:
		return ""
	}
	ns.History, ns.Renewed = now.History, now.Now
	ns.Floor = max(ns.Floor, l.burnEnd(now))
	return cause
}

// endOutdated reports whether the row proves that the store went back. Then it ends the lease, and tells the namespace:
// so does each further write of this worker, until one is acknowledged.
func (l *lessee) endOutdated(row *storage.Lease, ns *storage.Namespace, now storage.Clock) bool {
	if row == nil || !l.lease.outdates(row) { // one that is gone may have been deleted alone
		return false
	}
	l.wentBack = true
	l.adoptHistory(ns, now)
	row.End(max(row.High, l.lease.reserved), now)
	return true
}

// difference says how a store's history has changed. The parts of a history are separated by commas.
func difference(was, is string) string {
	before := strings.Split(was, ", ")
	parts := slices.DeleteFunc(strings.Split(is, ", "), func(part string) bool { return slices.Contains(before, part) })
	before = slices.DeleteFunc(before, func(part string) bool { return strings.Contains(", "+is+", ", ", "+part+", ") })
	return fmt.Sprintf("the store may have lost writes: it is %q now, and was %q before",
		strings.Join(parts, ", "), strings.Join(before, ", "))
}

// burnEnd returns the last tick that a lost write can have reserved.
func (l *lessee) burnEnd(now storage.Clock) int64 { return min(l.tickAt(now, Burn), l.terms.MaxTick) }

// warnAhead logs that the lease begins ahead of the clock, and why.
func (l *lessee) warnAhead(ctx context.Context, avoid string) {
	a := l.lease.ahead
	if a == nil {
		return
	}
	l.cfg.Logger.WarnContext(ctx, "UIDs begin ahead of the clock", "cause", a.Cause,
		"ahead", a.Until.Sub(l.now()).Round(time.Second), "until", a.Until.UTC().Format(time.RFC3339),
		"avoided_by", avoid, "worker_id", l.lease.id, "store", l.store.Name())
}
