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
		from: "ops[0] = l.as(s.namespace)",
		to:   "ops[0] = &zk.CheckVersionRequest{Path: l.path, Version: -1}", tests: "TestStore",
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
		name: "the first row does not change the namespace", file: zkLeasesGo,
		from: "n != s.control || was.row.Fresh && !s.used {",
		to:   "n != s.control {", tests: "TestInitBeside",
	},
	{
		name: "Init leaves the mark", file: zkLeasesGo,
		from: "if len(ids) == 0 && children.has(usedName) {",
		to:   "if false {", tests: "TestInitBeside",
	},
	{
		name: "a Take relies on a mark that it has read", file: zkLeasesGo,
		from: "ops = append(ops, &zk.CheckVersionRequest{Path: used, Version: -1}) // it is still there",
		to:   "", tests: "TestTakeWithAnOldList",
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
		name: "a Take takes a row of another time than its namespace", file: zkLeasesGo,
		from: "if !free.row.Fresh && free.node.before(s.namespace) {",
		to:   "if false {", tests: "TestRowOfBefore",
	},
	{
		name: "a Change changes a row of another time than its namespace", file: zkLeasesGo,
		from: "if was.found && was.before(control) {",
		to:   "if false {", tests: "TestRowOfBefore",
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
		from: "reach = min(2*reach, spread)",
		to:   "_ = spread", tests: "TestTakesAtOnce",
	},
	{
		name: "an ID without a row before those that nobody has looked at", file: zkFreeGo,
		from: "case all || many && len(s.rows) >= sample:",
		to:   "case true:", tests: "TestRowsThatWereNot",
	},
	{
		name: "ticks of the future are not passed over", file: zkFreeGo,
		from: "if r.row.High <= highest {",
		to:   "if r.row.High <= highest || true {", tests: "TestStore",
	},
	{
		name: "a lease is over by this clock alone", file: zkFreeGo,
		from: "if r.row.Until.Add(w.Rest + now.Error).Before(now.Now) {",
		to:   "if r.row.Until.Add(w.Rest).Before(now.Now) {", tests: "TestStore",
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
		name: "a Prune leaves the namespace's version", file: zkRegistryGo,
		from: "if _, err := l.write(ctx, append(deletes, &zk.SetDataRequest{Path: l.path, Data: data, Version: p.version})...); err != nil {",
		to: "if control.Floor > p.Namespace.Floor {\n\t\tdeletes = append(deletes, &zk.SetDataRequest{Path: l.path, Data: data, Version: p.version})\n\t}\n" +
			"\tif _, err := l.write(ctx, deletes...); err != nil {", tests: "TestLateChange",
	},
	{
		name: "a Prune removes rows that have changed", file: zkRegistryGo,
		from: "Version: p.versions[r.WorkerID]})",
		to:   "Version: -1})", tests: "TestStore",
	},
	{
		name: "a Prune forgets the last ticks", file: zkRegistryGo,
		from: "max(control.Floor, r.High)",
		to:   "control.Floor", tests: "TestStore",
	},
	{
		name: "a page reads rows of before its namespace", file: zkRegistryGo,
		from: "if again.err != nil || again.version == p.version {",
		to:   "if true {", tests: "TestPageOfOneTime",
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
