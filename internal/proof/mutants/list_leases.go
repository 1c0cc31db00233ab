package main

// leases are faults at the edges of leases: what operators' hands do to rows and tables,
// what a server does to numbers and commits, and starts that fail for nothing.
var leases = []mutant{
	{
		name: "a start with DurableStore makes a namespace", file: startGo,
		from: "if l.cfg.DurableStore || !errors.Is(err, worker.ErrNoNamespace) {",
		to:   "if !errors.Is(err, worker.ErrNoNamespace) {", tests: "^TestNamespaceDurable",
	},
	{
		name: "a namespace that a start has made does not rest", file: acquireGo,
		from: "if !now.over(ns.Rest) {",
		to:   "if false {", tests: "^TestNamespaceRests$|^TestNamespaceEmptied",
	},
	{
		name: "a new namespace has no floor", file: foundGo,
		from: "ns.Floor = max(ns.Floor, min(f.Terms.TickAt(ns.Rest.Add(now.Error)), f.Terms.MaxTick))",
		to:   "", tests: "^TestNamespaceRests$",
	},
	{
		name: "a new namespace rests for what this start's settings say", file: startGo,
		from: "rest := max(shortestRest, l.cfg.TTL, l.cfg.Quarantine)",
		to:   "rest := max(l.cfg.TTL, l.cfg.Quarantine)", tests: "^TestNamespaceRests$|^TestNamespaceEmptied",
	},
	{
		name: "a new namespace rests no longer where its leases last longer", file: startGo,
		from: "rest := max(shortestRest, l.cfg.TTL, l.cfg.Quarantine)",
		to:   "rest := shortestRest", tests: "^TestNamespaceRestsForLonger",
	},
	{
		name: "a rest is ended though IDs are in use", file: foundGo,
		from: "settled := ns.Given >= 0 || f.Rest > 0 ||",
		to:   "settled := f.Rest > 0 ||", tests: "^TestFoundEndsTheRest",
	},
	{
		name: "a namespace of another layout is taken for made", file: foundGo,
		from: "case ns.Layout != f.Terms.Layout:",
		to:   "case false:", tests: "^TestFoundRefuses",
	},
	{
		name: "an ID without a row begins with the epoch", file: acquireGo,
		from: "h.base = max(h.base, l.tickAt(now, -l.cfg.MaxClockSkew)-1)",
		to:   "", tests: "^TestUnusedIDBegins",
	},
	{
		name: "the namespace's floor is not minded", file: acquireGo,
		from: "base: max(row.High, ns.Floor, l.terms.MinTick-1)}",
		to:   "base: max(row.High, l.terms.MinTick-1)}", tests: "^TestCollectedIDBegins",
	},
	{
		name: "a HIGH below the owner's is taken for its own", file: holdGo,
		from: "return r.Nonce == p.Nonce && r.High == p.High",
		to:   "return r.Nonce == p.Nonce && r.High <= p.High", tests: "^TestLeaseLost$",
	},
	{
		name: "DurableStore is taken at its word", file: startGo,
		from: "if len(lossy) > 0 && l.cfg.DurableStore && !l.cfg.DurableStoreUnverified {",
		to:   "if false {", tests: "^TestStoreThatLosesWrites",
	},
	{
		name: "an acquisition whose reply was lost is left to nobody", file: acquireGo,
		from: "\tif d == nil {",
		to:   "\tif d != nil || d == nil {", tests: "^TestLeaseLostReplyToAcquire$",
	},
	{
		name: "an acquisition is taken up that is another's by now", file: acquireGo,
		from: "slices.Contains(d.nonces, row.Nonce) && row.High == d.high && now.within(row.Until)",
		to:   "(slices.Contains(d.nonces, row.Nonce) || now.within(row.Until))", tests: "^TestLeaseLostReplyToAcquireIsStale",
	},
	{
		name: "a start that gives up keeps what it was not told of", file: startGo,
		from: "} else if l.doubt != nil {",
		to:   "} else if false {", tests: "^TestLeaseLostReplyToAcquireIsGivenBack",
	},
	{
		name: "an ID that was used far ahead keeps others from starting", file: acquireGo,
		from: "Highest: l.highest}",
		to:   "Highest: func(time.Time) int64 { return math.MaxInt64 }}", tests: "^TestLeaseFarFuture|^TestLeaseAfterABurst",
	},
	{
		name: "a burst reserves more than a later start accepts", file: renewGo,
		from: "min(l.withSlacks(through, slacks(early)), l.highest(now.Now))",
		to:   "l.withSlacks(through, slacks(early))", tests: "^TestLeaseExtendThrough",
	},
	{
		name: "a fleet renews its leases in step", file: ticksGo,
		from: "l.cfg.Window/2 - time.Duration(l.chance(int64(l.cfg.Window/8)+1))",
		to:   "l.cfg.Window / 2", tests: "^TestRenewalsAreSpread$",
	},
	{
		name: "a renewal is put off beyond half a Window", file: ticksGo,
		from: "l.cfg.Window/2 - time.Duration(l.chance(int64(l.cfg.Window/8)+1))",
		to:   "l.cfg.Window/2 + time.Duration(l.chance(int64(l.cfg.Window/8)+1))", tests: "^TestRenewalsAreSpread$",
	},
	{
		name: "a renewal is due by the clock alone", file: leaseGo,
		from: "since >= h.pause:",
		to:   "since >= l.cfg.Window/2:", tests: "^TestRenewalsAreSpread$",
	},
	{
		name: "a lease keeps a connection between two calls", file: "worker/sqlstore/swap.go",
		from: "\tdefer conn.Close()\n\tif l.dialect == database.SQLite {",
		to:   "\tif l.dialect == database.SQLite {", in: "internal/proof/databases", tests: "^TestLeasesHoldNoConnection$",
	},
	{
		name: "those that fail together try again together", file: "internal/retry/retry.go",
		from: "pause/2 + rand.N(pause/2)",
		to:   "pause/2 + rand.N(time.Duration(1))", tests: "^TestPausesAreSpread$",
	},
	{
		name: "a burst writes at each call", file: ticksGo,
		from: "return min(100*time.Millisecond, l.cfg.Window/16)",
		to:   "return 0", tests: "^TestBurstsAreFloored$",
	},
	{
		name: "a burst writes at each call where writes can be lost", file: ticksGo,
		from: "return min(time.Second, l.cfg.Window/16)",
		to:   "return 0", tests: "^TestBurstsAreFlooredWhereWritesCanBeLost$",
	},
	{
		name: "a long burst reserves as little each time as a short one", file: ticksGo,
		from: "1 << min(max(early-1, 0), 4)",
		to:   "int64(1 + 0*early)", tests: "^TestBurstsAreFloored$",
	},
	{
		name: "the first request of a burst waits", file: ticksGo,
		from: "case h.early == 0:",
		to:   "case false:", tests: "^TestLeaseExtendThrough$",
	},
	{
		name: "a generator may lead by more than a later start of its lease accepts", file: leaseGo,
		from: "if l.cfg.DurableStore && t.MaxLead > l.cfg.MaxAhead {", to: "if false {", tests: "^TestMaxLeadBeyond",
	},
	{
		name: "a generator may lead by more than a later start on its file accepts", file: statefileGo,
		from: "if t.MaxLead > f.cfg.MaxAhead {", to: "if false {", tests: "^TestMaxLeadBeyond",
	},
	{
		name: "a lease is not renewed while a start waits", file: startGo,
		from: "min(l.hold.wait, l.cfg.Window/2)",
		to:   "l.hold.wait", tests: "^TestLeaseRenewedWhileStarting",
	},
	{
		name: "a start waits though it is told not to", file: startGo,
		from: "!l.cfg.DurableStore && !l.cfg.NoWait",
		to:   "!l.cfg.DurableStore", tests: "^TestLeaseNoWait",
	},
	{
		name: "a lease that is lost before its first tick fails the start", file: startGo,
		from: "is && losses < mostLosses {",
		to:   "is && false {", tests: "^TestLeaseLostWhileStarting",
	},
	{
		name: "leases are lost without end before the first tick", file: startGo,
		from: "is && losses < mostLosses {",
		to:   "is && losses < 10 {", tests: "^TestLeaseLostWhileStarting",
	},
	{
		name: "an ID is leased that the state file cannot note", file: startGo,
		from: "\t\tif err := l.forget(); err != nil {",
		to:   "\t\tif err := error(nil); err != nil {", tests: "^TestLeaseUnwritableStateFile",
	},
	{
		name: "a lease that a state file may have is released with its ticks", file: startGo,
		from: "last = h.limit",
		to:   "last = -1", tests: "^TestLeaseStateFileFails",
	},
	{
		name: "a start that cannot note its lease keeps it", file: startGo,
		from: "h != nil && !h.resumed && (l.file == nil || l.cfg.DurableStore)",
		to:   "h != nil && l.file == nil", tests: "^TestLeaseStateFileFails",
	},
}
