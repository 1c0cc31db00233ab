package lease

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/storage"
)

// settle brings a namespace up to the store's history. If the store may have lost writes that the namespace does not
// know of, it returns why. Then everybody who comes from now on begins beyond what anybody can have reserved by a write
// that is lost.
func (l *lease) settle(ns *storage.Namespace, now storage.Clock) (cause string) {
	switch {
	case l.back:
		cause = "the store went back: an owner has read an older write of its own"
	case l.never:
		return ""
	case now.History == "":
		return "the store cannot tell whether it has lost writes"
	case now.History != ns.History:
		cause = changed(ns.History, now.History)
	case l.cfg.Losses == Anytime:
		return "Losses is Anytime"
	default:
		return ""
	}
	ns.History, ns.Renewed = now.History, now.Now
	ns.Floor = max(ns.Floor, l.burnt(now))
	return cause
}

// witness reports whether the row proves that the store went back. Then it ends the lease, and has the namespace know:
// so will each further write of this worker, until one is acknowledged.
func (l *lease) witness(h *hold, ns *storage.Namespace, row *storage.Lease, now storage.Clock) bool {
	if row == nil || !h.older(row) { // one that is gone may have been deleted alone
		return false
	}
	l.back = true
	l.settle(ns, now)
	row.End(max(row.High, h.limit), now)
	return true
}

// change is the store's Change. Its decide settles what it writes.
func (l *lease) change(ctx context.Context, id int64,
	decide func(*storage.Namespace, *storage.Lease, storage.Clock) error) error {
	back := l.back
	err := l.store.Change(ctx, id, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		l.back = back // what an earlier run has read may have been old
		return decide(ns, row, now)
	})
	l.back = l.back && err != nil
	return err
}

// changed says what differs in a store's history. Its parts are separated by commas.
func changed(was, is string) string {
	before := strings.Split(was, ", ")
	parts := slices.DeleteFunc(strings.Split(is, ", "), func(part string) bool { return slices.Contains(before, part) })
	before = slices.DeleteFunc(before, func(part string) bool { return strings.Contains(", "+is+", ", ", "+part+", ") })
	return fmt.Sprintf("the store may have lost writes: it is %q now, and was %q before",
		strings.Join(parts, ", "), strings.Join(before, ", "))
}

// burnt returns the last tick that anybody can have reserved by a write that is lost.
func (l *lease) burnt(now storage.Clock) int64 { return l.within(l.tickAt(now, Burn)) }

// sayAhead logs that the hold begins ahead of the clock, and why.
func (l *lease) sayAhead(ctx context.Context) {
	a := l.hold.ahead
	if a == nil {
		return
	}
	avoid := "a state file (statefile.OnLease), or Losses: Never where that is true"
	if l.missing {
		avoid = "uid worker init, or lease.Found, before the first start of a new namespace"
	}
	l.cfg.Logger.WarnContext(ctx, "UIDs begin ahead of the clock", "cause", a.Cause,
		"ahead", a.Until.Sub(l.now()).Round(time.Second), "until", a.Until.UTC().Format(time.RFC3339),
		"avoided_by", avoid, "worker_id", l.hold.id, "store", l.store.Name())
}
