package lease

import "github.com/uidgen/uid/internal/leasestore"

// settle brings a namespace up to the store's history, and reports whether the store may have lost
// writes that the namespace does not know of. Then everybody who comes from now on begins beyond what
// anybody can have reserved by a write that is lost.
func (l *lease) settle(ns *leasestore.Namespace, now leasestore.Clock) (lost bool) {
	switch {
	case l.never:
		return false
	case now.History == "":
		return true
	case now.History != ns.History:
		ns.History, ns.Renewed = now.History, now.Now
		ns.Floor = max(ns.Floor, l.burnt(now))
		return true
	}
	return l.cfg.Losses == Anytime
}

// burnt returns the last tick that anybody can have reserved by a write that is lost.
func (l *lease) burnt(now leasestore.Clock) int64 { return l.within(l.tickAt(now, Burn)) }
