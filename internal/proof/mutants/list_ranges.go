package main

// ranges are faults of leases in whose IDs are whose, and in whom to trust: ranges of worker IDs,
// stores that promise to lose nothing, and what a start waits for.
var ranges = []mutant{
	{
		name: "a namespace may have IDs beyond the layout's", file: foundGo,
		from: "case !f.IDs.within(t.MaxWorkerID):",
		to:   "case false:", tests: "^TestFoundRefusesRanges",
	},
	{
		name: "nobody is told that a namespace has other IDs", file: foundGo,
		from: "case settled && others:",
		to:   "case false:", tests: "^TestFoundSetsIDs",
	},
	{
		name: "the IDs of a namespace are forgotten by who names none", file: foundGo,
		from: "others := f.IDs != (Range{}) && f.IDs != ns.IDs",
		to:   "others := f.IDs != ns.IDs", tests: "^TestFoundSetsIDs",
	},
	{
		name: "the IDs of a namespace that a start has made stay as they are", file: foundGo,
		from: "ns.IDs = f.IDs\n",
		to:   "\n", tests: "^TestFoundSetsIDs",
	},
	{
		name: "a start forgets for which IDs it asks", file: acquireGo,
		from: "Must: l.cfg.IDs, ",
		to:   "", tests: "^TestRangeOfAStart$",
	},
	{
		name: "a start asks for IDs that the layout does not have", file: leaseGo,
		from: "if l.cfg.IDs.Last > t.MaxWorkerID {",
		to:   "if false {", tests: "^TestRangeOfAStart$",
	},
	{
		name: "a range of IDs may begin after its end", file: leaseConfigGo,
		from: "(c.IDs.First < 0 || c.IDs.First > c.IDs.Last)",
		to:   "c.IDs.First < 0", tests: "^TestNewLeaseRefuses",
	},
	{
		name: "a store may offer any ID", file: acquireGo,
		from: "if !ids.has(row.WorkerID) {",
		to:   "if false {", tests: "^TestRangeThatAStoreIgnores",
	},
	{
		name: "only the store minds the namespace's IDs", file: acquireGo,
		from: "ids, err := wanted.Within(*ns)",
		to:   "ids, err := wanted.IDs, error(nil)", tests: "^TestRangeThatAStoreIgnores",
	},
	{
		name: "a range that is there in part is enough", file: storeGo,
		from: " || w.Must != (Range{}) && w.Must != has {",
		to:   " {", tests: "^TestRangeOfAStart$",
	},
	{
		name: "IDs that a namespace lacks are an empty range", file: storeGo,
		from: "if both.First > both.Last || ",
		to:   "if ", tests: "^TestRangeOfANamespace$",
	},
	{
		name: "a start makes a namespace of all IDs", file: startGo,
		from: "Rest: rest, IDs: l.cfg.IDs}",
		to:   "Rest: rest}", tests: "^TestRangeOfANamespaceThatAStartMakes",
	},
	{
		name: "a state file's ID is used, whatever is asked for", file: offlineGo,
		from: "if l.cfg.IDs != (Range{}) && !l.cfg.IDs.has(r.WorkerID) {",
		to:   "if false {", tests: "^TestRangeOfAStateFile",
	},
	{
		name: "IDs run out by the layout, not by the range", file: acquireGo,
		from: "h.id, h.ids.First, h.ids.Last,",
		to:   "h.id, 0, l.terms.MaxWorkerID,", tests: "^TestRangeRunsOut",
	},
	{
		name: "a store's own promise counts for nothing", file: leaseGo,
		from: "cfg.DurableStore || store.Durable() && !cfg.LossyStore",
		to:   "cfg.DurableStore", tests: "^TestDurableByItself$",
	},
	{
		name: "a store's promise is believed by who does not", file: leaseGo,
		from: "cfg.DurableStore || store.Durable() && !cfg.LossyStore",
		to:   "cfg.DurableStore || store.Durable()", tests: "^TestLossyStore$",
	},
	{
		name: "a store may be durable and lossy", file: leaseGo,
		from: "if cfg.DurableStore && cfg.LossyStore {",
		to:   "if false {", tests: "^TestLossyStore$",
	},
	{
		name: "a start on a durable store waits", file: acquireGo,
		from: "h.limit = max(l.within(l.tickAt(now, l.cfg.reach())), l.withSlack(h.base))",
		to:   "h.limit = h.base", tests: "^TestFirstReservationIsAwaited",
	},
	{
		name: "a start waits for longer than it has to", file: startGo,
		from: "max(next, time.Millisecond)",
		to:   "max(2*next, time.Millisecond)", tests: "^TestFirstReservationIsAwaited",
	},
}
