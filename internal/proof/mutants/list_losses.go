package main

const (
	lossesMySQLGo    = "internal/database/lossy_mysql.go"
	lossesPostgresGo = "internal/database/lossy_postgres.go"
	columnsGo        = "internal/database/columns.go"
	tableGo          = "worker/sqlstore/table.go"
)

// losses are faults in what is seen of how a database loses what it has acknowledged.
var losses = []mutant{
	{
		name: "a log that is not synced passes for durable", file: lossesMySQLGo,
		from: `known && v != "1" && v != "3" {`,
		to:   `known && v == "" {`, tests: "^TestSettingsOfMySQL",
	},
	{
		name: "a binary log that is not synced passes for durable", file: lossesMySQLGo,
		from: `vars.On("log_bin") && v != "1" {`,
		to:   `vars.On("log_bin") && v == "" {`, tests: "^TestSettingsOfMySQL",
	},
	{
		name: "Galera passes for durable", file: lossesMySQLGo,
		from: "if vars.On(\"wsrep_on\") {",
		to:   "if false {", tests: "^TestSettingsOfMySQL",
	},
	{
		name: "Galera is refused for disposable IDs", file: lossesMySQLGo,
		from: `(wsrep_on)", Takeover}`,
		to:   `(wsrep_on)", Crash}`, in: inDatabases, tests: "^TestNodeThatWritesAlone",
	},
	{
		name: "asynchronous replicas are not minded", file: lossesMySQLGo,
		from: "return fmt.Sprintf(\"%d replicas are connected without semi-synchronous replication: one of them lacks the newest commits when it takes over\", replicas)",
		to:   `return ""`, tests: "^TestLackingReplica",
	},
	{
		name: "one replica's confirmation is enough for all", file: lossesMySQLGo,
		from: "if replicas > confirm {",
		to:   "if confirm == 0 {", in: inDatabases, tests: "^TestInspectTellsWhatCanBeLost$/^semi",
	},
	{
		name: "MySQL's number of confirmations is not read", file: lossesMySQLGo,
		from: "name, confirm = fmt.Sprintf(\"%d (%s)\", n, setting), n",
		to:   "name = fmt.Sprintf(\"%d (%s)\", n, setting)", tests: "^TestLackingReplica",
	},
	{
		name: "a node that writes alone is believed", file: lossesMySQLGo,
		from: "v := JudgeReplicated(vars, status); v.Severity == Wrong {",
		to:   "v := JudgeReplicated(vars, status); v.Severity == Wrong && false {", in: inDatabases, tests: "^TestNodeThatWritesAlone",
	},
	{
		name: "the status of a node is not asked for", file: lossesMySQLGo,
		from: "('Slaves_connected', 'wsrep_connected',",
		to:   "('Slaves_connected',", in: inDatabases, tests: "^TestNodeThatWritesAlone",
	},
	{
		name: "doctor: a node that writes alone is sound", file: "worker/doctor/sqldoctor/replication.go",
		from: "v := database.JudgeReplicated(vars, status); v.Severity == database.Wrong {",
		to:   "v := database.JudgeReplicated(vars, status); v.Severity == database.Note {", in: inDatabases, tests: "^TestNodeThatWritesAlone",
	},
	{
		name: "doctor: a replica that need not confirm is no matter for DurableStore", file: "worker/doctor/sqldoctor/mysql.go",
		from: "loss == doctor.LevelNote || e.DurableStore {",
		to:   "loss == doctor.LevelNote {", in: inDatabases, tests: "^TestInspectTellsWhatCanBeLost$/^semi",
	},
	{
		name: "one standby's confirmation is enough for all", file: lossesPostgresGo,
		from: "if len(listed) > confirm {",
		to:   "if confirm == 0 {", tests: "^TestLackingStandby",
	},
	{
		name: "any standby's confirmation is enough for all", file: lossesPostgresGo,
		from: `if listed["*"] {`,
		to:   `if listed["**"] {`, tests: "^TestLackingStandby",
	},
	{
		name: "standbys of one name are one", file: lossesPostgresGo,
		from: "if n > confirm {",
		to:   "if n > len(connected) {", tests: "^TestLackingStandby",
	},
	{
		name: "the number of standbys that confirm is not read", file: lossesPostgresGo,
		from: "confirm, _ = strconv.Atoi(m[1])",
		to:   "_, _ = strconv.Atoi(m[1])", tests: "^TestLackingStandby",
	},
	{
		name: "names of standbys are told apart by case", file: lossesPostgresGo,
		from: "if listed[strings.ToLower(name)] {",
		to:   "if listed[name] {", tests: "^TestLackingStandby",
	},
	{
		name: "what standbys lack is not asked", file: lossesPostgresGo,
		from: `why := LackingStandby(vars["synchronous_standby_names"], standbys); why != "" {`,
		to:   `why := LackingStandby(vars["synchronous_standby_names"], standbys); why == "never" {`, in: inEngines, tests: "^TestStandbysThatNeedNotConfirm",
	},
	{
		name: "an UNLOGGED table passes for durable", file: tableGo,
		from: `v := database.JudgeKept("table", want.name, shape); v.Severity == database.Wrong {`,
		to:   `v := database.JudgeKept("table", want.name, shape); v.Severity == database.Note {`, in: inEngines, tests: "^TestUnloggedTables",
	},
	{
		name: "an UNLOGGED counter is not looked for", file: columnsGo,
		from: "r.relkind IN ('r', 'p', 'S')",
		to:   "r.relkind IN ('r', 'p')", in: inEngines, tests: "^TestUnloggedTables",
	},
	{
		name: "a TEMPORARY table is used", file: columnsGo,
		from: "if s.temporary {",
		to:   "if s.temporary && false {", in: inEngines, tests: "^TestTemporaryTables",
	},
	{
		name: "doctor: an UNLOGGED table is sound", file: "worker/doctor/sqldoctor/tables.go",
		from: "kept.Severity > v.Severity {",
		to:   "kept.Severity < v.Severity {", in: inEngines, tests: "^TestUnloggedTables",
	},
	{
		name: "disposable IDs: what the store can forget is not minded", file: disposableGo,
		from: "if len(lossy) > 0 && !d.cfg.DurableStoreUnverified {",
		to:   "if false && len(lossy) > 0 {", tests: "^TestLossyStore$",
	},
	{
		name: "disposable IDs: nobody can vouch for a store", file: disposableGo,
		from: "if len(lossy) > 0 && !d.cfg.DurableStoreUnverified {",
		to:   "if len(lossy) > 0 {", tests: "^TestLossyStore$",
	},
	{
		name: "disposable IDs: a store is not inspected", file: disposableGo,
		from: "if err := d.inspect(ctx); err != nil {",
		to:   "if err := ctx.Err(); err != nil {", tests: "^TestLossyStore$|^TestRefusedStore$",
	},
	{
		name: "disposable IDs: a crash is no loss", file: sqlNumbersGo,
		from: "if l.By == database.Crash {",
		to:   "if l.By == database.Crash && l.Why == \"\" {", in: inDatabases, tests: "ThatForgets$",
	},
	{
		name: "disposable IDs: a failover is a loss", file: sqlNumbersGo,
		from: "if l.By == database.Crash {",
		to:   "if true {", in: inDatabases, tests: "ThatForgets$",
	},
	{
		name: "disposable IDs: the table's engine is not looked at", file: sqlNumbersGo,
		from: "s.losses(ctx, wanted{s.nodes, database.NodeColumns})",
		to:   "s.losses(ctx)", in: inDatabases, tests: "^TestDisposableOnATableThatForgets$",
	},
	{
		name: "command: nobody can vouch for a store of disposable IDs", file: "cmd/uid/gen_worker.go",
		from: "DurableStoreUnverified: g.segment.lossy, ",
		to:   "", tests: "^TestMySQLWorker$",
	},
	{
		name: "a table in another schema is taken for the one of before", file: "internal/database/schema_place.go",
		from: "if p.schema != schema {",
		to:   "if false {", in: inEngines, tests: "^TestTableInAnEarlierSchema$",
	},
	{
		name: "leases do not look where their table is", file: "worker/sqlstore/read.go",
		from: "err = l.schema.Find(l.leases, s.Schema)",
		to:   "err = l.schema.Find(l.leases, \"\")", in: inEngines, tests: "^TestTableInAnEarlierSchema$",
	},
	{
		name: "segments do not look where their table is", file: "worker/sqlstore/segments_read.go",
		from: "err = s.schema.Find(s.segments, seen.Schema)",
		to:   "err = s.schema.Find(s.segments, \"\")", in: inEngines, tests: "^TestTableInAnEarlierSchema$",
	},
	{
		name: "a state file does not say where the table is", file: "worker/lease/offline.go",
		from: "if place := placeOf(l.store); place != \"\" {",
		to:   "if place := placeOf(l.store); place == \"nowhere\" {", in: inEngines, tests: "^TestTableInAnEarlierSchema$",
	},
	{
		name: "what a state file says of the table's place is not minded", file: "worker/lease/offline.go",
		from: "if err := bind(l.store, place); err != nil {",
		to:   "if err := bind(l.store, place[:0]); err != nil {", in: inEngines, tests: "^TestTableInAnEarlierSchema$",
	},
	{
		name: "a group does not pass on where its store is", file: "worker/lease/group.go",
		from: "func (g *Group) Place() string { return placeOf(g.store) }",
		to:   "func (g *Group) Place() string { return \"\" }", in: inEngines, tests: "^TestTableInAnEarlierSchema$",
	},
	{
		name: "command: queries to PostgreSQL are prepared", file: "cmd/uid/store_postgres.go",
		from: "cfg.DefaultQueryExecMode = pgx.QueryExecModeExec",
		to:   "_ = pgx.QueryExecModeExec", tests: "^TestPostgresMode$",
	},
}
