package main

const (
	groupGo       = "worker/lease/group.go"
	groupJointGo  = "worker/lease/joint.go"
	groupMemoryGo = "worker/storetest/memory.go"
)

// groups are faults in leases that are acquired together, and in the stores that write them so.
var groups = []mutant{
	{
		name: "a batch asks for what its first member takes for usable", file: groupGo,
		from: "last = min(last, r.ask.(*taking).highest(now))",
		to:   "_ = r", tests: "^TestGroupPassesOver",
	},
	{
		name: "the row of a member that refuses is taken", file: groupGo,
		from: "rows[i] = nil\n\t\t\tcontinue",
		to:   "continue", tests: "^TestGroupRefusesOne$",
	},
	{
		name: "a member that refuses has changed the namespace", file: groupGo,
		from: "namespace := *ns\n\t\tt.refused = r.run(func() error { return t.decide(&namespace,",
		to:   "namespace := *ns\n\t\tt.refused = r.run(func() error { return t.decide(ns,", tests: "^TestGroupKeepsTheNamespace$",
	},
	{
		name: "all that are refused hear that none was taken, and not why", file: groupGo,
		from: "open := err != nil && !errors.Is(err, errAllRefused)",
		to:   "open := err != nil", tests: "^TestGroupRefusesAll$",
	},
	{
		name: "a batch whose reply was lost was stored", file: groupGo,
		from: "case open:",
		to:   "case open && false:", tests: "^TestGroupLostReply",
	},
	{
		name: "a member without a row has one", file: groupGo,
		from: "case !t.offered:",
		to:   "case !t.offered && len(batch) == 0:", tests: "^TestGroupOfFewRows$",
	},
	{
		name: "members that want other IDs are of one batch", file: groupGo,
		from: "alike{w.IDs, w.Strict, w.Rest}",
		to:   "alike{Range{0, 1023}, w.Strict, w.Rest}", tests: "^TestGroupOfSeveralKinds$",
	},
	{
		name: "members that wait for longer are of one batch", file: groupGo,
		from: "alike{w.IDs, w.Strict, w.Rest}",
		to:   "alike{w.IDs, w.Strict, 0}", tests: "^TestGroupOfSeveralKinds$",
	},
	{
		name: "a batch has as many members as there are", file: groupGo,
		from: "j = &joint{most: MaxBatch}",
		to:   "j = &joint{most: manyInspections}", tests: "^TestGroupStartsAsOne$",
	},
	{
		name: "a group makes as many calls at once as it is asked for", file: groupGo,
		from: "make(chan struct{}, cfg.Calls)",
		to:   "make(chan struct{}, 1000+cfg.Calls)", tests: "^TestGroupOfOtherStores$",
	},
	{
		name: "each lease of a group inspects the store", file: groupGo,
		from: "most: manyInspections, do",
		to:   "most: 1, do", tests: "^TestGroupStartsAsOne$",
	},
	{
		name: "who has given up decides", file: groupJointGo,
		from: "if r.left {\n\t\treturn errLeft",
		to:   "if r.left && r.ctx == nil {\n\t\treturn errLeft", tests: "^TestGroupGivesUp",
	},
	{
		name: "a batch ends with the context of its first member", file: groupJointGo,
		from: "context.WithCancel(context.WithoutCancel(batch[0].ctx))",
		to:   "context.WithCancel(batch[0].ctx)", tests: "^TestGroupGivesUp",
	},
	{
		name: "a batch goes on when all its members are gone", file: groupJointGo,
		from: "if there--; there == 0 {",
		to:   "if there--; there < 0 {", tests: "^TestGroupGivesUp", hangs: true,
	},
	{
		name: "who waits does not give up", file: groupJointGo,
		from: "case <-ctx.Done():\n\t}\n\tif err",
		to:   "case err := <-r.done:\n\t\treturn err\n\t}\n\tif err", tests: "^TestGroupGivesUp", hangs: true,
	},
	{
		name: "a batch in memory is written though one of its rows was", file: groupMemoryGo,
		from: "if !b.left && b.version != ch.space.rows[b.id].version {",
		to:   "if !b.left && b.version < 0 {", tests: "^TestMemory$",
	},
	{
		name: "a batch of rows on MySQL does not look at them", file: sqlWriteGo,
		from: "CASE WHEN \" + l.is(table, *c.was, true) + \" THEN VALUES(HIGH) ELSE \" + tooLarge + \" END\"",
		to:   "VALUES(HIGH)\"", tests: "^TestStore$",
	},
	{
		name: "a batch of new IDs on MySQL replaces rows", file: sqlWriteGo,
		from: "\"HIGH = \" + high + \" ELSE \" + tooLarge + \" END\"",
		to:   "\"HIGH = \" + high + \" ELSE VALUES(HIGH) END\"", tests: "^TestStore$",
	},
	{
		name: "a batch on MySQL does not look at the namespace", file: sqlWriteGo,
		from: "\") v WHERE \" + l.is(\"c.\", *w.control.was, false) +",
		to:   "\") v WHERE \" + l.key(\"c.\", controlID) +", tests: "^TestStore$",
	},
	{
		name: "a batch of rows on PostgreSQL does not count those that are as they were", file: sqlWriteGo,
		from: "AND (SELECT COUNT(*) FROM rest) = \" + database.Int(k), exactly(k + 1)",
		to:   "AND (SELECT COUNT(*) FROM rest) >= 0\", exactly(k + 1)", in: inEngines, tests: "^TestStoreOnPostgres$/^prepared$",
	},
	{
		name: "a batch of new IDs on PostgreSQL leaves out those that have a row", file: sqlWriteGo,
		from: "RETURNING 1) \" + l.update(\"\", w.control.is) +\n\t\t\t\" WHERE \" + l.key(\"\", controlID) + \" AND (SELECT COUNT(*) FROM made) = \" + database.Int(k), exactly(1)",
		to:   "ON CONFLICT DO NOTHING RETURNING 1) \" + l.update(\"\", w.control.is) +\n\t\t\t\" WHERE \" + l.key(\"\", controlID) + \" AND (SELECT COUNT(*) FROM made) >= 0\", exactly(1)", in: inEngines, tests: "^TestStoreOnPostgres$/^prepared$",
	},
	{
		name: "a batch on SQLite writes the namespace alone", file: sqlWriteGo,
		from: "append([]*change{w.control, w.row}, w.rows...) {",
		to:   "[]*change{w.control, w.row} {", in: inDatabases, tests: "^TestStore$",
	},
	{
		name: "a batch is not read back by its file's path", file: sqlSwapGo,
		from: "w.row = w.rows[0] //",
		to:   "return nil //", in: inDatabases, tests: "SQLiteConnectionIsStale",
	},
	{
		name: "a batch offers new IDs that are not free", file: sqlFreeGo,
		from: "for n := max(from, 0); n < min(to, have); n++ {",
		to:   "for n := max(from, 0); n < to; n++ {", in: inDatabases, tests: "^TestStore$",
	},
}
