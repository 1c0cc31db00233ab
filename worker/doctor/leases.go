package doctor

import (
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/supply"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// leasesSound judges the rows of leased IDs, namespace by namespace.
func (c *check) leasesSound(o registry.Overview) {
	for _, ns := range o.Namespaces {
		var leases []registry.LeaseInfo
		for _, l := range o.Leases {
			if l.Namespace == ns.Namespace {
				leases = append(leases, l)
			}
		}
		for _, f := range c.judgeNamespace(ns, leases, o.Now) {
			f.Value = fmt.Sprintf("namespace %q: %s", ns.Namespace, f.Value)
			c.add(f)
		}
	}
}

func (c *check) judgeNamespace(ns registry.NamespaceInfo, leases []registry.LeaseInfo, now time.Time) []Finding {
	left := Finding{Level: LevelOK, What: "leased IDs", Value: fmt.Sprintf("%d live, %d in quarantine, %d free again", ns.Live, ns.Quarantined, ns.Free)}
	lost := int64(0)
	for _, r := range ns.Missing {
		lost += r.Last - r.First + 1
	}
	var t uid.Terms
	if c.Terms != nil && ns.Layout != "" {
		var err error
		if t, err = c.Terms(ns.Layout); err != nil {
			return []Finding{left, {LevelError, "layout", ns.Layout, fmt.Sprintf("The layout of the namespace cannot be read: %v.", err),
				"Look who wrote the namespace's own row."}}
		}
	}
	if t.Unit > 0 {
		ids := idsOf(ns, t)
		all, busy := max(0, ids.Last-ids.First+1), busyOf(ids, leases)+lost
		left.Value += fmt.Sprintf(", %d can be had, of %d", all-busy, all)
		if ns.IDs != (lease.Range{}) {
			left.Value += fmt.Sprintf(" (the worker IDs %v)", ns.IDs)
		}
		switch {
		case busy >= all:
			left.Level, left.Why = LevelError, "No ID can be had: workers wait or fail until one is free."
			left.Do = "Release those whose holders are known to be dead, take a layout with more worker bits or a namespace with more of them, or shorten the workers' TTL and Quarantine."
		case supply.Low(busy, all):
			left.Level, left.Why = LevelWarn, "More than 80 % of the IDs are taken."
			left.Do = "Take a layout with more worker bits, or a namespace with more of them, before a deployment needs twice as many at once."
		}
	}
	findings := []Finding{left}
	if len(ns.Missing) > 0 {
		findings = append(findings, Finding{LevelError, "rows of worker IDs", fmt.Sprintf("%d missing", lost),
			"Of the IDs that were given, " + lease.MissingRows(ns.Missing) + ".",
			"Look who deleted them, and put the rows back as they were. " + makeUp})
	}
	if f, bad := judgeRange(ns, leases); bad {
		findings = append(findings, f)
	}
	if f, bad := judgeLayouts(ns, leases); bad {
		findings = append(findings, f)
	}
	if f, bad := judgeTimes(leases, now); bad {
		findings = append(findings, f)
	}
	if t.Unit > 0 {
		findings = append(findings, c.judgeHigh(ns, t, leases, now))
	}
	return findings
}

// idsOf returns the worker IDs that the namespace has, of those of its layout.
func idsOf(ns registry.NamespaceInfo, t uid.Terms) lease.Range {
	if ns.IDs == (lease.Range{}) {
		return lease.Range{Last: t.MaxWorkerID}
	}
	return lease.Range{First: ns.IDs.First, Last: min(ns.IDs.Last, t.MaxWorkerID)}
}

// busyOf counts the IDs that nobody can have now.
func busyOf(ids lease.Range, leases []registry.LeaseInfo) (n int64) {
	for _, l := range leases {
		if l.State != registry.Free && l.WorkerID >= ids.First && l.WorkerID <= ids.Last {
			n++
		}
	}
	return n
}

// judgeRange looks for IDs that are another namespace's.
func judgeRange(ns registry.NamespaceInfo, leases []registry.LeaseInfo) (f Finding, bad bool) {
	if ns.IDs == (lease.Range{}) {
		return f, false
	}
	for _, l := range leases {
		if l.WorkerID < ns.IDs.First || l.WorkerID > ns.IDs.Last {
			return Finding{LevelError, "range of worker IDs", ns.IDs.String(),
				fmt.Sprintf("Worker ID %d lies outside of it and was leased here: the store that has it can give it, too, and UIDs come twice.", l.WorkerID),
				"Look who changed the range. Release the ID if its holder is known to be dead, and keep it out of use: " + keepOut(l)}, true
		}
	}
	return f, false
}

func judgeLayouts(ns registry.NamespaceInfo, leases []registry.LeaseInfo) (f Finding, bad bool) {
	if ns.Layout == "" {
		return Finding{LevelWarn, "layout", "not told", "The namespace has no row of its own, by which acquisitions exclude each other.",
			"Look who deleted it. Nobody can have an ID until uid worker init makes it, with a --rest since IDs are in use, or a worker without DurableStore starts."}, len(leases) > 0
	}
	for _, l := range leases {
		if l.Layout != ns.Layout {
			return Finding{LevelError, "layout", ns.Layout, fmt.Sprintf("Worker ID %d was used under the layout %s: its UIDs and new ones could be equal.", l.WorkerID, l.Layout),
				"Give each layout a namespace of its own, and UIDs of different layouts different columns."}, true
		}
	}
	return f, false
}

// judgeTimes looks for rows that were written under another clock.
func judgeTimes(leases []registry.LeaseInfo, now time.Time) (f Finding, bad bool) {
	const slack, longest = 2 * time.Second, 31 * 24 * time.Hour
	var worst registry.LeaseInfo
	var ahead time.Duration
	for _, l := range leases {
		for _, at := range []time.Time{l.Acquired, l.Renewed} {
			if d := at.Sub(now); d > ahead {
				worst, ahead = l, d
			}
		}
	}
	if ahead > slack {
		return Finding{LevelError, "times of leases", fmt.Sprintf("worker ID %d was renewed %v from now", worst.WorkerID, ahead.Round(time.Millisecond)),
			"The store's clock went back, or the row is from a server with another clock: such an ID stays taken until its time has come.",
			"Set the clock right. Release the ID if its holder is known to be dead."}, true
	}
	for _, l := range leases {
		if d := l.Until.Sub(now); d > longest {
			return Finding{LevelWarn, "times of leases", fmt.Sprintf("the lease of worker ID %d ends %v from now", l.WorkerID, d.Round(time.Second)),
				"A holder that dies keeps its ID for so long.", "Release the ID if its holder is known to be dead, and look at its TTL and Offline."}, true
		}
	}
	return f, false
}

// judgeHigh looks for ticks of the far future.
func (c *check) judgeHigh(ns registry.NamespaceInfo, t uid.Terms, leases []registry.LeaseInfo, now time.Time) Finding {
	f := Finding{Level: LevelOK, What: "last ticks of leases", Value: "none"}
	if len(leases) == 0 {
		return f
	}
	worst := leases[0]
	for _, l := range leases {
		if l.High > worst.High {
			worst = l
		}
	}
	most := lease.Burn + c.MaxAhead
	if most < 0 { // overflow
		most = math.MaxInt64
	}
	f.Value = fmt.Sprintf("up to %d, of worker ID %d; %d is now", worst.High, worst.WorkerID, t.TickAt(now))
	limit := t.TickAt(now.Add(most))
	switch {
	case worst.High >= t.MaxTick:
		f.Level, f.Why = LevelError, fmt.Sprintf("The layout's last tick is %d: no UID is left under the ID, and workers that get it fail.", t.MaxTick)
		f.Do = "Take another layout if the clock is near there, too. Else keep the ID out of use: " + keepOut(worst)
	case worst.High > limit && worst.State == registry.Live:
		f.Level, f.Why = LevelWarn, fmt.Sprintf("That is more than %v ahead (tick %d): its holder borrows that much, or the row was written under a wrong clock.", most.Round(time.Second), limit)
		f.Do = "Look at its holder's MaxLead and clock. When it is gone, workers refuse the ID until the clock gets there."
	case worst.High > limit:
		f.Level, f.Why = LevelError, fmt.Sprintf("That is more than %v ahead (tick %d): the row was written under a wrong clock. Workers that get the ID refuse to start.", most.Round(time.Second), limit)
		f.Do = "Set the clock right if it is wrong. Else leave HIGH, for the ticks may have been used, and keep the ID out of use until then: " + keepOut(worst)
	}
	return f
}

// makeUp tells people who know what they do what stands for a row that cannot be had back.
const makeUp = "One that cannot be had back is made up for by a row whose last tick (HIGH, in a table) " +
	"is beyond all that its owner may have used, and whose lease (LEASE_UNTIL) ends as late as the owner's may have."

// keepOut tells people who know what they do how to keep an ID out of use.
func keepOut(l registry.LeaseInfo) string {
	return fmt.Sprintf("in the row of worker ID %d, set the end of the lease (LEASE_UNTIL, in a table) to a time, in microseconds since 1970, when it can be had again.", l.WorkerID)
}
