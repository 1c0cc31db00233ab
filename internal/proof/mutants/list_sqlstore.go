package main

const (
	sqlSwapGo      = "worker/sqlstore/swap.go"
	sqlWriteGo     = "worker/sqlstore/write.go"
	sqlStatementGo = "worker/sqlstore/statement.go"
	sqlFreeGo      = "worker/sqlstore/free.go"
	originGo       = "internal/database/origin.go"
	sqlLeasesGo    = "worker/sqlstore/leases.go"
	sqlNumbersGo   = "worker/sqlstore/numbers.go"
	placeGo        = "internal/database/place.go"
	inDatabases    = "internal/proof/databases"
	inEngines      = "internal/engines/sqlstore"
)

// sqlTables are faults in what workers do with the tables of a SQL database, its sessions, its
// words and the place of its file.
var sqlTables = []mutant{
	{
		name: "a lease is written before its file's names are looked at", file: sqlStatementGo,
		from: "\tif err := place.Look(ctx, conn); err != nil {\n\t\treturn err\n\t}\n\tvar left",
		to:   "\tvar left", in: inDatabases, tests: "SQLiteFileHasTwoNames",
	},
	{
		name: "a link made during a lease's transaction is not seen", file: sqlStatementGo,
		from: "\treturn place.Look(ctx, conn)\n}",
		to:   "\treturn nil\n}", in: inDatabases, tests: "SQLiteFileIsLinkedMeanwhile",
	},
	{
		name: "a lease is not read back by its file's path", file: sqlStatementGo,
		from: "if left != nil {",
		to:   "if false {", in: inDatabases, tests: "SQLiteConnectionIsStale|SQLiteLogIsLost",
	},
	{
		name: "an inserted lease is not read back", file: sqlSwapGo,
		from: "if !w.row.changes() {\n\t\treturn nil",
		to:   "if !w.row.changes() || w.row.was == nil {\n\t\treturn nil", in: inDatabases, tests: "SQLiteConnectionIsStale",
	},
	{
		name: "a renewed lease is not read back", file: sqlSwapGo,
		from: "if !w.row.changes() {\n\t\treturn nil",
		to:   "if !w.row.changes() || w.row.was != nil {\n\t\treturn nil", in: inDatabases, tests: "SQLiteLogIsLost",
	},
	{
		name: "any row will do for the one that was written", file: placeGo,
		from: "case err == nil && (found == wrote || same):",
		to:   "case err == nil:", in: inDatabases, tests: "SQLiteConnectionIsStale|SQLiteLogIsLost",
	},
	{
		name: "a row that another process has written again is a fault", file: placeGo,
		from: "for range 10 {",
		to:   "for range 0 {", in: inDatabases, tests: "SQLiteRowIsAnothers",
	},
	{
		name: "a connection to a file that was moved stays in the pool", file: placeGo,
		from: "\tdiscard(conn)\n\treturn err\n",
		to:   "\treturn err\n", in: inDatabases, tests: "SQLiteConnectionIsStale",
	},
	{
		name: "a connection that SQLite says is to a moved file stays in the pool", file: "internal/database/transaction.go",
		from: "errors.AsType[*placeError](err); moved",
		to:   "errors.AsType[*placeError](err); moved && false", in: inDatabases, tests: "SQLiteConnectionIsStale",
	},
	{
		name: "SQLite's word that a file was moved is an error like others", file: "internal/database/failure.go",
		from: "if code == sqliteMoved {",
		to:   "if code == sqliteMoved && false {", in: inDatabases, tests: "SQLiteConnectionIsStale",
	},
	{
		name: "another file in the place is taken for the first", file: placeGo,
		from: "!os.SameFile(file, p.file)",
		to:   "false", in: inDatabases, tests: "SQLiteFileIsACopy",
	},
	{
		name: "links are not counted", file: placeGo,
		from: "known && links != 1",
		to:   "known && links < 1", in: inDatabases, tests: "SQLiteFileHasTwoNames",
	},
	{
		name: "mounts are not looked at", file: placeGo,
		from: "if IsMountPoint(path) {",
		to:   "if false {", in: inDatabases, tests: "SQLiteFileIsMounted",
	},
	{
		name: "the list of mounts is read without its escapes", file: "internal/database/mount_linux.go",
		from: "mountEscapes.Replace(fields[4])",
		to:   "fields[4]", tests: "ListsMount",
	},
	{
		name: "the list of mounts is searched for what is mounted", file: "internal/database/mount_linux.go",
		from: "mountEscapes.Replace(fields[4])",
		to:   "mountEscapes.Replace(fields[3])", tests: "ListsMount|IsMountPoint",
	},
	{
		name: "a database in memory leases IDs", file: placeGo,
		from: `if path == "" {`,
		to:   "if false {", in: inDatabases, tests: "SQLiteWithoutAPlace",
	},
	{
		name: "a file that nobody else can read leases IDs", file: placeGo,
		from: `if locking != "normal" {`,
		to:   "if false {", in: inDatabases, tests: "SQLiteWithoutAPlace",
	},
	{
		name: "a path is no URI", file: placeGo,
		from: `(&url.URL{Scheme: "file", Path: path, RawQuery: "mode=rw&cache=private"}).String()`,
		to:   `func() string { _ = url.URL{}; return "file://" + path + "?mode=rw&cache=private" }()`, in: inDatabases, tests: "SQLiteFileNames",
	},
	{
		name: "a disposable ID is written before its file's names are looked at", file: sqlNumbersGo,
		from: "\tif err := s.look(ctx, conn, &place); err != nil {\n\t\treturn 0, err\n\t}\n",
		to:   "", in: inDatabases, tests: "SQLiteFileHasTwoNames",
	},
	{
		name: "a link made during a disposable ID's transaction is not seen", file: sqlNumbersGo,
		from: "return id, s.look(ctx, conn, &place)",
		to:   "return id, nil", in: inDatabases, tests: "SQLiteFileIsLinkedMeanwhile",
	},
	{
		name: "a disposable ID is not read back by its file's path", file: sqlNumbersGo,
		from: "\tif s.dialect == database.SQLite {\n\t\tif err := s.confirm(",
		to:   "\tif false {\n\t\tif err := s.confirm(", in: inDatabases, tests: "SQLiteConnectionIsStale",
	},
	{
		name: "SQLite's time is ahead of the machine's", file: "internal/database/dialect.go",
		from: "* 86400000.0) AS INTEGER)",
		to:   "* 86400000.0 + 0.5) AS INTEGER)", in: inDatabases, tests: "SQLiteClock",
	},
	{
		name: "the look at a file's place reads the file", file: placeGo,
		from: `"PRAGMA database_list"`,
		to:   `"SELECT seq, name, file FROM pragma_database_list"`, in: inDatabases, tests: "^TestMovedOwnerLeaves",
	},
	{
		name: "an ID of 0 from the database", file: sqlNumbersGo,
		from: "if id <= 0 {",
		to:   "if id < 0 {", tests: "Unconfirmed",
	},
	{
		name: "an ID beyond the layout's maximum", file: sqlNumbersGo,
		from: "if id > most {",
		to:   "if false {", tests: "NumbersRunOut",
	},
	{
		name: "a row that bears another's nonce", file: sqlNumbersGo,
		from: "case found != nonce:",
		to:   "case false:", tests: "Unconfirmed",
	},
	{
		name: "a second row of a host and port fails the start", file: sqlNumbersGo,
		from: "if database.IsDuplicate(err) {",
		to:   "if false {", in: inDatabases, tests: "^TestUniqueHostAndPort",
	},
	{
		name: "a COMMIT does what the session's completion_type says", file: "internal/database/transaction.go",
		from: " AND NO CHAIN NO RELEASE",
		to:   "", in: inDatabases, tests: "^TestCompletionType",
	},
	{
		name: "an ID INT is called an error", file: "internal/database/columns.go",
		from: `kind == "bigint" || kind == "int"`,
		to:   `kind == "bigint"`, tests: "^TestJudgeTable",
	},
	{
		name: "lease: gaps are not used", file: sqlFreeGo,
		from: "range seen.parts[theGap] {",
		to:   "range seen.parts[theGap][:0] {", in: inDatabases, tests: "TakeOffers",
	},
	{
		name: "a transaction that stands still keeps its locks", file: "internal/database/session.go",
		from: "if dialect != MySQL {",
		to:   "if true {", in: inDatabases, tests: "PruneStall",
	},
	{
		name: "a commit is left to database/sql", file: "internal/database/transaction.go",
		from: "if dialect == SQLite {",
		to:   "if true {", in: inDatabases, tests: "^TestCompletionType",
	},
	{
		name: "lease: a connection keeps what a transaction has set", file: "internal/database/session.go",
		from: `"SET SESSION wait_timeout = @uid_wait_timeout, SESSION sql_mode = @uid_sql_mode"`,
		to:   `"DO 1"`, in: inDatabases, tests: "LeaseSession",
	},
	{
		name: "a server's words on a column are passed on", file: "internal/database/failure.go",
		from: "m.words = ofColumn(words, e.Message)",
		to:   "m.words = words + e.Message", in: "worker/sqlstore", tests: "^TestNoWordsOfServers$",
	},
	{
		name: "SQLite's words on a column are passed on", file: "internal/database/failure.go",
		from: "m.words = ofColumn(noSuchColumn, text)",
		to:   "m.words = noSuchColumn + text", in: "worker/sqlstore", tests: "^TestNoWordsOfServers",
	},
	{
		name: "any name that a server puts in quotes is passed on", file: "internal/database/failure_column.go",
		from: `strings.Join(names, "|")`,
		to:   `strings.Join(names, "|") + "|[a-z0-9]+"`, in: "worker/sqlstore", tests: "^TestNoWordsOfServers",
	},
	{
		name: "a table that is missing is created while its owner runs", file: sqlSwapGo,
		from: "\t\ts, w, err := try(conn, races)\n",
		to:   "\t\ts, w, err := try(conn, races)\n\t\tif database.KindOf(err) == database.MissingTable && create(ctx, conn, l.dialect, database.LeaseTable, l.leases) == nil {\n\t\t\ts, w, err = try(conn, races)\n\t\t}\n", in: inDatabases, tests: "^TestNamespaceRenamedAway|^TestNamespaceIsMade",
	},
	{
		name: "a namespace that is made anew forgets the reach of the owners that are left", file: sqlLeasesGo,
		from: "Reach: duration(rest.Reach), Fresh: true",
		to:   "Fresh: true", in: inDatabases, tests: "^TestNamespaceRow",
	},
	{
		name: "a namespace in use is told as one without IDs", file: sqlLeasesGo,
		from: "was.Given = max(was.Given, rest.WorkerID)",
		to:   "_ = rest", in: inDatabases, tests: "^TestNamespaceRow",
	},
	{
		name: "a namespace's name may be stored under another charset as another", file: "internal/namespace/namespace.go",
		from: "c > '~' ||",
		to:   "", in: "worker/sqlstore", tests: "^TestNamespaceNames",
	},
	{
		name: "national letters in the place of ASCII are not minded", file: "internal/namespace/namespace.go",
		from: "|| strings.IndexByte(\"@[\\\\]^`{|}~\", c) >= 0 {",
		to:   "{ _ = strings.IndexByte", in: inDatabases, tests: "^TestNamespaceUnderEveryCharset",
	},
	{
		name: "the table's columns are not looked at", file: "worker/sqlstore/table.go",
		from: "if err != nil || len(shape.Columns) == 0 {",
		to:   "if true {", in: inDatabases, tests: "^TestLeaseColumns",
	},
	{
		name: "a log that is not synced passes for durable", file: "internal/database/lossy.go",
		from: `known && v != "1" {`,
		to:   `known && v == "" {`, tests: "^TestLossySettings",
	},
	{
		name: "a binary log that is not synced passes for durable", file: "internal/database/lossy.go",
		from: `vars.On("log_bin") && v != "1" {`,
		to:   `vars.On("log_bin") && v == "" {`, tests: "^TestLossySettings",
	},
	{
		name: "Galera passes for durable", file: "internal/database/lossy.go",
		from: `if vars.On("wsrep_on") {`,
		to:   "if false {", tests: "^TestLossySettings",
	},
	{
		name: "asynchronous replicas are not minded", file: "internal/database/lossy.go",
		from: `if replicas != "" && replicas != "0" &&`,
		to:   `if replicas == "none" &&`, tests: "^TestLossySettings",
	},
	{
		name: "a number that does not fit is stored as another", file: "internal/database/strict.go",
		from: "if d != MySQL {",
		to:   "if true {", in: inDatabases, tests: "^TestLeaseColumns",
	},
	{
		name: "an update that changes no row is taken for done", file: sqlWriteGo,
		from: "case n == 0:\n\t\treturn errRaced",
		to:   "case n == 0:\n\t\treturn nil", in: inDatabases, tests: "^TestUpdateIsConfirmed",
	},
	{
		name: "the namespace's row is taken for an ID's", file: sqlLeasesGo,
		from: "found = found && id != controlID; !found",
		to:   "!found", in: inDatabases, tests: "^TestRow$",
	},
	{
		name: "a row that was used too far ahead is offered first", file: sqlFreeGo,
		from: "if row.High <= highest {",
		to:   "if true {", in: inDatabases, tests: "^TestTakeOffers",
	},
	{
		name: "a Take does not compare its namespace", file: sqlWriteGo,
		from: `" WHERE " + l.is("c.", *w.control.was, false) + " AND " + l.is("r.", *w.row.was, true) + " AND " + same, affects`,
		to:   `" WHERE " + l.key("c.", controlID) + " AND " + l.is("r.", *w.row.was, true) + " AND " + same, affects`, in: inDatabases, tests: "^TestStore/MySQL",
	},
	{
		name: "a Change does not compare its row", file: sqlWriteGo,
		from: `" WHERE " + l.is("", *w.row.was, true)`,
		to:   `" WHERE " + l.key("", w.row.is.WorkerID)`, in: inDatabases, tests: "^TestStore/MySQL",
	},
	{
		name: "a Take of a new ID does not compare its namespace", file: sqlWriteGo,
		from: "\t\tl.is(\"c.\", *w.control.was, false) + \" AND \" + same + \" FOR UPDATE ON",
		to:   "\t\tl.key(\"c.\", controlID) + \" AND \" + same + \" FOR UPDATE ON", in: inDatabases, tests: "^TestStore/MySQL",
	},
	{
		name: "a row is compared by its nonce only", file: sqlWriteGo,
		from: `if nonce || valueColumns[i] != "NONCE" {`,
		to:   `if nonce == (valueColumns[i] == "NONCE") {`, in: inDatabases, tests: "^TestRowsAreComparedWhole",
	},
	{
		name: "what was decided is written to another server", file: originGo,
		from: "mysqlServer + \" = \" + Int(o.server)\n\tcase",
		to:   "mysqlServer + \" = \" + mysqlServer\n\tcase", in: inDatabases, tests: "^TestStore/MySQL",
	},
	{
		name: "what was decided is written by another session", file: originGo,
		from: `mysqlConnection + " = " + Int(o.connection)`,
		to:   `mysqlConnection + " = " + mysqlConnection`, in: inDatabases, tests: "^TestSharedConnection",
	},
	{
		name: "a replica's rows are decided by", file: originGo,
		from: "case !o.readOnly:",
		to:   "case true:", in: inDatabases, tests: "^TestReadOnlyServer",
	},
	{
		name: "what was decided is written to a PostgreSQL server that was started since", file: originGo,
		from: "postgresServer + \" = \" + Int(o.server)\n\t}",
		to:   "postgresServer + \" = \" + postgresServer\n\t}", in: inEngines, tests: "^TestPostgresStartsAnew$",
	},
	{
		name: "what was decided is written to a standby that took over", file: originGo,
		from: `"CAST(EXTRACT(EPOCH FROM PG_POSTMASTER_START_TIME()) * 1000000 AS BIGINT)"`,
		to:   `"CAST(1 AS BIGINT)"`, in: inEngines, tests: "^TestPostgresFailsOver$",
	},
	{
		name: "a standby's rows are decided by", file: originGo,
		from: `"(PG_IS_IN_RECOVERY() OR CURRENT_SETTING('transaction_read_only') = 'on')"`,
		to:   `"FALSE"`, in: inEngines, tests: "^TestPostgresStandby$",
	},
	{
		name: "a session that may not write decides", file: originGo,
		from: `(PG_IS_IN_RECOVERY() OR CURRENT_SETTING('transaction_read_only') = 'on')`,
		to:   `PG_IS_IN_RECOVERY()`, in: inEngines, tests: "^TestPostgresStandby$",
	},
	{
		name: "what was decided is written to PostgreSQL after a failover, in the suite", file: originGo,
		from: "postgresServer + \" = \" + Int(o.server)",
		to:   "postgresServer + \" = \" + postgresServer", in: inEngines, tests: "^TestStoreOnPostgres$/^exec$",
	},
	{
		name: "an acquisition does not write the namespace's row", file: sqlLeasesGo,
		from: "\t\t\tis = touched(is)\n",
		to:   "", in: inDatabases, tests: "^TestNamespaceRow",
	},
	{
		name: "an Init does not see an acquisition", file: sqlWriteGo,
		from: "l.is(\"\", *w.control.was, true) + \" AND \" + same, exactly(1)\n\tcase w.control == nil",
		to:   "l.is(\"\", *w.control.was, false) + \" AND \" + same, exactly(1)\n\tcase w.control == nil", in: inDatabases, tests: "^TestInitSeesAcquisitions",
	},
	{
		name: "a write waits for a commit that never comes", file: originGo,
		from: "@@autocommit = 1 AND @@completion_type = 'NO_CHAIN' /*M! AND @@in_transaction = 0 */",
		to:   "1 = 1", in: inDatabases, tests: "^TestLeaseInATransaction",
	},
	{
		name: "a Take that has lost an ID wants the next one", file: sqlFreeGo,
		from: "min(len(rows), 1<<min(s.races, 12))",
		to:   "min(len(rows), 1)", in: inDatabases, tests: "^TestTakesOverASlowNetwork",
	},
	{
		name: "a node of a cluster reads what it has itself", file: "worker/sqlstore/read.go",
		from: "query := l.inStep() + ", to: "query := ", tests: "^TestRegistryWaits",
	},
	{
		name: "a registry does not ask whether a server is a node of a cluster", file: "worker/sqlstore/table.go",
		from: "t.learn(ctx, conn); err != nil", to: "error(nil); err != nil", tests: "^TestRegistryWaits",
	},
	{
		name: "a registry names the namespaces that its own node has", file: pruneGo,
		from: "d.inStep()+", to: "", tests: "^TestRegistryWaits",
	},
}
