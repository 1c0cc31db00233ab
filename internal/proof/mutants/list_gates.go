package main

const (
	gotestGo = "internal/proof/gotest/main.go"
	reportGo = "internal/proof/gotest/report.go"
)

// gates are faults in what runs the tests.
var gates = []mutant{
	{
		name: "gotest: the exit status is lost", file: gotestGo,
		from: "	return code, nil\n",
		to:   "	return 0, nil\n", tests: "^TestRun$",
	},
	{
		name: "gotest: what failing tests say is left away", file: reportGo,
		from: "if own || failed && !(p.failed && p.passed[e.Test]) {",
		to:   "if own {", tests: "^TestRun$",
	},
	{
		name: "gotest: tests that passed are not left away", file: reportGo,
		from: "if own || failed && !(p.failed && p.passed[e.Test]) {",
		to:   "if own || failed {", tests: "^TestRun$",
	},
	{
		name: "gotest: a package that fails without a failing test says nothing", file: reportGo,
		from: "if own || failed && !(p.failed && p.passed[e.Test]) {",
		to:   "if own || failed && !p.passed[e.Test] {", tests: "^TestRun$",
	},
	{
		name: "gotest: nothing is said of what runs", file: reportGo,
		from: "if r.now().Sub(r.printed) < silence {",
		to:   "if true {", tests: "^TestReportOfWhatRuns$",
	},
	{
		name: "proxy: a network that is broken one way passes replies on", file: "internal/proxy/proxy.go",
		from: "			if mangled {",
		to:   "			if mangled && p == nil {", tests: "^TestMute$",
	},
	{
		name: "testserver: the driver's log of a test is lost", file: "internal/testserver/testserver.go",
		from: "Connect(s.DSN(database), Log(t))",
		to:   "Connect(s.DSN(database), Quiet)", tests: "^TestDriverLog$",
	},
	{
		name: "testserver: the driver's log goes on after the test", file: "internal/testserver/driverlog.go",
		from: "	t.Cleanup(l.end)\n",
		to:   "", tests: "^TestDriverLog$",
	},
}
