package main

const (
	zkLeasesGo   = "stores/zookeeper/leases.go"
	zkTransactGo = "stores/zookeeper/transact.go"
	zkFreeGo     = "stores/zookeeper/free.go"
	zkConnGo     = "stores/zookeeper/conn.go"
	zkClockGo    = "stores/zookeeper/clock.go"
	zkRegistryGo = "stores/zookeeper/registry.go"
	zkFailureGo  = "stores/zookeeper/failure.go"
	zkPathGo     = "stores/zookeeper/path.go"
)

// zookeeper are faults of the store of that name; its tests run on an ensemble in memory.
var zookeeper = []mutant{
	{
		name: "a row is written whatever its version is", file: zkLeasesGo,
		from: "&zk.SetDataRequest{Path: l.row(id), Data: data, Version: was.version})",
		to:   "&zk.SetDataRequest{Path: l.row(id), Data: data, Version: -1})", tests: "TestStore",
	},
	{
		name: "a row is taken whatever its version is", file: zkLeasesGo,
		from: "Data: data, Version: was.node.version}",
		to:   "Data: data, Version: -1}", tests: "TestStore",
	},
	{
		name: "a renewal does not compare the namespace", file: zkLeasesGo,
		from: "l.write(ctx, l.as(control), &zk",
		to:   "l.write(ctx, &zk", tests: "TestLateChange",
	},
	{
		name: "a Take in ZooKeeper does not compare the namespace", file: zkLeasesGo,
		from: "ops := []any{l.as(s.namespace), ",
		to:   "ops := []any{&zk.CheckVersionRequest{Path: l.path, Version: -1}, ", tests: "TestStore",
	},
	{
		name: "a Take writes the namespace over another's", file: zkLeasesGo,
		from: "Data: changed, Version: s.namespace.version}",
		to:   "Data: changed, Version: -1}", tests: "TestStore",
	},
	{
		name: "Init writes over another's", file: zkLeasesGo,
		from: "&zk.SetDataRequest{Path: l.path, Data: data, Version: control.version})\n\t\treturn err",
		to:   "&zk.SetDataRequest{Path: l.path, Data: data, Version: -1})\n\t\treturn err", tests: "TestStore",
	},
	{
		name: "what an old state refuses is refused", file: zkTransactGo,
		from: "if as && (!no.some || newest == session) {",
		to:   "if true || as && (!no.some || newest == session) {", tests: "TestStore|TestRefused",
	},
	{
		name: "what is missing in an old state is missing", file: zkTransactGo,
		from: "if as && (!no.some || newest == session) {",
		to:   "if as && (!no.some || true || newest == session) {", tests: "TestStore",
	},
	{
		name: "a barrier holds for other sessions", file: zkTransactGo,
		from: "if as && (!no.some || newest == session) {",
		to:   "if as && (!no.some || newest != 0) {", tests: "TestBarrierOf",
	},
	{
		name: "the nil row of an old state is offered", file: zkLeasesGo,
		from: "if !a.sure { // an old state may lack it",
		to:   "if false {", tests: "TestRowThatAn",
	},
	{
		name: "a part of what is read may be of another session", file: zkTransactGo,
		from: "if a.conn.SessionID() != a.session {",
		to:   "if false {", tests: "TestSessionThatEnds",
	},
	{
		name: "a lost namespace has no Reach", file: zkLeasesGo,
		from: "reach = max(reach, r.Reach)",
		to:   "_ = r", tests: "TestStore",
	},
	{
		name: "a Take that lost a row tries the next one", file: zkFreeGo,
		from: "reach = min(growth<<min(lost, 16), spread)",
		to:   "_ = spread", tests: "TestTakesAtOnce",
	},
	{
		name: "zookeeper: Given is not raised", file: zkLeasesGo,
		from: "\t\tn.Given = was.last\n",
		to:   "", tests: "TestStore",
	},
	{
		name: "zookeeper: Given is raised and one row is made", file: zkLeasesGo,
		from: "id <= was.last; id++ {",
		to:   "id < was.row.WorkerID; id++ {", tests: "TestStore",
	},
	{
		name: "zookeeper: decide sets Given", file: zkLeasesGo,
		from: "if n.Given = s.given; !was",
		to:   "if !was", tests: "TestStore",
	},
	{
		name: "zookeeper: a decision of Init sets Given", file: zkLeasesGo,
		from: "\t\tn.Given = given\n",
		to:   "\t\t_ = given\n", tests: "TestStore",
	},
	{
		name: "zookeeper: a row that was read above Given is not minded", file: zkFreeGo,
		from: "s.given = max(s.given, id)",
		to:   "_ = s.given", tests: "TestStore",
	},
	{
		name: "zookeeper: a row that stands in the way is met again", file: zkLeasesGo,
		from: "above = children.top()",
		to:   "_ = children", tests: "TestRowsAboveGiven", hangs: true,
	},
	{
		name: "zookeeper: a namespace that is made anew forgets the rows that are left", file: zkLeasesGo,
		from: "was.Given = max(was.Given, children.top())",
		to:   "", tests: "TestStore",
	},
	{
		name: "zookeeper: new rows are made beside those that nobody has looked at", file: zkFreeGo,
		from: "case all || many && len(draw(ends, newest, s.rows)) == 0:",
		to:   "case all || many:", tests: "TestManyRows",
	},
	{
		name: "zookeeper: what was missing before the namespace was read is missing", file: zkFreeGo,
		from: "func(_ int64, f found) bool { return !f.node.found })",
		to:   "func(_ int64, f found) bool { return false })", tests: "TestNewRowsThat",
	},
	{
		name: "ticks of the future are not passed over", file: zkFreeGo,
		from: "if r.row.High <= highest {",
		to:   "if r.row.High <= highest || true {", tests: "TestStore",
	},
	{
		name: "a lease is over by this clock alone", file: zkFreeGo,
		from: "r.row.Until.Add(w.Rest+now.Error).Before(now.Now) {",
		to:   "r.row.Until.Add(w.Rest).Before(now.Now) {", tests: "TestStore",
	},
	{
		name: "a version that stands for any is written", file: zkConnGo,
		from: "case err == nil && stat.Version == -1:",
		to:   "case false:", tests: "TestVersionThat",
	},
	{
		name: "a request waits in the client library", file: zkConnGo,
		from: "if s.conn.State() == sessionReady && ctx.Err() == nil {",
		to:   "if ctx.Err() == nil {", tests: "TestNoSession",
	},
	{
		name: "a call does not end with its context", file: zkConnGo,
		from: "\tcase <-done:\n\t\treturn nil\n\tcase <-ctx.Done():\n\t\treturn ended(ctx)\n",
		to:   "\tcase <-done:\n\t\treturn nil\n", tests: "TestContexts",
	},
	{
		name: "nobody compares the clocks", file: zkClockGo,
		from: "if apart <= 2*l.off {",
		to:   "if true {", tests: "TestClock",
	},
	{
		name: "an error has what the network says", file: zkFailureGo,
		from: "the connection failed (%T)\"",
		to:   "the connection failed (%v)\"", tests: "TestFailures|TestNoSecret",
	},
	{
		name: "two namespaces have one node", file: zkPathGo,
		from: "fmt.Fprintf(&b, \"%%%02X\", c)",
		to:   "fmt.Fprintf(&b, \"%%%02X\", c&0)", tests: "TestNamesOfNodes",
	},
}
