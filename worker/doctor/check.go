package worker

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"

	"github.com/uidgen/uid"
)

// A Level says how much a [Finding] matters.
type Level string

// The levels, in ascending order.
const (
	LevelOK    Level = "ok"    // as it should be
	LevelNote  Level = "note"  // good to know, or could not be told
	LevelWarn  Level = "warn"  // may do harm, or wastes IDs
	LevelError Level = "error" // workers fail, or UIDs can come twice
)

// A Finding is one thing that [Registry.Check] has looked at.
type Finding struct {
	Level Level
	// What was looked at, in a few words that stay the same, and the Value found. No
	// value holds a name of an account, a database or a host.
	What, Value string
	// Why it matters and what to Do; both are empty at LevelOK.
	Why, Do string
}

// CheckConfig holds the settings of a Check. The zero value works.
type CheckConfig struct {
	// MaxWorkerID is the largest worker ID of the layout of the disposable IDs. When
	// it is 0 Check does not judge how many are left.
	MaxWorkerID int64

	// DurableStore says that workers run with the setting of that name of
	// [LeaseConfig]. What can lose a commit is then an error for leases, too.
	DurableStore bool

	// Terms returns the terms of a layout from its description, as in [Collection].
	// Without it Check does not judge the ticks of leases and how many are left.
	Terms func(layout string) (uid.Terms, error)

	// MaxClockOffset and MaxAhead are the workers' settings of [LeaseConfig]. The
	// defaults, for 0, are 2 s, and 15 min beyond what a lease may have reserved.
	MaxClockOffset, MaxAhead time.Duration
}

// Check examines the database for what would bite workers: settings that lose
// commits or burn IDs, replication, clocks, the tables and what is in them, on MySQL what
// this account may do, and on SQLite whether the file is in its place, under one name. It
// only reads. What it may not see it notes; it fails where the database cannot be asked
// at all.
//
// What it finds is of the server, account and session that answered. It cannot see
// how a failover will be decided, what a proxy does, or what a backup lacks.
func (r *Registry) Check(ctx context.Context, cfg CheckConfig) ([]Finding, error) {
	if cfg.MaxWorkerID < 0 || cfg.MaxClockOffset < 0 || cfg.MaxAhead < 0 {
		return nil, fmt.Errorf("%w: of MaxWorkerID %d, MaxClockOffset %v and MaxAhead %v none may be negative",
			uid.ErrConfig, cfg.MaxWorkerID, cfg.MaxClockOffset, cfg.MaxAhead)
	}
	if cfg.MaxClockOffset == 0 {
		cfg.MaxClockOffset = defaultClockOffset
	}
	if cfg.MaxAhead == 0 {
		cfg.MaxAhead = defaultAhead
	}
	var findings []Finding
	err := r.do(ctx, "check the database", func(ctx context.Context, conn *sqlx.Conn) error {
		c := &check{CheckConfig: cfg, Registry: r, conn: conn}
		err := c.all(ctx)
		findings = c.findings
		return err
	})
	if err != nil {
		return nil, err
	}
	return findings, nil
}

// A check is one run of Check.
type check struct {
	CheckConfig
	*Registry
	conn               *sqlx.Conn
	hasNodes, hasLease bool // which tables there are
	findings           []Finding
}

func (c *check) add(f Finding) { c.findings = append(c.findings, f) }

func (c *check) all(ctx context.Context) error {
	o, err := c.tables(ctx)
	if err != nil {
		return err
	}
	steps := []func(context.Context) error{c.mysqlServer, c.mysqlReplication, c.mysqlGrants}
	if c.dialect == SQLite {
		steps = []func(context.Context) error{c.sqliteFile}
	}
	for _, step := range append(steps, c.clocks) {
		if err := step(ctx); err != nil {
			return err
		}
	}
	c.nodesLeft(o)
	c.leasesSound(o)
	return nil
}

// told returns nil for an error that says no more than that this account, or this
// kind of server, does not tell: it becomes a note. Others end the check.
func (c *check) told(what string, err error) error {
	if err == nil || kindOf(err) == transient {
		return err
	}
	if _, ok := errors.AsType[*mysql.MySQLError](err); !ok && c.dialect == MySQL {
		return err
	}
	c.add(Finding{LevelNote, what, "could not be told", fmt.Sprintf("The database does not say: %v.", err),
		"Look yourself, or check with an account that may see it."})
	return nil
}

// tables looks at which tables there are, and at their columns.
func (c *check) tables(ctx context.Context) (Overview, error) {
	var o Overview
	var err error
	if o.Now, err = c.clock(ctx, c.conn); err != nil {
		return o, err
	}
	nodes, err := c.readNodes(ctx, c.conn)
	if c.hasNodes = err == nil; c.hasNodes {
		o.Nodes = &nodes
	}
	if err := c.tableThere("table of disposable IDs", c.nodes, err); err != nil {
		return o, err
	}
	rows, err := c.readLeases(ctx, c.conn, "ORDER BY NAMESPACE, WORKER_ID")
	if c.hasLease = err == nil; c.hasLease {
		o.HasLeases = true
		o.addLeases(rows, defaultQuarantine)
	}
	if err := c.tableThere("table of leased IDs", c.leases, err); err != nil {
		return o, err
	}
	if c.hasNodes {
		if err := c.columns(ctx, "table of disposable IDs", c.nodes, nodeColumns); err != nil {
			return o, err
		}
	}
	if c.hasLease {
		if err := c.columns(ctx, "table of leased IDs", c.leases, leaseTableColumns); err != nil {
			return o, err
		}
	}
	return o, nil
}

// tableThere says what came of reading a table, when it is not there or of another
// shape.
func (c *check) tableThere(what, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case isMissingTable(err):
		do := "Nothing, if no worker uses it; the first one creates it if its account may."
		if name == c.leases {
			do = "Nothing, if no worker uses it; else uid worker init makes it, if nobody has had an ID from it. A worker without DurableStore does, too, and then leases none for five minutes."
		}
		c.add(Finding{LevelNote, what, "none", "There is no table " + name + ": nobody has had an ID from it yet, or it was renamed or dropped.", do})
		return nil
	case kindOf(err) == transient:
		return err
	}
	c.add(Finding{LevelError, what, "unreadable", fmt.Sprintf("Reading %s failed: %v.", name, err),
		"Compare it with the statement that creates it, in worker/schema, and look at the rights of this account."})
	return nil
}

// clocks compares the database's clock with this process's.
func (c *check) clocks(ctx context.Context) error {
	var trips []roundTrip
	for range 5 {
		before := c.now()
		theirs, err := c.clock(ctx, c.conn)
		if err != nil {
			return err
		}
		trips = append(trips, roundTrip{before, theirs, c.now()})
	}
	offset, bound := clockOffset(trips)
	c.add(judgeClock(offset, bound, c.MaxClockOffset))
	return nil
}

// A roundTrip is the database's clock, read between two looks at ours.
type roundTrip struct{ before, theirs, after time.Time }

// clockOffset returns by how much the database's clock is ahead of ours, give or take
// bound: it was read some time during the shortest of the trips.
func clockOffset(trips []roundTrip) (offset, bound time.Duration) {
	shortest := time.Duration(math.MaxInt64)
	for _, t := range trips {
		if trip := max(0, t.after.Sub(t.before)); trip < shortest {
			shortest = trip
			offset = t.theirs.Sub(t.before) - trip/2
		}
	}
	return offset, (shortest + 1) / 2
}

// judgeClock judges the database's clock, which is ahead of ours by offset, give or
// take bound.
func judgeClock(offset, bound, most time.Duration) Finding {
	const unit = time.Millisecond
	f := Finding{Level: LevelOK, What: "clocks", Value: fmt.Sprintf("the database's is %+d ms from ours, ± %d ms",
		offset.Round(unit)/unit, (bound+unit-1)/unit)}
	const sync = "Run a time service (chrony, ntpd, systemd-timesyncd) on both machines."
	switch apart := offset.Abs() - bound; {
	case apart > most:
		f.Level, f.Do = LevelError, sync
		f.Why = fmt.Sprintf("They are more than %v apart, at which workers refuse to start.", most)
	case apart > most/4:
		f.Level, f.Do = LevelWarn, sync
		f.Why = fmt.Sprintf("Above %v workers refuse to start.", most)
	case bound > most:
		f.Level, f.Do = LevelNote, "Check again, from nearer by."
		f.Why = "The answers took too long to tell."
	}
	return f
}

// nodesLeft judges the counter of disposable IDs.
func (c *check) nodesLeft(o Overview) {
	if o.Nodes == nil {
		return
	}
	n, most := *o.Nodes, c.MaxWorkerID
	f := Finding{Level: LevelOK, What: "disposable IDs", Value: fmt.Sprintf("%d rows, largest ID %d, next ID %d", n.Rows, n.Last, n.Next)}
	if n.Next == 0 {
		f.Value = fmt.Sprintf("%d rows, largest ID %d, next ID not told", n.Rows, n.Last)
	}
	if most > 0 {
		f.Value += fmt.Sprintf(", of %d", most)
	}
	switch {
	case n.Next != 0 && n.Next <= n.Last:
		f.Level = LevelError
		f.Why = fmt.Sprintf("The counter is not above the largest ID: the next starts fail or, where the row of ID %d is gone, get an ID that was used before.", n.Next)
		f.Do = fmt.Sprintf("ALTER TABLE %s AUTO_INCREMENT = %d", c.nodes, n.Last+1)
		if c.dialect == SQLite {
			f.Do = fmt.Sprintf("UPDATE sqlite_sequence SET seq = %d WHERE name = '%s'", n.Last, c.nodes)
		}
	case most > 0 && n.Last > most:
		f.Level = LevelError
		f.Why = fmt.Sprintf("An ID is above the layout's maximum, and so are all that follow: no worker can start. Unless %d starts there were, somebody inserted it.", n.Last)
		f.Do = "Take a layout with more worker bits, or leased IDs. When the row was inserted by mistake and no generator ran under it: delete it, and set the counter above the largest ID that is left."
	case most > 0 && n.Used() >= most:
		f.Level, f.Why = LevelError, "No ID is left: no worker can start."
		f.Do = "Take a layout with more worker bits, or leased IDs, which can be used again."
	case most > 0 && n.Used() > most/5*4+most%5*4/5:
		f.Level, f.Why = LevelWarn, fmt.Sprintf("More than 80 %% are used, %d are left; each start takes one.", most-n.Used())
		f.Do = "Take a layout with more worker bits, or leased IDs, which can be used again, before they are gone."
	case n.Rows > 0 && n.Used()/4 > n.Rows:
		f.Level, f.Why = LevelNote, fmt.Sprintf("%d IDs were given and %d rows are there: the counter jumps, or rows were deleted.", n.Used(), n.Rows)
		f.Do = "Look at auto_increment_increment, and never delete the newest row."
	}
	c.add(f)
}

// leasesSound judges the rows of leased IDs, namespace by namespace.
func (c *check) leasesSound(o Overview) {
	for _, ns := range o.Namespaces {
		var leases []LeaseInfo
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

func (c *check) judgeNamespace(ns NamespaceInfo, leases []LeaseInfo, now time.Time) []Finding {
	left := Finding{Level: LevelOK, What: "leased IDs", Value: fmt.Sprintf("%d live, %d in quarantine, %d free again", ns.Live, ns.Quarantined, ns.Free)}
	var t uid.Terms
	if c.Terms != nil && ns.Layout != "" {
		var err error
		if t, err = c.Terms(ns.Layout); err != nil {
			return []Finding{left, {LevelError, "layout", ns.Layout, fmt.Sprintf("The layout of the namespace cannot be read: %v.", err),
				"Look who wrote the row with WORKER_ID -1."}}
		}
	}
	if t.Unit > 0 {
		busy := ns.Live + ns.Quarantined
		left.Value += fmt.Sprintf(", %d can be had, of %d", t.MaxWorkerID+1-busy, t.MaxWorkerID+1)
		switch {
		case busy > t.MaxWorkerID:
			left.Level, left.Why = LevelError, "No ID can be had: workers wait or fail until one is free."
			left.Do = "Release those whose holders are known to be dead, take a layout with more worker bits, or shorten the workers' TTL and Quarantine."
		case busy > (t.MaxWorkerID+1)/5*4:
			left.Level, left.Why = LevelWarn, "More than 80 % of the IDs are taken."
			left.Do = "Take a layout with more worker bits before a deployment needs twice as many at once."
		}
	}
	findings := []Finding{left}
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

func judgeLayouts(ns NamespaceInfo, leases []LeaseInfo) (f Finding, bad bool) {
	if ns.Layout == "" {
		return Finding{LevelWarn, "layout", "not told", "There is no row with WORKER_ID -1, which acquisitions lock.",
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
func judgeTimes(leases []LeaseInfo, now time.Time) (f Finding, bad bool) {
	const slack, longest = 2 * time.Second, 31 * 24 * time.Hour
	var worst LeaseInfo
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
			"The database's clock went back, or the row is from a server with another clock: such an ID stays taken until its time has come.",
			"Set the server's clock right. Release the ID if its holder is known to be dead."}, true
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
func (c *check) judgeHigh(ns NamespaceInfo, t uid.Terms, leases []LeaseInfo, now time.Time) Finding {
	f := Finding{Level: LevelOK, What: "last ticks of leases", Value: "none"}
	if len(leases) == 0 {
		return f
	}
	worst, reach := leases[0], ns.Reach
	for _, l := range leases {
		reach = max(reach, l.Reach)
		if l.High > worst.High {
			worst = l
		}
	}
	most := reach + c.MaxAhead
	if most < 0 { // overflow
		most = math.MaxInt64
	}
	f.Value = fmt.Sprintf("up to %d, of worker ID %d; %d is now", worst.High, worst.WorkerID, t.TickAt(now))
	limit := t.TickAt(now.Add(most))
	switch {
	case worst.High >= t.MaxTick:
		f.Level, f.Why = LevelError, fmt.Sprintf("The layout's last tick is %d: no UID is left under the ID, and workers that get it fail.", t.MaxTick)
		f.Do = "Take another layout if the clock is near there, too. Else keep the ID out of use: " + c.keepOut(worst)
	case worst.High > limit && worst.State == LeaseLive:
		f.Level, f.Why = LevelWarn, fmt.Sprintf("That is more than %v ahead (tick %d): its holder borrows that much, or the row was written under a wrong clock.", most.Round(time.Second), limit)
		f.Do = "Look at its holder's MaxLead and clock. When it is gone, workers refuse the ID until the clock gets there."
	case worst.High > limit:
		f.Level, f.Why = LevelError, fmt.Sprintf("That is more than %v ahead (tick %d): the row was written under a wrong clock. Workers that get the ID refuse to start.", most.Round(time.Second), limit)
		f.Do = "Set the server's clock right if it is wrong. Else leave HIGH, for the ticks may have been used, and keep the ID out of use until then: " + c.keepOut(worst)
	}
	return f
}

// keepOut is a statement for somebody to run who knows what it is about.
func (c *check) keepOut(l LeaseInfo) string {
	return fmt.Sprintf("set LEASE_UNTIL of WORKER_ID %d in %s to a time, in microseconds since 1970, when it can be had again.", l.WorkerID, c.leases)
}
