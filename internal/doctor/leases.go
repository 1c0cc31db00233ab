package doctor

import (
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/supply"
	"github.com/uidgen/uid/worker/lease"
)

// leasesSound judges the rows of leased IDs, namespace by namespace.
func (c *check) leasesSound(o registry.Overview) {
	leases := map[string][]registry.LeaseInfo{}
	for _, l := range o.Leases {
		leases[l.Namespace] = append(leases[l.Namespace], l)
	}
	for _, ns := range o.Namespaces {
		for _, f := range c.judgeNamespace(ns, leases[ns.Namespace], o.Now) {
			f.Value = fmt.Sprintf("namespace %q: %s", ns.Namespace, f.Value)
			c.add(f)
		}
	}
}

// judgeNamespace judges what the rows of a namespace show: how many IDs are left, rows that are missing,
// IDs that are another namespace's, layouts that are mixed, and times and ticks that were written under
// another clock.
func (c *check) judgeNamespace(ns registry.NamespaceInfo, leases []registry.LeaseInfo, now time.Time) []Finding {
	var t uid.Terms
	var unreadable error
	if c.Terms != nil && ns.Layout != "" {
		t, unreadable = c.Terms(ns.Layout)
	}
	all := lease.Range{}
	ids, lost := lease.Range{Last: t.MaxWorkerID}, int64(0)
	if ns.IDs != all {
		ids = lease.Range{First: ns.IDs.First, Last: min(ns.IDs.Last, t.MaxWorkerID)}
	}
	for _, r := range ns.Missing {
		lost += r.Last - r.First + 1
	}
	none := registry.LeaseInfo{WorkerID: -1}
	outside, foreign, latest, longest, highest := none, none, none, none, none
	var ahead, lasts time.Duration // of latest and longest, from now
	count, busy := max(0, ids.Last-ids.First+1), lost
	for _, l := range leases {
		if l.State != registry.Free && ids.Has(l.WorkerID) {
			busy++
		}
		if outside == none && ns.IDs != all && !ns.IDs.Has(l.WorkerID) {
			outside = l
		}
		if foreign == none && l.Layout != ns.Layout {
			foreign = l
		}
		for _, at := range []time.Time{l.Acquired, l.Renewed} {
			if d := at.Sub(now); d > ahead {
				latest, ahead = l, d
			}
		}
		if d := l.Until.Sub(now); d > lasts {
			longest, lasts = l, d
		}
		if highest == none || l.High > highest.High {
			highest = l
		}
	}
	missing := ""
	if lost > 0 {
		missing = leasestore.MissingRows(ns.Missing)
	}
	left := fmt.Sprintf("%d live, %d in quarantine, %d free again", ns.Live, ns.Quarantined, ns.Free)
	told := t.Unit > 0
	var limit, tick int64
	if told {
		left += fmt.Sprintf(", %d can be had, of %d", count-busy, count)
		limit, tick = t.TickAt(now.Add(maxAhead)), t.TickAt(now)
	}
	if told && ns.IDs != all {
		left += fmt.Sprintf(" (the worker IDs %v)", ns.IDs)
	}
	const slack, long = 2 * time.Second, 31 * 24 * time.Hour
	const range_, rows, layout = "range of worker IDs", "rows of worker IDs", "layout"
	const times, ticks = "times of leases", "last ticks of leases"
	upTo := fmt.Sprintf("up to %d, of worker ID %d; %d is now", highest.High, highest.WorkerID, tick)
	far := fmt.Sprintf("That is more than %v ahead (tick %d): ", maxAhead, limit)
	return Judge([]Row{
		{told && busy >= count, LevelError, whatLeases, left,
			"No ID can be had: workers wait or fail until one is free.",
			"Release those whose holders are known to be dead, take a layout with more worker bits or a namespace " +
				"with more of them, or shorten the workers' TTL and Quarantine."},
		{told && supply.Low(busy, count), LevelWarn, whatLeases, left, "More than 80 % of the IDs are taken.",
			"Take a layout with more worker bits, or a namespace with more of them, " +
				"before a deployment needs twice as many at once."},
		{true, LevelOK, whatLeases, left, "", ""},
		{lost > 0, LevelError, rows, fmt.Sprintf("%d missing", lost), "Of the IDs that were given, " + missing + ".",
			"Look who deleted them, and put the rows back as they were. " + makeUp},
		{outside != none, LevelError, range_, ns.IDs.String(), fmt.Sprintf("Worker ID %d lies outside of it and was "+
			"leased here: the store that has it can give it, too, and UIDs come twice.", outside.WorkerID),
			"Look who changed the range. Release the ID if its holder is known to be dead, " +
				"and keep it out of use: " + keepOut(outside)},
		{unreadable != nil, LevelError, layout, ns.Layout,
			fmt.Sprintf("The layout of the namespace cannot be read: %v.", unreadable),
			"Look who wrote the namespace's own row."},
		{ns.Layout == "" && foreign != none, LevelWarn, layout, "not told",
			"The namespace has no row of its own, by which acquisitions exclude each other.",
			"Look who deleted it. The next start makes it, far ahead of the clock, since IDs may be in use; " +
				"so does uid worker init --lost."},
		{foreign != none, LevelError, layout, ns.Layout, fmt.Sprintf("Worker ID %d was used under the layout %s: "+
			"its UIDs and new ones could be equal.", foreign.WorkerID, foreign.Layout),
			"Give each layout a namespace of its own, and UIDs of different layouts different columns."},
		{ahead > slack, LevelError, times,
			fmt.Sprintf("worker ID %d was renewed %v from now", latest.WorkerID, ahead.Round(time.Millisecond)),
			"The store's clock went back, or the row is from a server with another clock: " +
				"such an ID stays taken until its time has come.",
			"Set the clock right. Release the ID if its holder is known to be dead."},
		{lasts > long, LevelWarn, times,
			fmt.Sprintf("the lease of worker ID %d ends %v from now", longest.WorkerID, lasts.Round(time.Second)),
			"A holder that dies keeps its ID for so long.",
			"Release the ID if its holder is known to be dead, and look at its TTL."},
		{!told, "", ticks, "", "", ""},
		{highest == none, LevelOK, ticks, "none", "", ""},
		{highest.High >= t.MaxTick, LevelError, ticks, upTo, fmt.Sprintf("The layout's last tick is %d: "+
			"no UID is left under the ID, and workers that get it fail.", t.MaxTick),
			"Take another layout if the clock is near there, too. Else keep the ID out of use: " + keepOut(highest)},
		{highest.High > limit && highest.State == registry.Live, LevelWarn, ticks, upTo,
			far + "its holder borrows that much, or the row was written under a wrong clock.",
			"Look at its holder's MaxLead and clock. When it is gone, " +
				"workers refuse the ID until the clock gets there."},
		{highest.High > limit, LevelError, ticks, upTo,
			far + "the row was written under a wrong clock. Workers that get the ID refuse to start.",
			"Set the clock right if it is wrong. Else leave HIGH, for the ticks may have been used, " +
				"and keep the ID out of use until then: " + keepOut(highest)},
		{true, LevelOK, ticks, upTo, "", ""},
	}...)
}

// makeUp tells people who know what they do what stands for a row that cannot be had back.
const makeUp = "One that cannot be had back is made up for by a row whose last tick (HIGH, in a table) " +
	"is beyond all that its owner may have used, and whose lease (LEASE_UNTIL) ends as late as the owner's may have."

// keepOut tells people who know what they do how to keep an ID out of use.
func keepOut(l registry.LeaseInfo) string {
	return fmt.Sprintf("in the row of worker ID %d, set the end of the lease (LEASE_UNTIL, in a table) to a time, "+
		"in microseconds since 1970, when it can be had again.", l.WorkerID)
}
