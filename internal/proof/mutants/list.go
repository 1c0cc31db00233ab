package main

import "slices"

const (
	generatorGo = "cached/generator.go"
	refillGo    = "cached/refill.go"
	takeGo      = "cached/take.go"
	laneGo      = "cached/lane.go"
	ringGo      = "ringbuffer/ring.go"

	leaseGo       = "worker/lease/lease.go"
	leaseConfigGo = "worker/lease/config.go"
	acquireGo     = "worker/lease/acquire.go"
	foundGo       = "worker/lease/found.go"
	lostGo        = "worker/lease/lost.go"
	holdGo        = "worker/lease/hold.go"
	offlineGo     = "worker/lease/offline.go"
	releaseGo     = "worker/lease/release.go"
	renewGo       = "worker/lease/renew.go"
	startGo       = "worker/lease/start.go"
	storeGo       = "worker/lease/store.go"
	ticksGo       = "worker/lease/ticks.go"
)

// all is every mutant; each part of the house has a list of its own.
var all = slices.Concat(
	core,
	fills,
	revisions,
	workers,
	losses,
	leases,
	leaseFiles,
	store,
	sqlTables,
	sqlSegments,
	tenure,
	gates,
	places,
	promise,
	registries,
	records,
	etcdStore,
	ranges,
	segments,
	segmentsZooKeeper,
	redisStore,
	leaseJSON,
	zookeeper,
	segmentJSON,
	etcdSegments,
	redisSegments,
	segmentProof,
	segmentCommand,
	forms,
	opaques,
	foreignForms,
	testKit,
	floors,
	backfills,
	plainDatabases,
	recipes,
	givens,
	healths,
	page,
	serving,
	fairness,
	glances,
	chartsAndNumbers,
	blocks,
	shards,
	orders,
)

var core = []mutant{
	{
		name: "end of the time field is not checked", file: refillGo,
		from: "min(g.leadLimit(now), grant.Until)",
		to:   "min(g.leadLimit(now), grant.Last)", tests: "EndOfTheTimeField",
	},
	{
		name: "ticks that are not reserved are published", file: refillGo,
		from: "min(g.leadLimit(now), grant.Until)",
		to:   "min(g.leadLimit(now), g.layout.MaxTick())", tests: "Unreserved|Outage",
	},
	{
		name: "MaxLead is not minded", file: refillGo,
		from: "min(g.leadLimit(now), grant.Until)",
		to:   "grant.Until", tests: "LeadIsBounded",
	},
	{
		name: "the cache never catches up with the clock", file: refillGo,
		from: "next := max(tail, clock, grant.First)",
		to:   "next := max(tail, grant.First)", tests: "Idle|StepsForward",
	},
	{
		name: "ticks go back with the clock", file: refillGo,
		from: "next := max(tail, clock, grant.First)",
		to:   "next := max(clock, grant.First)", tests: "StepsBack",
	},
	{
		name: "ticks below the reservation's first are issued", file: refillGo,
		from: "next := max(tail, clock, grant.First)",
		to:   "next := max(tail, clock)", tests: "FirstTick",
	},
	{
		name: "stale ticks in the ring are not skipped", file: refillGo,
		from: "case usable && at < clock && clock < tail:",
		to:   "case false:", tests: "Lag",
	},
	{
		name: "stale ticks are issued when nothing may follow them", file: refillGo,
		from: "	case stale:\n",
		to:   "	case false:\n", tests: "Outage",
	},
	{
		name: "stale ticks are withdrawn though the tail may be put", file: refillGo,
		from: "case next <= limit && (next > tail || !usable || stale):",
		to:   "case next <= limit && (next > tail || !usable):", tests: "Idle",
	},
	{
		name: "the lead is bounded by a wall clock that was set back", file: "cached/clock.go",
		from: "tick := max(g.layout.TickAt(g.steady(now)), 0)",
		to:   "tick := max(g.layout.TickAt(now), 0)", tests: "StepsBack",
	},
	{
		name: "the lead is bounded by a monotonic clock that stood still", file: "cached/clock.go",
		from: "now = now.Round(0)",
		to:   "", tests: "Suspended",
	},
	{
		name: "what was discarded is issued", file: refillGo,
		from: "case next <= limit && (next > tail || !usable || stale):",
		to:   "case next <= limit && (next > tail || !s.started || stale):", tests: "^TestRevoke$",
	},
	{
		name: "Lanes keep claims on runs that were revoked", file: "cached/floor.go",
		from: "return max(g.state.void, min(uint64(max(g.layout.TickAt(now), 0)), at)) << g.valBits",
		to:   "return min(uint64(max(g.layout.TickAt(now), 0)), at) << g.valBits", tests: "Revoke",
	},
	{
		name: "an idle generator goes on waking", file: "cached/run.go",
		from: "if timedOut && g.queue.waiting == 0 && g.ring.Position() == s.seen {",
		to:   "if false {", tests: "DoesNotWake",
	},
	{
		name: "Lanes keep what is stale", file: "cached/floor.go",
		from: "			g.lanes.withdraw(floor)\n",
		to:   "", tests: "Lag|Idle|Close",
	},
	{
		name: "shards keep what is stale", file: "cached/floor.go",
		from: "				g.unordered.withdraw(floor)\n",
		to:   "", tests: "Lag|Idle|Close",
	},
	{
		name: "random starts are not random", file: refillGo,
		from: "return rand.Uint64N(1 << (g.seqBits - 1))",
		to:   "return 0 * rand.Uint64N(1<<(g.seqBits-1))", tests: "RandomStart",
	},
	{
		name: "a full ring is not told of", file: "cached/run.go",
		from: "if rejected >= 0 && g.cfg.OnRejectedPut != nil {",
		to:   "if false {", tests: "RejectedPuts",
	},
	{
		name: "a ring that is full of what is to come alarms", file: refillGo,
		from: "			if next <= clock {",
		to:   "			if next <= max(next, clock) {", tests: "RejectedPuts",
	},
	{
		name: "a tick that is due and has no room alarms nobody", file: refillGo,
		from: "			if next <= clock {",
		to:   "			if next < clock {", tests: "RejectedPuts",
	},
	{
		name: "the error in Stats is missing in JSON", file: "cached/stats.go",
		from: "	if s.ReservationError != nil {",
		to:   "	if false && s.ReservationError != nil {", tests: "StatsInJSON",
	},
	{
		name: "the error in Stats is missing in JSON, without a ring", file: "default/stats.go",
		from: "	if s.ReservationError != nil {",
		to:   "	if false && s.ReservationError != nil {", tests: "StatsInJSON",
	},
	{
		name: "Close leaves the ring open", file: generatorGo,
		from: "	g.tenure.End(nil, uid.ErrClosed)\n	g.ring.Shut()\n",
		to:   "	g.tenure.End(nil, uid.ErrClosed)\n", tests: "Close",
	},
	{
		name: "Close leaves Lanes what they hold", file: generatorGo,
		from: "	g.setFloor(allStale)\n	g.last = g.newest()\n",
		to:   "	g.last = g.newest()\n", tests: "Close",
	},
	{
		name: "Close leaves waiting calls waiting", file: tenureGo,
		from: "		t.grant.Store(ended)\n		t.tell()\n",
		to:   "		t.grant.Store(ended)\n", tests: "Await",
	},
	{
		name: "a cancelled context gets a UID", file: generatorGo,
		from: "	if err := ctx.Err(); err != nil {\n		return 0, err\n	}\n",
		to:   "", tests: "Context",
	},
	{
		name: "a wait does not end with its context", file: "cached/wait.go",
		from: "	case <-ctx.Done():\n",
		to:   "	case <-context.Background().Done():\n", tests: "Context",
	},
	{
		name: "a refusal outlives the outage", file: tenureGo,
		from: "	t.refused = nil\n",
		to:   "", tests: "Await",
	},
	{
		name: "Revoke leaves the reservation", file: tenureGo,
		from: "		t.grant.Store(withoutTicks(was.WorkerID))\n",
		to:   "", tests: "Revoke",
	},
	{
		name: "a handler's panic is not contained", file: "cached/policy.go",
		from: "if r := recover(); r != nil {",
		to:   "if r := any(nil); r != nil {", tests: "Panicking",
	},
	{
		name: "an empty ring hands out positions", file: takeGo,
		from: "			g.ring.Shut()\n			c.ahead = state == ringbuffer.Ahead\n",
		to:   "			c.ahead = state == ringbuffer.Ahead\n", tests: "FailPolicy",
	},
	{
		name: "positions ahead of the tail are not waited for", file: takeGo,
		from: "			c.ahead = state == ringbuffer.Ahead\n",
		to:   "			c.pos = noClaim\n", tests: "GoOnByThemselves|FirstComeFirstServed",
	},
	{
		name: "a Lane hands out what was withdrawn", file: laneGo,
		from: "if last := atomic.LoadInt64(&l.last); last >= 0 && uint64(last) < floor {",
		to:   "if last := atomic.LoadInt64(&l.last); last < 0 {", tests: "Lag|Idle|Close",
	},
	{
		name: "no tick check in Take", file: ringGo,
		from: "return run | d, pos, d <= mask",
		to:   "return run | d&mask, pos, run < noRun && pos < shut", tests: "",
	},
	{
		name: "no lap check in Resolve", file: ringGo,
		from: "behind <= tick&r.blockMask\n",
		to:   "flag < noRun\n", tests: "",
	},
	{
		name: "room where an unclaimed run is", file: ringGo,
		from: "return tail>>(r.blockBits&63) < at>>",
		to:   "return tail>>(r.blockBits&63) <= at>>", tests: "Put|Twin",
	},
	{
		name: "Open returns a position that was claimed", file: ringGo,
		from: "r.cursor.Store(r.resume - 1)",
		to:   "r.cursor.Store(r.resume - 2)", tests: "",
	},
	{
		name: "Skip and Restart go back behind claims", file: ringGo,
		from: "pos >= r.resume {",
		to:   "pos >= 0 {", tests: "",
	},
	{
		name: "Shut reads the cursor and then shuts", file: ringGo,
		from: "r.resume = r.cursor.Swap(shut) + 1",
		to:   "r.resume = r.cursor.Load() + 1\n	r.cursor.Store(shut)", tests: "Stress", env: "UID_STRESS_TAKES=50000000",
	},
	{
		name: "Shut does not stop claims", file: ringGo,
		from: "r.resume = r.cursor.Swap(shut) + 1",
		to:   "r.resume = r.cursor.Load() + 1", tests: "",
	},
	{
		name: "parts that are too large run over into others", file: "bits/layout.go",
		from: "if uint64(tick) >= l.ticks || uint64(workerID) >= l.workers || uint64(sequence) >= l.sequences {",
		to:   "if uint64(tick) >= l.ticks || uint64(sequence) >= l.sequences {", tests: "",
	},
	{
		name: "widths that add up to more than 63 bits", file: "bits/layout.go",
		from: "if t > maxBits || w > maxBits || s > maxBits || t+w+s > maxBits {",
		to:   "if t > maxBits || w > maxBits || s > maxBits {", tests: "",
	},
	{
		name: "an epoch in the future", file: "bits/layout.go",
		from: "if l.epoch.After(now) && l.epoch.After(defaultEpoch) {",
		to:   "if false {", tests: "",
	},
	{
		name: "a layout's text has any length", file: "bits/text.go",
		from: "if len(text) > maxText {",
		to:   "if false {", tests: "ParseLayoutRefuses",
	},
	{
		name: "a decimal number beyond 63 bits", file: "uid.go",
		from: "|| n > uint64(Max) {",
		to:   "|| n > 1<<64-1 {", tests: "",
	},
	{
		name: "the first digits of a long number are not looked at", file: "uid.go",
		from: "if !ok1 || !ok2", to: "if !ok1 && false || !ok2", tests: "^TestParse",
	},
	{
		name: "the byte after 9 is a digit", file: "uid.go",
		from: "six  = 0x0606060606060606", to: "six  = 0x0506060606060606", tests: "^TestParse",
	},
	{
		name: "the same sequence twice", file: "default/take.go",
		from: "next := at + 1\n",
		to:   "next := at\n", tests: "SequenceUsedUp",
	},
	{
		name: "a clock that went back begins its tick anew", file: "default/take.go",
		from: "if tick < newest {",
		to:   "if false {", tests: "ClockBack$",
	},
	{
		name: "a sequence that is used up runs over", file: "default/take.go",
		from: "} else if at&g.seqMask == g.seqMask {",
		to:   "} else if false {", tests: "SequenceUsedUp",
	},
	{
		name: "ticks beyond the reservation", file: "default/take.go",
		from: "if tick > gr.Until {",
		to:   "if false {", tests: "ReservationUsedUp",
	},
	{
		name: "ticks before the reservation", file: "default/take.go",
		from: "if tick < gr.First {",
		to:   "if false {", tests: "EndOfTheTimeFieldAhead",
	},
	{
		name: "UIDs under a grant that was withdrawn meanwhile", file: "default/take.go",
		from: "if g.tenure.Grant() != gr {",
		to:   "if false {", tests: "WithdrawnWhileDrawing",
	},
	{
		name: "a wait longer than its limit", file: "default/clock.go",
		from: "if b.slept+pause > p.limit {",
		to:   "if false {", tests: "ClockBack|WaitIsBounded",
	},
	{
		name: "a renewal that goes on after the end", file: "internal/tenure/stop.go",
		from: "	t.quit()\n	released :=",
		to:   "	released :=", tests: "StopGivesUpOnExtend",
	},
	{
		name: "a clock that is set back puts a renewal off", file: "internal/tenure/tenure.go",
		from: "if !slept || due > longestSleep {",
		to:   "if !slept || true {", tests: "RenewAfterTheClockWasSetBack",
	},
	{
		name: "a worker that has no more to give is asked as rarely as one that fails", file: "internal/tenure/tenure.go",
		from: "longest = idlePause",
		to:   "longest = maxPause", tests: "PausesOfAnIdleWorker",
	},
	{
		name: "lease: nothing is burnt", file: acquireGo,
		from: "burn := max(ns.Reach, l.reach(now))",
		to:   "burn := time.Duration(0)", tests: "LeaseAcquire",
	},
	{
		name: "lease: what is burnt leaves out the skew", file: acquireGo,
		from: "burn := max(ns.Reach, l.reach(now))",
		to:   "burn := max(ns.Reach, l.reach(now)) - l.cfg.MaxClockSkew", tests: "LeaseAcquire",
	},
	{
		name: "lease: what others may have reserved is not burnt", file: acquireGo,
		from: "max(ns.Reach, l.reach(now))",
		to:   "l.reach(now)", tests: "LeaseReach",
	},
	{
		name: "lease: the reach is not noted", file: acquireGo,
		from: "if ns.Reach < reach && !l.cfg.DurableStore {",
		to:   "if false {", tests: "LeaseReach",
	},
	{
		name: "lease: one that has ended is renewed", file: renewGo,
		from: "if !now.within(row.Until) {",
		to:   "if false {", tests: "LeaseLost",
	},
	{
		name: "lease: the row's nonce is not looked at", file: holdGo,
		from: "return r.Nonce == p.Nonce && r.High == p.High",
		to:   "return r.High == p.High", tests: "LeaseLost",
	},
	{
		name: "lease: ticks that somebody else reserved are not looked at", file: holdGo,
		from: "return r.Nonce == p.Nonce && r.High == p.High",
		to:   "return r.Nonce == p.Nonce", tests: "LeaseLost",
	},
	{
		name: "lease: a renewal whose reply was lost is taken for somebody else's", file: holdGo,
		from: "if row.bears(p) {",
		to:   "if false && row.bears(p) {", tests: "LeaseLostReply",
	},
	{
		name: "lease: ticks are granted before the commit", file: renewGo,
		from: "h.propose(row, next)",
		to:   "h.propose(row, next)\n\t\th.limit, h.granted = next.High, next.High", tests: "LeaseLostReply",
	},
	{
		name: "lease: a renewal keeps its nonce", file: renewGo,
		from: "state.Proposal{Nonce: newNonce(),",
		to:   "state.Proposal{Nonce: h.nonce,", tests: "LeaseExtend",
	},
	{
		name: "lease: a release lowers HIGH below what it was", file: releaseGo,
		from: "max(h.base, last)",
		to:   "last", tests: "LeaseRelease",
	},
	{
		name: "lease: a release keeps HIGH", file: releaseGo,
		from: `r.Nonce, r.High, r.Until, r.Renewed = "", high, now.Now, now.Now`,
		to:   `r.Nonce, r.Until, r.Renewed = "", now.Now, now.Now`, tests: "LeasedGenerator|LeaseRelease",
	},
	{
		name: "lease: a released row keeps its nonce", file: releaseGo,
		from: `r.Nonce, r.High, r.Until, r.Renewed = "", high, now.Now, now.Now`,
		to:   "r.High, r.Until, r.Renewed = high, now.Now, now.Now", tests: "LeaseRelease",
	},
	{
		name: "lease: a row that is offered is not looked at", file: acquireGo,
		from: "if !now.over(row.Until.Add(l.cfg.Quarantine)) {",
		to:   "if false {", tests: "LeaseRenewedAtTheLastMoment",
	},
	{
		name: "lease: there is no quarantine", file: leaseConfigGo,
		from: "\tc.Logger, c.Now = settings.",
		to:   "\tc.Quarantine = 0\n\tc.Logger, c.Now = settings.", tests: "LeaseTakeover|LeaseRelease",
	},
	{
		name: "lease: layouts are mixed", file: acquireGo,
		from: "if ns.Layout != l.terms.Layout {",
		to:   "if false {", tests: "LeaseLayout",
	},
	{
		name: "lease: clocks are not compared", file: acquireGo,
		from: "clock.Compare(asked, now.Now, l.cfg.Now(), now.Error, limit)",
		to:   "clock.Compare(asked, now.Now, l.cfg.Now(), now.Error, math.MaxInt64)", tests: "LeaseClocks",
	},
	{
		name: "lease: rows of the far future are believed", file: acquireGo,
		from: "max(row.High, ns.Floor) > highest {",
		to:   "max(row.High, ns.Floor) > math.MaxInt64-1 {", tests: "LeaseFarFuture",
	},
	{
		name: "lease: clocks before the epoch are believed", file: acquireGo,
		from: "tick < 0 && !l.cfg.AllowBeforeEpoch",
		to:   "tick < 0 && false", tests: "LeaseClocks",
	},
	{
		name: "lease: the end of the time field is not checked", file: acquireGo,
		from: "if h.base >= l.terms.MaxTick {",
		to:   "if false {", tests: "LeaseFarFuture",
	},
	{
		name: "lease: a takeover is not told", file: acquireGo,
		from: `if row.Nonce != "" {`,
		to:   "if false {", tests: "LeaseTakeover",
	},
	{
		name: "lease: one that was invalidated goes on", file: leaseGo,
		from: "\tif l.hold != nil && l.binding.Invalid() {\n\t\tl.lost(ctx, errInvalidated)\n\t}\n\tvar err error\n\tif l.hold",
		to:   "\tvar err error\n\tif l.hold", tests: "LeaseInvalidate",
	},
	{
		name: "lease: one that was invalidated is released", file: leaseGo,
		from: "\tif l.hold != nil && l.binding.Invalid() {\n\t\tl.lost(ctx, errInvalidated)\n\t}\n\tvar err error\n\tswitch {",
		to:   "\tvar err error\n\tswitch {", tests: "LeaseInvalidate",
	},
	{
		name: "lease: a generator asks the store at each call", file: leaseGo,
		from: "\tcase through <= h.limit:\n\t\treturn false\n\t}",
		to:   "\t}", tests: "LeaseExtend",
	},
	{
		name: "lease: a wish of the far future wraps", file: ticksGo,
		from: "l.within(ticks.Plus(tick, n*max(1, int64(l.cfg.Window/8/l.terms.Unit))))",
		to:   "l.within(tick + n*max(1, int64(l.cfg.Window/8/l.terms.Unit)))", tests: "LeaseExtendThrough",
	},
	{
		name: "lease: a start waits for however long", file: startGo,
		from: "l.hold.wait > longest {",
		to:   "l.hold.wait > longest && false {", tests: "LeaseReach",
	},
	{
		name: "offline: a restart issues what may have been issued", file: offlineGo,
		from: "base: max(r.High, l.terms.MinTick-1), limit: r.Limit, granted: r.High,",
		to:   "base: r.High - 10, limit: r.Limit, granted: r.High,", tests: "LeaseOffline",
	},
	{
		name: "offline: the file's reservation goes beyond the database's", file: offlineGo,
		from: "h.granted = max(before, min(h.limit, max(",
		to:   "h.granted = max(before, max(h.base, max(", tests: "LeaseOffline",
	},
	{
		name: "offline: ticks are granted that the file does not have", file: offlineGo,
		from: `		h.granted = before
		return err`,
		to: "		return err", tests: "LeaseOfflineFile",
	},
	{
		name: "offline: a copy of the file is used on another host", file: offlineGo,
		from: "case r.Host != l.cfg.Host:",
		to:   "case false:", tests: "LeaseOfflineFile",
	},
	{
		name: "offline: the file of another namespace is used", file: offlineGo,
		from: "r.Kind != state.KindLease || r.Namespace != l.store.Name()",
		to:   "r.Kind != state.KindLease", tests: "LeaseOfflineFile",
	},
	{
		name: "offline: the file of another layout is used", file: offlineGo,
		from: "case r.Layout != l.terms.Layout:",
		to:   "case false:", tests: "LeaseOfflineFile",
	},
	{
		name: "offline: a lost lease is taken up again", file: lostGo,
		from: "cmp.Or(l.forget(), l.forget())",
		to:   "cmp.Or[error]()", tests: "LeaseOfflineFile",
	},
	{
		name: "offline: a renewal is not noted before it is sent", file: renewGo,
		from: "if l.file != nil {\n\t\t\tif err := l.save",
		to:   "if false {\n\t\t\tif err := l.save", tests: "LeaseOfflineTakesUp",
	},
	{
		name: "offline: a start without the database goes by used-up ticks", file: offlineGo,
		from: "if l.hold.limit < next {",
		to:   "if false {", tests: "LeaseOffline",
	},
	{
		name: "command: a store is created by who only looks", file: "cmd/uid/store_sqlite.go",
		from: "if !create && missing != nil {",
		to:   "if false {", tests: "^TestWorkerCreatesNothing",
	},
	{
		name: "command: a URL's unreadable part is repeated", file: "cmd/uid/store_url.go",
		from: `return nil, u.bad("has unreadable parameters")`,
		to:   "return nil, badInput(\"%v\", err)", tests: "^TestBadStoreURLs",
	},
	{
		name: "command: the layout, not the range, says how many IDs there are", file: "cmd/uid/worker.go",
		from: "ids, all := ns.IDs, lease.Range{}",
		to:   "ids, all := lease.Range{}, lease.Range{}", tests: "^TestRanges",
	},
}
