package main

// revisions are faults in the comparison of two revisions.
var revisions = []mutant{
	{
		name: "a comparison leaves its work tree", file: "internal/proof/revisions/main.go",
		from: "	defer func() { err = errors.Join(err, t.remove()) }()\n",
		to:   "", tests: "TestRun",
	},
	{
		name: "a comparison keeps benchmarks that today has not", file: "internal/proof/revisions/trees.go",
		from: "		if err := os.Remove(path); err != nil {\n			return err\n		}\n",
		to:   "		_ = path\n", tests: "TestRun",
	},
	{
		name: "a comparison compares today with today", file: "internal/proof/revisions/trees.go",
		from: "{&p.before, t.before, \"before\"}",
		to:   "{&p.before, t.after, \"before\"}", tests: "TestRun",
	},
	{
		name: "a program is optimised without its profile", file: "internal/proof/revisions/trees.go",
		from: "p.build(ctx, \"-pgo\", profile)",
		to:   "p.build(ctx)", tests: "TestOptimise",
	},
	{
		name: "of a number that is reported twice the last counts", file: "internal/proof/revisions/table.go",
		from: "if _, twice := results[k]; twice {",
		to:   "if _, twice := results[k]; twice && k.pkg == \"\" {", tests: "TestParse",
	},
}
