package main

const (
	namespaceGo = "worker/namespace.go"
	lookGo      = "worker/lease_look.go"
)

// leases are faults at the edges of leases: what operators' hands do to rows and tables,
// what a server does to numbers and commits, and starts that fail for nothing.
var leases = []mutant{
	{
		name: "a table that is missing is created while its owner runs", file: leaseTableGo,
		from:  "	if kindOf(err) == missingTable {\n		return",
		to:    "	if kindOf(err) == missingTable {\n		if _, err := conn.ExecContext(ctx, t.create); err == nil {\n			return t.inPlace(ctx, conn, do)\n		}\n		return",
		tests: "^TestNamespaceRenamedAway|^TestNamespaceDurable",
	},
	{
		name: "a start with DurableStore makes a namespace", file: leaseGo,
		from: "if l.cfg.DurableStore || !errors.Is(err, ErrNoNamespace) {",
		to:   "if !errors.Is(err, ErrNoNamespace) {", tests: "^TestNamespaceDurable",
	},
	{
		name: "a namespace that a start has made does not rest", file: protocolGo,
		from: "if control.Until >= now {", to: "if false {", tests: "^TestNamespaceRests$|^TestNamespaceEmptied",
	},
	{
		name: "a new namespace has no floor", file: namespaceGo,
		from: "fresh.High = min(max(terms.TickAt(fresh.Until.time()), -1), terms.MaxTick)", to: "", tests: "^TestNamespaceRests$",
	},
	{
		name: "a new namespace rests for what this start's settings say", file: leaseGo,
		from: "rest := max(newNamespaceRest, l.cfg.TTL, l.cfg.Quarantine)", to: "rest := max(l.cfg.TTL, l.cfg.Quarantine)",
		tests: "^TestNamespaceRests$|^TestNamespaceEmptied",
	},
	{
		name: "a new namespace rests no longer where its leases last longer", file: leaseGo,
		from: "rest := max(newNamespaceRest, l.cfg.TTL, l.cfg.Quarantine)", to: "rest := newNamespaceRest", tests: "^TestNamespaceRestsForLonger",
	},
	{
		name: "a namespace that is made anew forgets the reach of the owners that are left", file: namespaceGo,
		from: "if fresh.Reach, err = t.widestReach(ctx, tx); err != nil {", to: "if _, err = t.widestReach(ctx, tx); err != nil {", tests: "^TestNamespaceKeepsItsReach",
	},
	{
		name: "a rest is ended though IDs are in use", file: namespaceGo,
		from: "if err != nil || used {", to: "if err != nil || used && false {", tests: "^TestInitEndsTheRest",
	},
	{
		name: "a namespace of another layout is taken for made", file: namespaceGo,
		from: "if row.Layout != terms.Layout {", to: "if false {", tests: "^TestInitRefuses",
	},
	{
		name: "a namespace's name may be stored under another charset as another", file: namespaceGo,
		from: "c > '~' ||", to: "", tests: "^TestNewLeaseRefuses",
	},
	{
		name: "national letters in the place of ASCII are not minded", file: namespaceGo,
		from: "|| strings.IndexByte(\"@[\\\\]^`{|}~\", c) >= 0 {", to: "{ _ = strings.IndexByte", tests: "^TestNamespaceUnderEveryCharset",
	},
	{
		name: "an ID without a row begins with the epoch", file: protocolGo,
		from: "h.base = max(h.base, l.tickAt(now, -l.cfg.MaxClockSkew)-1)", to: "", tests: "^TestUnusedIDBegins",
	},
	{
		name: "the namespace's floor is not minded", file: protocolGo,
		from: "base: max(row.High, control.High)}", to: "base: row.High}", tests: "^TestCollectedIDBegins",
	},
	{
		name: "a HIGH below the owner's is taken for its own", file: leaseGo,
		from: "row.High != h.limit {", to: "row.High > h.limit {", tests: "^TestLeaseLost$",
	},
	{
		name: "a number that a column cannot hold is stored as another", file: leaseSessionGo,
		from: "SESSION sql_mode = 'STRICT_ALL_TABLES'", to: "SESSION sql_mode = @@SESSION.sql_mode", tests: "^TestLeaseColumns",
	},
	{
		name: "the table's columns are not looked at", file: lookGo,
		from: "if len(shape.columns) > 0 {", to: "if false {", tests: "^TestLeaseColumns",
	},
	{
		name: "DurableStore is taken at its word", file: lookGo,
		from: "if !l.cfg.DurableStore || l.cfg.DurableStoreUnverified {", to: "if true {", tests: "^TestDurableStoreIsLookedAt",
	},
	{
		name: "a log that is not synced passes for durable", file: lookGo,
		from: `known && v != "1" {`, to: `known && v == "" {`, tests: "^TestLossySettings|^TestDurableStoreIsLookedAt/MySQL",
	},
	{
		name: "a binary log that is not synced passes for durable", file: lookGo,
		from: `vars.on("log_bin") && v != "1" {`, to: `vars.on("log_bin") && v == "" {`, tests: "^TestLossySettings",
	},
	{
		name: "Galera passes for durable", file: lookGo,
		from: `if vars.on("wsrep_on") {`, to: "if false {", tests: "^TestLossySettings",
	},
	{
		name: "asynchronous replicas are not minded", file: lookGo,
		from: `if replicas != "" && replicas != "0" &&`, to: `if replicas == "none" &&`, tests: "^TestLossySettings",
	},
	{
		name: "an acquisition whose reply was lost is left to nobody", file: protocolGo,
		from: "		if l.doubt != nil {\n			if h, err", to: "		if false {\n			if h, err", tests: "^TestLeaseLostReplyToAcquire$",
	},
	{
		name: "an acquisition is taken up that is another's by now", file: protocolGo,
		from: "return slices.Contains(d.nonces, row.Nonce) && row.High == d.high && row.Until >= now", to: "return row.Until >= now || slices.Contains(d.nonces, row.Nonce)",
		tests: "^TestLeaseLostReplyToAcquireIsStale",
	},
	{
		name: "a start that gives up keeps what it was not told of", file: leaseGo,
		from: "} else if l.doubt != nil {", to: "} else if false {", tests: "^TestLeaseLostReplyToAcquireIsGivenBack",
	},
	{
		name: "an ID that was used far ahead keeps others from starting", file: protocolGo,
		from: "lockFreed(l.highest(now))", to: "lockFreed(math.MaxInt64)", tests: "^TestLeaseFarFuture|^TestLeaseAfterABurst",
	},
	{
		name: "a burst reserves more than a later start accepts", file: protocolGo,
		from: "min(l.withSlack(through), l.highest(now))", to: "l.withSlack(through)", tests: "^TestLeaseExtendThrough",
	},
	{
		name: "a generator may lead by more than a later start of its lease accepts", file: leaseGo,
		from: "if l.cfg.DurableStore && t.MaxLead > l.cfg.MaxAhead {", to: "if false {", tests: "^TestMaxLeadBeyond",
	},
	{
		name: "a generator may lead by more than a later start on its file accepts", file: "worker/file.go",
		from: "if t.MaxLead > f.cfg.MaxAhead {", to: "if false {", tests: "^TestMaxLeadBeyond",
	},
	{
		name: "a lease is not renewed while a start waits", file: leaseGo,
		from: "min(l.hold.wait, l.cfg.Window/2)", to: "l.hold.wait", tests: "^TestLeaseRenewedWhileStarting",
	},
	{
		name: "a start waits though it is told not to", file: leaseGo,
		from: "if l.cfg.NoWait {", to: "if false {", tests: "^TestLeaseNoWait",
	},
	{
		name: "a lease that is lost before its first tick fails the start", file: leaseGo,
		from: "is && losses < mostLosses {", to: "is && false {", tests: "^TestLeaseLostWhileStarting",
	},
	{
		name: "leases are lost without end before the first tick", file: leaseGo,
		from: "is && losses < mostLosses {", to: "is && losses < 10 {", tests: "^TestLeaseLostWhileStarting",
	},
	{
		name: "an ID is leased that the state file cannot note", file: leaseGo,
		from: "		if err := l.forget(); err != nil {", to: "		if err := error(nil); err != nil {", tests: "^TestLeaseUnwritableStateFile",
	},
	{
		name: "a lease that a state file may have is released with its ticks", file: leaseGo,
		from: "last = h.limit", to: "last = -1", tests: "^TestLeaseStateFileFails",
	},
	{
		name: "a start that cannot note its lease keeps it", file: leaseGo,
		from: "if h := l.hold; h != nil && !h.resumed {", to: "if h := l.hold; h != nil && l.file == nil {", tests: "^TestLeaseStateFileFails",
	},
}
