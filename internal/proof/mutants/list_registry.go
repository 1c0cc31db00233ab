package main

const (
	registryReleaseGo = "worker/registry/release.go"
	overviewGo        = "worker/registry/overview.go"
	collectGo         = "worker/registry/collect.go"
	pruneGo           = "worker/sqlstore/registry.go"
	checkSQLiteGo     = "worker/doctor/sqldoctor/sqlite.go"
)

// registries are faults in what people do to leases with a registry, and in what the doctor
// finds.
var registries = []mutant{
	{
		name: "release: a live lease ends without force", file: registryReleaseGo,
		from: "if was.State == Live && !force {", to: "if false {", tests: "^TestReleaseRefuses",
	},
	{
		name: "release: the ticks are forgotten", file: registryReleaseGo,
		from: `row.Nonce = ""`, to: `row.Nonce, row.High = "", 0`, tests: "^TestRelease$",
	},
	{
		name: "release: the end of a lease that is over moves", file: registryReleaseGo,
		from: "	if !over {", to: "	if true {", tests: "^TestRelease$",
	},
	{
		name: "release: a name that may be a DSN is repeated", file: registryReleaseGo,
		from: "errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange)", to: "errors.Is(err, uid.ErrConfig)", tests: "^TestReleaseRefuses",
	},
	{
		name: "overview: a lease that is over counts as live", file: overviewGo,
		from: `if row.Nonce != "" && !l.Until.Before(now) {`, to: `if row.Nonce != "" {`, tests: "^TestOverviewTellsStates",
	},
	{
		name: "overview: a clock that may be off ends leases", file: overviewGo,
		from: "now := c.Now.Add(-c.Error)", to: "now := c.Now", tests: "^TestClockError",
	},
	{
		name: "overview: only one page is read", file: overviewGo,
		from: "if len(page.Rows) < pageSize {", to: "if true {", tests: "^TestOverviewInPages",
	},
	{
		name: "disposable IDs are counted by the names of columns", file: "worker/sqlstore/nodes.go",
		from: "conn.QueryRowContext(ctx, d.dialect.SQL(\"SELECT COUNT(*), COALESCE(MAX(ID), 0) FROM `\"+d.nodes+\"`\")).Scan(&n.Rows, &n.Last)",
		to:   "conn.GetContext(ctx, &n, \"SELECT COUNT(*) AS `rows`, COALESCE(MAX(ID), 0) AS `last` FROM `\"+d.nodes+\"`\")",
		in:   inDatabases, tests: "^TestForeignNames",
	},
	{
		name: "doctor: quotes and brackets in a grant are not minded", file: "worker/doctor/sqldoctor/grants.go",
		from: "case depth == 0 && strings.HasPrefix(s[i:], sep):", to: "case strings.HasPrefix(s[i:], sep):", tests: "^TestParseGrant",
	},
	{
		name: "doctor: two namespaces of a layout are not named", file: "worker/doctor/spaces.go",
		from: "len(same) > 1 {", to: "len(same) > 2 {", tests: "^TestSpaces",
	},
	{
		name: "doctor: ranges that lie apart are taken for one space", file: "worker/doctor/spaces.go",
		from: "a.First <= b.Last && b.First <= a.Last", to: "true", tests: "^TestSpaces",
	},
	{
		name: "doctor: IDs are counted by the layout, not by the range", file: "worker/doctor/leases.go",
		from: "ids := idsOf(ns, t)", to: "ids := lease.Range{Last: t.MaxWorkerID}", tests: "^TestJudgeNamespace",
	},
	{
		name: "doctor: an ID outside of the range is not found", file: "worker/doctor/leases.go",
		from: "if l.WorkerID < ns.IDs.First || l.WorkerID > ns.IDs.Last {", to: "if l.WorkerID < ns.IDs.First {", tests: "^TestJudgeNamespace",
	},
	{
		name: "doctor: the error of a store's clock does not count", file: "worker/doctor/clocks.go",
		from: "case apart > most || off > most-apart:", to: "case apart > most:", tests: "^TestJudgeClock",
	},
	{
		name: "doctor: what the store itself finds is left out", file: "worker/doctor/check.go",
		from: "c.findings = append(c.findings, found...)", to: "_ = found", tests: "^TestCheck$",
	},
	{
		name: "doctor: a part that cannot be read is as good as empty", file: "worker/doctor/read.go",
		from: "		c.unread = true\n", to: "", tests: "^TestCheck$",
	},
	{
		name: "doctor: a Galera node is good for DurableStore", file: "worker/doctor/sqldoctor/galera.go",
		from: "	if durable {", to: "	if false {", tests: "^TestJudgeGalera",
	},
	{
		name: "doctor: a node outside of the primary component is sound", file: "worker/doctor/sqldoctor/galera.go",
		from: "if component != \"Primary\" || ready != \"ON\" {", to: "if component != \"Primary\" {", tests: "^TestJudgeGalera",
	},
	{
		name: "doctor: synchronous_commit may be off", file: "worker/doctor/sqldoctor/postgres.go",
		from: `case v == "off":`, to: `case v == "never":`, tests: "^TestJudgePostgres",
	},
	{
		name: "doctor: disposable IDs beside leases are not named", file: "worker/doctor/spaces.go",
		from: "if o.Nodes != nil && o.Nodes.Used() > 0 && len(names) > 0 {", to: "if false {", tests: "^TestSpaces",
	},
	{
		name: "doctor: a table that cannot be read has no spaces", file: "worker/doctor/spaces.go",
		from: "&& !c.unread ", to: "", tests: "^TestSpaces",
	},
	{
		name: "doctor: no links are found", file: checkSQLiteGo,
		from: "e.add(judgeLinks(database.LinkCount(info)))", to: "e.add(judgeLinks(1, true))\n	_ = info", in: inDatabases, tests: "CheckOfASQLitePlace",
	},
	{
		name: "doctor: no mount is found", file: checkSQLiteGo,
		from: "if database.IsMountPoint(file) {", to: "if false {", in: inDatabases, tests: "SQLiteFileIsMounted",
	},
	{
		name: "doctor: any file in the place is taken for the one that is open", file: checkSQLiteGo,
		from: "	if !same {\n		e.add(judgePlace(placeTaken))", to: "	if !same && false {\n		e.add(judgePlace(placeTaken))",
		in: inDatabases, tests: "CheckOfASQLitePlace",
	},
	{
		name: "a clock that may be off agrees", file: "internal/clock/clock.go",
		from: "apart <= limit && off <= limit-apart", to: "apart <= limit", tests: "^TestCompare",
	},
}
