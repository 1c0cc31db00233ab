package main

const (
	staticGo        = "worker/static.go"
	spaceGo         = "worker/space.go"
	testGeneratorGo = "uidtest/generator.go"
	testWorkerGo    = "uidtest/worker.go"
)

// testKit are faults of the stand-ins for users' tests, and of static workers that share an ID.
var testKit = []mutant{
	{
		name: "static: a Space's ID serves two generators", file: spaceGo,
		from: "case c.space != \"\":",
		to:   "case false:", tests: "^TestSpace$",
	},
	{
		name: "static: two generators on one ID go unnoticed", file: spaceGo,
		from: "case !before.warned:",
		to:   "case false:", tests: "^TestTwoStatics",
	},
	{
		name: "static: each further generator on one ID is reported", file: spaceGo,
		from: "h.warned = h.warned || c.space == \"\"",
		to:   "h.warned = false", tests: "^TestTwoStatics",
	},
	{
		name: "static: a Space forgets what was issued in it", file: spaceGo,
		from: "h.last = max(h.last, last)",
		to:   "h.last = -1", tests: "^TestSpace",
	},
	{
		name: "static: an ID that was dropped is never free", file: spaceGo,
		from: "k.free(c, garbage, -1)",
		to:   "_ = garbage", tests: "^TestClaimsAreFreed$", hangs: true,
	},
	{
		name: "static: a late cleanup frees another worker's ID", file: spaceGo,
		from: "if h == nil || h.worker != s {",
		to:   "if h == nil {", tests: "^TestLateCleanup$",
	},
	{
		name: "static: a worker that is used up keeps its ID", file: staticGo,
		from: "\t\ts.drop(now, -1)\n",
		to:   "", tests: "^TestSpaceExhausted$",
	},
	{
		name: "static: a closed generator keeps its ID", file: staticGo,
		from: "\ts.drop(s.claim, last)\n",
		to:   "", tests: "^TestSpace$",
	},
	{
		name: "static: what the worker itself has issued is issued again", file: staticGo,
		from: "used = max(used, s.last)",
		to:   "used = max(used, -1)", tests: "^TestStaticNeverRepeats",
	},
	{
		name: "static: a Space may have no name", file: staticGo,
		from: "case len(in) == 1 && in[0] == \"\":",
		to:   "case false:", tests: "^TestUnusableSpaces$",
	},
	{
		name: "static: a worker may be in two Spaces", file: staticGo,
		from: "case len(in) > 1:",
		to:   "case false:", tests: "^TestUnusableSpaces$",
	},
	{
		name: "uidtest: FailAfter may be negative", file: testGeneratorGo,
		from: "cfg.FailAfter < 0 || cfg.FailAfter > 0 && cfg.Err == nil",
		to:   "cfg.FailAfter > 0 && cfg.Err == nil", tests: "^TestConfigRefuses$",
	},
	{
		name: "uidtest: FailAfter needs no error", file: testGeneratorGo,
		from: "cfg.FailAfter < 0 || cfg.FailAfter > 0 && cfg.Err == nil",
		to:   "cfg.FailAfter < 0", tests: "^TestConfigRefuses$",
	},
	{
		name: "uidtest: any Start will do", file: testGeneratorGo,
		from: "if _, err := layout.First(cfg.Start); err != nil {",
		to:   "if _, err := layout.First(cfg.Start); false {", tests: "^TestConfigRefuses$",
	},
	{
		name: "uidtest: UIDs are counted from 0", file: testGeneratorGo,
		from: "if n < 1 {",
		to:   "if n < 0 {", tests: "^TestUIDsToTheEnd$",
	},
	{
		name: "uidtest: the last tick is not the end", file: testGeneratorGo,
		from: "if ticks > uint64(g.layout.MaxTick()-g.tick) {",
		to:   "if false {", tests: "^TestUIDsToTheEnd$",
	},
	{
		name: "uidtest: round numbers cost most of a tick", file: testGeneratorGo,
		from: "1<<sequenceBits/20",
		to:   "1<<sequenceBits/10", tests: "^TestReadableUIDs$",
	},
	{
		name: "uidtest: all draws fail, not only the later ones", file: testGeneratorGo,
		from: "case g.err != nil && g.drawn >= g.failAt:",
		to:   "case g.err != nil:", tests: "^TestFailures$",
	},
	{
		name: "uidtest: a context that has ended gets a UID", file: testGeneratorGo,
		from: "if err := ctx.Err(); err != nil {",
		to:   "if err := ctx.Err(); false {", tests: "^TestContext$",
	},
	{
		name: "uidtest: a closed generator makes UIDs", file: testGeneratorGo,
		from: "case g.closed:",
		to:   "case false:", tests: "^TestClose$",
	},
	{
		name: "uidtest: a worker may have a negative ID", file: testWorkerGo,
		from: "case w.id < 0 || w.id > t.MaxWorkerID:",
		to:   "case w.id > t.MaxWorkerID:", tests: "^TestWorkerRefuses$",
	},
	{
		name: "uidtest: a worker may have an ID that the layout has not", file: testWorkerGo,
		from: "case w.id < 0 || w.id > t.MaxWorkerID:",
		to:   "case w.id < 0:", tests: "^TestWorkerRefuses$",
	},
	{
		name: "uidtest: a worker may reserve less than nothing", file: testWorkerGo,
		from: "case w.Ticks < 0:",
		to:   "case false:", tests: "^TestWorkerRefuses$",
	},
	{
		name: "uidtest: an ID that was lost comes back", file: testWorkerGo,
		from: "case id == w.id || w.lost[id]:",
		to:   "case id == w.id:", tests: "^TestLoseRefuses$",
	},
	{
		name: "uidtest: a worker goes on under an ID that the layout has not", file: testWorkerGo,
		from: "case w.binding.Check() == nil && id > w.terms.MaxWorkerID:",
		to:   "case false:", tests: "^TestLoseRefuses$",
	},
	{
		name: "uidtest: the generator of a lost ID goes on with it", file: testWorkerGo,
		from: "\tw.binding.Invalidate()\n",
		to:   "", tests: "^TestGeneratorsLoseTheirID$",
	},
	{
		name: "uidtest: the next generator begins where the one before did", file: testWorkerGo,
		from: "w.next = max(w.next, last+1)",
		to:   "w.next = 0", tests: "^TestZeroWorker",
	},
	{
		name: "uidtest: a worker reserves a tick too many", file: testWorkerGo,
		from: "ticks.Plus(begin, w.Ticks-1)",
		to:   "ticks.Plus(begin, w.Ticks)", tests: "^TestWorkerReservesTicks$",
	},

	{
		name: "command: --format and --json go together", file: "cmd/uid/formats.go",
		from: "flags.Changed(\"format\") && flags.Changed(\"json\")",
		to:   "false", tests: "^TestFormatAndJSON$",
	},
	{
		name: "command: a DSN without an address is dialled as localhost", file: "cmd/uid/store_mysql.go",
		from: "if !strings.HasSuffix(address, \")\") || strings.HasSuffix(address, \"()\") {",
		to:   "if address == \"\" {", tests: "^TestBadInput$",
	},
	{
		name: "command: a DSN without a host is dialled as localhost", file: "cmd/uid/store_mysql.go",
		from: "return cfg.Net != \"tcp\" || err != nil || host != \"\"",
		to:   "return cfg.Net != \"\" || err != nil || host != \"\"", tests: "^TestBadInput$",
	},
	{
		name: "command: an unknown namespace is an empty one", file: "cmd/uid/worker_ls.go",
		from: "if c.namespace != \"\" && !slices.ContainsFunc(",
		to:   "if false && !slices.ContainsFunc(", tests: "^TestWorkerGolden$",
	},
	{
		name: "command: a DSN that is no namespace is repeated", file: "cmd/uid/worker_release.go",
		from: "if name, err := names.Resolve(name); err == nil {",
		to:   "if _, err := names.Resolve(name); err == nil || true {", tests: "^TestWorkerGolden$",
	},
	{
		name: "command: a file with live leases is moved", file: "cmd/uid/store_move.go",
		from: "if u.live > 0 && !c.force {",
		to:   "if false {", tests: "^TestLiveLeasesStay$",
	},
	{
		name: "command: a file is moved over another one", file: "cmd/uid/store_move.go",
		from: "!errors.Is(err, fs.ErrNotExist)",
		to:   "errors.Is(err, fs.ErrInvalid)", tests: "^TestStoreMove$",
	},
	{
		name: "command: a file that is used is removed", file: "cmd/uid/store_remove.go",
		from: "held != \"\" && !c.force",
		to:   "held != \"\" && false", tests: "^TestStoreRemove$",
	},
	{
		name: "command: a file is removed while somebody writes to it", file: "cmd/uid/store_file.go",
		from: "\"BEGIN EXCLUSIVE\"",
		to:   "\"BEGIN\"", tests: "^TestStoreInUseStays$",
	},
	{
		name: "command: a file is removed without its write-ahead log", file: "cmd/uid/store_file.go",
		from: "info.Size() > 0",
		to:   "info.Size() < 0", tests: "^TestStoreInUseStays$",
	},
	{
		name: "command: bench goes on when it is interrupted", file: "cmd/uid/bench.go",
		from: "case <-ctx.Done():",
		to:   "case <-context.Background().Done():", tests: "^TestBenchInterrupted$", hangs: true,
	},
	{
		name: "command: help about what is not there is no error", file: "cmd/uid/help.go",
		from: "if err != nil || len(rest) > 0 {",
		to:   "if err != nil {", tests: "^TestHelpOfWhatIsNotThere$",
	},
	{
		name: "command: an unknown shell is no error", file: "cmd/uid/completion.go",
		from: "return unknownCommand(cmd, args[0])",
		to:   "return nil", tests: "^TestHelpOfWhatIsNotThere$",
	},
	{
		name: "command: a range blames what nobody wrote", file: "cmd/uid/range.go",
		from: "case !from.Before(to) && !given:",
		to:   "case false:", tests: "^TestBadInput$",
	},
	{
		name: "command: a table is as wide as it likes", file: "cmd/uid/text_table.go",
		from: "if t.width() <= width {",
		to:   "if true {", tests: "^TestTablesFit$",
	},
	{
		name: "command: rows of a table's parts cannot be told apart", file: "cmd/uid/text_table.go",
		from: "if len(seen) == len(t.rows) {",
		to:   "if true {", tests: "^TestKeysOfTables$",
	},
}
