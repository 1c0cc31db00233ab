package main

const vanishTests = "^TestRowsVanishAndComeBack$"

// givens are faults in which worker IDs are new, and in what becomes of their rows.
var givens = []mutant{
	{
		name: "an ID up to the mark is new", file: storeGo,
		from: "ids.First = max(n.Given+1, in.First)",
		to:   "ids.First = in.First", tests: "^TestNewIDs$",
	},
	{
		name: "new rows are made one by one", file: storeGo,
		from: "mostNewIDs, max((in.Last-ids.First)/4, 1)) - 1",
		to:   "mostNewIDs, 1) - 1", tests: "^TestNewIDs$",
	},
	{
		name: "a batch of new rows has no end", file: storeGo,
		from: "16), mostNewIDs, max(",
		to:   "16), max(", tests: "^TestNewIDs$",
	},
	{
		name: "a small range is used up by one batch", file: storeGo,
		from: "max((in.Last-ids.First)/4, 1)",
		to:   "in.Last-ids.First+1", tests: "^TestNewIDs$",
	},
	{
		name: "what is missing above all rows is not named", file: storeGo,
		from: "if next <= last {\n\t\tmissing",
		to:   "if next <= last && len(have) == 0 {\n\t\tmissing", tests: "^TestMissing$",
	},
	{
		name: "a namespace gets a range below rows of a former one", file: foundGo,
		from: "if ns.Given > last {",
		to:   "if ns.Given > f.Terms.MaxWorkerID {", tests: "^TestFoundOverRows$",
	},
	{
		name: "an ID that nobody had begins at the first tick", file: acquireGo,
		from: "if row.High < 0 {",
		to:   "if row.High < -1 {", tests: "^TestUnusedIDBeginsNearTheClock$",
	},
	{
		name: "a store in memory forgets what was given", file: "worker/storetest/memory_free.go",
		from: "own := &namespace.value\n",
		to:   "own := &namespace.value\n\town.Given = -1\n", tests: "^TestMemory$",
	},
	{
		name: "owners in memory whose rows vanished take others' IDs", in: "worker/lease", file: "worker/storetest/memory_free.go",
		from: "own := &namespace.value\n",
		to:   "own := &namespace.value\n\town.Given = -1\n", tests: vanishTests,
	},
	{
		name: "a store in memory makes rows and does not raise the mark", file: "worker/storetest/memory_free.go",
		from: "given: fresh.Last, fresh: fresh}",
		to:   "given: own.Given, fresh: fresh}", tests: "^TestMemory$",
	},
	{
		name: "a database makes rows and does not raise the mark", file: sqlLeasesGo,
		from: "namespace.Given = f.made.Last",
		to:   "namespace.Given = f.namespace.Given", tests: "^TestStore$",
	},
	{
		name: "a database raises the mark to the row that is taken", file: sqlLeasesGo,
		from: "namespace.Given = f.made.Last",
		to:   "namespace.Given = f.made.First", tests: "^TestStore$",
	},
	{
		name: "a database makes one new row", file: sqlLeasesGo,
		from: "for id := f.id + 1; f.was == nil && id <= f.made.Last; id++ {",
		to:   "for id := f.id + 1; f.was == nil && id < f.made.Last; id++ {", tests: "^TestStore$",
	},
	{
		name: "decide sets the mark of a database", file: sqlLeasesGo,
		from: "\t\tn.Given = was.Given\n",
		to:   "", tests: "^TestStore$",
	},
	{
		name: "a row above the mark of a database is not seen", file: sqlFreeGo,
		from: "ns.Given = max(ns.Given, largest.WorkerID)",
		to:   "_ = largest", tests: "^TestStore$",
	},
	{
		name: "the mark of a database is its highest row", file: sqlFreeGo,
		from: "ns.Given = max(ns.Given, largest.WorkerID)",
		to:   "ns.Given = largest.WorkerID", tests: "^TestStore$",
	},
	{
		name: "rows vanish and the highest one is the mark", in: inDatabases, file: sqlFreeGo,
		from: "\tif largest, found := seen.first(theLargest); found {\n",
		to:   "\tns.Given = -1\n\tif largest, found := seen.first(theLargest); found {\n", tests: vanishTests,
	},
	{
		name: "a mark that is no number is none", file: "worker/sqlstore/rows.go",
		from: "if err != nil || holderOf(ids, given) != holder ||",
		to:   "if err != nil && !marked || !marked && holderOf(ids, given) != holder ||", in: inDatabases, tests: "^TestGivenIsStored$",
	},
	{
		name: "new rows on MySQL replace those that are there", file: sqlWriteGo,
		from: "ELSE 9223372036854775807 + 2 + `\" + l.leases + \"`.WORKER_ID END\"",
		to:   "ELSE VALUES(HIGH) END\"", tests: "^TestNewRowsReplaceNone$", in: inDatabases,
	},
	{
		name: "new rows on PostgreSQL leave out those that are there", file: sqlWriteGo,
		from: "WHERE EXISTS (SELECT 1 FROM held) RETURNING 1) \"",
		to:   "WHERE EXISTS (SELECT 1 FROM held) ON CONFLICT DO NOTHING RETURNING 1) \"", in: inEngines, tests: "^TestNewRowsReplaceNoneOnPostgres$",
	},
	{
		name: "new rows on PostgreSQL do not look at the namespace", file: sqlWriteGo,
		from: "l.inserted(made) + \" WHERE EXISTS (SELECT 1 FROM held) RETURNING 1) \"",
		to:   "l.inserted(made) + \" RETURNING 1) \"", in: inEngines, tests: "^TestStoreOnPostgres$/^prepared$",
	},
	{
		name: "SQLite makes the row that is taken alone", file: sqlWriteGo,
		from: "if len(w.others) > 0 {",
		to:   "if len(w.others) < 0 {", in: inDatabases, tests: "^TestStore$",
	},
}
