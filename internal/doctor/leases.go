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

// A namespace is what is known of one. Each of its methods judges one thing.
type namespace struct {
	registry.NamespaceInfo
	leases     []registry.LeaseInfo
	now        time.Time
	terms      uid.Terms // of its layout; zero if they are not known
	unreadable error     // why not
}

// whole says that the namespace has all worker IDs of its layout.
func (n namespace) whole() bool { return n.IDs == lease.Range{} }

// first returns the first lease that is so.
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

// left judges how many IDs can be had.
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
	if value += fmt.Sprintf(", %d can be had, of %d", count-busy, count); !n.whole() {
		value += fmt.Sprintf(" (the worker IDs %v)", n.IDs)
	}
	return Fine(whatLeases, value).
		But(busy >= count, LevelError, "", "No ID can be had: workers wait or fail until one is free.",
			"Release those whose holders are known to be dead, take a layout with more worker bits or a namespace "+
				"with more of them, or shorten the workers' TTL and Quarantine.").
		But(workerid.Low(busy, count), LevelWarn, "", "More than 80 % of the IDs are taken.",
			"Take a layout with more worker bits, or a namespace with more of them, "+
				"before a deployment needs twice as many at once.")
}

// missing judges whether all IDs that were given have their rows.
func (n namespace) missing() (f Finding) {
	if lost := n.lost(); lost > 0 {
		f = Finding{LevelError, "rows of worker IDs", fmt.Sprintf("%d missing", lost),
			"Of the IDs that were given, " + storage.MissingRows(n.Missing) + ".",
			"Look who deleted them, and put the rows back as they were. One that " +
				"cannot be had back is made up for by a row whose last tick (HIGH, in a table) is beyond all that " +
				"its owner may have used, and whose lease (LEASE_UNTIL) ends as late as the owner's may have."}
	}
	return f
}

// outside judges whether the namespace keeps to its range.
func (n namespace) outside() Finding {
	l, found := n.first(func(l registry.LeaseInfo) bool { return !n.whole() && !n.IDs.Has(l.WorkerID) })
	return Finding{What: "range of worker IDs"}.
		But(found, LevelError, n.IDs.String(), fmt.Sprintf("Worker ID %d lies outside of it and was leased here: the "+
			"store that has it can give it, too, and UIDs come twice.", l.WorkerID),
			"Look who changed the range. Release the ID if its holder is known to be dead, and keep it out of use: "+
				keepOut(l))
}

// layout judges whether all rows are of the one layout that the namespace tells.
func (n namespace) layout() Finding {
	l, foreign := n.first(func(l registry.LeaseInfo) bool { return l.Layout != n.Layout })
	return Finding{What: "layout"}.
		But(n.unreadable != nil, LevelError, n.Layout,
			fmt.Sprintf("The layout of the namespace cannot be read: %v.", n.unreadable),
			"Look who wrote the namespace's own row.").
		But(n.Layout == "" && foreign, LevelWarn, "not told",
			"The namespace has no row of its own, by which acquisitions exclude each other.",
			"Look who deleted it. The next start makes it, far ahead of the clock, since IDs may be in use; "+
				"so does uid worker init --lost.").
		But(foreign, LevelError, n.Layout, fmt.Sprintf("Worker ID %d was used under the layout %s: "+
			"its UIDs and new ones could be equal.", l.WorkerID, l.Layout),
			"Give each layout a namespace of its own, and UIDs of different layouts different columns.")
}

// times judges what was written by the store's clock.
func (n namespace) times() (f Finding) {
	if len(n.leases) == 0 {
		return f
	}
	heard := func(l registry.LeaseInfo) time.Duration { return max(l.Acquired.Sub(n.now), l.Renewed.Sub(n.now)) }
	lasts := func(l registry.LeaseInfo) time.Duration { return l.Until.Sub(n.now) }
	latest, longest := n.most(heard), n.most(lasts)
	const slack, long = 2 * time.Second, 31 * 24 * time.Hour
	return Finding{What: "times of leases"}.
		But(heard(latest) > slack, LevelError,
			fmt.Sprintf("worker ID %d was renewed %v from now", latest.WorkerID, heard(latest).Round(time.Millisecond)),
			"The store's clock went back, or the row is from a server with another clock: "+
				"such an ID stays taken until its time has come.",
			"Set the clock right. Release the ID if its holder is known to be dead.").
		But(lasts(longest) > long, LevelWarn,
			fmt.Sprintf("the lease of worker ID %d ends %v from now", longest.WorkerID,
				lasts(longest).Round(time.Second)),
			"A holder that dies keeps its ID for so long.",
			"Release the ID if its holder is known to be dead, and look at its TTL.")
}

// most returns the lease of which by is most.
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
		But(l.High >= n.terms.MaxTick, LevelError, "",
			fmt.Sprintf("The layout's last tick is %d: no UID is left under the ID, and workers that get it fail.",
				n.terms.MaxTick),
			"Take another layout if the clock is near there, too. Else keep the ID out of use: "+keepOut(l)).
		But(l.High > limit && l.State == registry.Live, LevelWarn, "",
			far+"its holder borrows that much, or the row was written under a wrong clock.",
			"Look at its holder's MaxLead and clock. When it is gone, "+
				"workers refuse the ID until the clock gets there.").
		But(l.High > limit, LevelError, "",
			far+"the row was written under a wrong clock. Workers that get the ID refuse to start.",
			"Set the clock right if it is wrong. Else leave HIGH, for the ticks may have been used, "+
				"and keep the ID out of use until then: "+keepOut(l))
}

// keepOut tells people who know what they do how to keep an ID out of use.
func keepOut(l registry.LeaseInfo) string {
	return fmt.Sprintf("in the row of worker ID %d, set the end of the lease (LEASE_UNTIL, in a table) to a time, "+
		"in microseconds since 1970, when it can be had again.", l.WorkerID)
}
