package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/workerid"
	"github.com/uidgen/uid/worker/lease"
)

// leasesSound judges the rows of leased IDs, namespace by namespace.
func (c *check) leasesSound(o registry.Overview) {
	leases := map[string][]registry.LeaseInfo{}
	for _, l := range o.Leases {
		leases[l.Namespace] = append(leases[l.Namespace], l)
	}
	for _, ns := range o.Namespaces {
		n := namespace{NamespaceInfo: ns, leases: leases[ns.Namespace], now: o.Now}
		if c.Terms != nil && ns.Layout != "" {
			n.terms, n.unreadable = c.Terms(ns.Layout)
		}
		for _, f := range []Finding{n.left(), n.missing(), n.outside(), n.layout(), n.times(), n.lastTicks()} {
			f.Value = fmt.Sprintf("namespace %q: %s", ns.Namespace, f.Value)
			c.add(f)
		}
	}
}

// A namespace with its leases. Each method that returns a Finding judges one thing.
type namespace struct {
	registry.NamespaceInfo
	leases     []registry.LeaseInfo
	now        time.Time
	terms      uid.Terms // of its layout; zero if it is unknown
	unreadable error     // of the layout
}

// whole reports whether the namespace has all worker IDs of its layout.
func (n namespace) whole() bool { return n.IDs == lease.Range{} }

// first returns the first lease that satisfies a condition.
func (n namespace) first(is func(registry.LeaseInfo) bool) (l registry.LeaseInfo, found bool) {
	i := slices.IndexFunc(n.leases, is)
	if i < 0 {
		return l, false
	}
	return n.leases[i], true
}

// lost counts the IDs whose rows are missing.
func (n namespace) lost() (lost int64) {
	for _, r := range n.Missing {
		lost += r.Last - r.First + 1
	}
	return lost
}

// left judges how many IDs are free.
func (n namespace) left() Finding {
	value := fmt.Sprintf("%d live, %d in quarantine, %d free again", n.Live, n.Quarantined, n.Free)
	if n.terms.Unit <= 0 {
		return Fine(whatLeases, value)
	}
	ids := lease.Range{Last: n.terms.MaxWorkerID}
	if !n.whole() {
		ids = lease.Range{First: n.IDs.First, Last: min(n.IDs.Last, n.terms.MaxWorkerID)}
	}
	count, busy := max(0, ids.Last-ids.First+1), n.lost()
	for _, l := range n.leases {
		if l.State != registry.Free && ids.Has(l.WorkerID) {
			busy++
		}
	}
	if value += fmt.Sprintf(", %d can be leased, of %d", count-busy, count); !n.whole() {
		value += fmt.Sprintf(" (the worker IDs %v)", n.IDs)
	}
	return Fine(whatLeases, value).
		But(busy >= count, LevelError, "", "No ID is free: workers wait or fail until one is.",
			"Release the IDs of dead holders, take a layout with more worker bits or a namespace with more IDs, or "+
				"shorten the workers' TTL and Quarantine.").
		But(workerid.Low(busy, count), LevelWarn, "", "More than 80 % of the IDs are taken.",
			"Take a layout with more worker bits, or a namespace with more IDs, before a deployment needs twice as "+
				"many.")
}

// missing judges whether all IDs that were ever leased have their rows.
func (n namespace) missing() (f Finding) {
	if lost := n.lost(); lost > 0 {
		f = Finding{LevelError, "rows of worker IDs", fmt.Sprintf("%d missing", lost),
			"Of the IDs that were ever leased, " + storage.MissingRows(n.Missing) + ".",
			"Find out who deleted them, and restore the rows. Replace a lost row by one whose last tick (HIGH, " +
				"in a table) is beyond all ticks that its owner may have used, and whose lease (LEASE_UNTIL) ends no " +
				"earlier than the owner's."}
	}
	return f
}

// outside judges whether the namespace keeps to its range.
func (n namespace) outside() Finding {
	l, found := n.first(func(l registry.LeaseInfo) bool { return !n.whole() && !n.IDs.Has(l.WorkerID) })
	return Finding{What: "range of worker IDs"}.
		But(found, LevelError, n.IDs.String(), fmt.Sprintf("Worker ID %d is outside of it and was leased here: the "+
			"store that has it can lease it out, too, and UIDs come twice.", l.WorkerID), "Find out who changed the "+
			"range. Release the ID if its holder is known to be dead, and keep it out of use: "+keepOut(l))
}

// layout judges whether all rows have the namespace's layout.
func (n namespace) layout() Finding {
	l, foreign := n.first(func(l registry.LeaseInfo) bool { return l.Layout != n.Layout })
	return Finding{What: "layout"}.
		But(n.unreadable != nil, LevelError, n.Layout, fmt.Sprintf("The layout of the namespace cannot be read: "+
			"%v.", n.unreadable), "Find out who wrote the namespace's own row.").
		But(n.Layout == "" && foreign, LevelWarn, "unknown", "The namespace has no row of its own, by which "+
			"acquisitions exclude each other.", "Find out who deleted it. The next start makes it, two minutes ahead "+
			"of the clock, since IDs may be in use; so does uid worker init --lost.").
		But(foreign, LevelError, n.Layout, fmt.Sprintf("Worker ID %d was used under the layout %s: "+
			"its UIDs and new ones could be equal.", l.WorkerID, l.Layout),
			"Give each layout a namespace of its own, and UIDs of different layouts different columns.")
}

// times judges the times of leases, which are by the store's clock.
func (n namespace) times() (f Finding) {
	if len(n.leases) == 0 {
		return f
	}
	renewed := func(l registry.LeaseInfo) time.Duration { return max(l.Acquired.Sub(n.now), l.Renewed.Sub(n.now)) }
	lasts := func(l registry.LeaseInfo) time.Duration { return l.Until.Sub(n.now) }
	latest, longest := n.most(renewed), n.most(lasts)
	const slack, long = 2 * time.Second, 31 * 24 * time.Hour
	return Finding{What: "times of leases"}.
		But(renewed(latest) > slack, LevelError, fmt.Sprintf("worker ID %d was renewed %v from "+
			"now", latest.WorkerID, renewed(latest).Round(time.Millisecond)), "The store's clock went back, or the "+
			"row is from a server with another clock: the ID stays leased until then.", "Set the clock right. Release "+
			"the ID if its holder is known to be dead.").
		But(lasts(longest) > long, LevelWarn, fmt.Sprintf("the lease of worker ID %d ends %v from "+
			"now", longest.WorkerID, lasts(longest).Round(time.Second)), "A holder that dies keeps its ID for so long.",
			"Release the ID if its holder is known to be dead, and check its TTL.")
}

// most returns the lease with the largest value of by.
func (n namespace) most(by func(registry.LeaseInfo) time.Duration) registry.LeaseInfo {
	return slices.MaxFunc(n.leases, func(a, b registry.LeaseInfo) int { return cmp.Compare(by(a), by(b)) })
}

// lastTicks judges how far ahead of the clock ticks were used.
func (n namespace) lastTicks() Finding {
	const what = "last ticks of leases"
	if n.terms.Unit <= 0 {
		return Finding{}
	}
	if len(n.leases) == 0 {
		return Fine(what, "none")
	}
	l := slices.MaxFunc(n.leases, func(a, b registry.LeaseInfo) int { return cmp.Compare(a.High, b.High) })
	limit := n.terms.TickAt(n.now.Add(maxAhead))
	value := fmt.Sprintf("up to %d, of worker ID %d; %d is now", l.High, l.WorkerID, n.terms.TickAt(n.now))
	far := fmt.Sprintf("That is more than %v ahead (tick %d): ", maxAhead, limit)
	return Fine(what, value).
		But(l.High >= n.terms.MaxTick, LevelError, "", fmt.Sprintf("The layout's last tick is %d: no UID is left "+
			"under the ID, and workers that get it fail.", n.terms.MaxTick), "Take another layout if the clock is "+
			"near that tick. Else keep the ID out of use: "+keepOut(l)).
		But(l.High > limit && l.State == registry.Live, LevelWarn, "", far+"its holder runs that far ahead, or the "+
			"row was written under a wrong clock.", "Check its holder's MaxLead and clock. After its end workers "+
			"refuse the ID until the clock reaches the tick.").
		But(l.High > limit, LevelError, "", far+"the row was written under a wrong clock. Workers that get the ID "+
			"refuse to start.", "Set the clock right if it is wrong. Else leave HIGH, since the ticks may have been "+
			"used, and keep the ID out of use until then: "+keepOut(l))
}

// keepOut is the advice for an expert that keeps an ID out of use.
func keepOut(l registry.LeaseInfo) string {
	return fmt.Sprintf("in the row of worker ID %d, set the end of the lease (LEASE_UNTIL, in a table) to the time, "+
		"in microseconds since 1970, from which it may be leased again.", l.WorkerID)
}
