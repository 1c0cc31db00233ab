package main

const (
	sqlTransactionGo = "worker/sqlstore/transaction.go"
	sqlLeasesGo      = "worker/sqlstore/leases.go"
	sqlNumbersGo     = "worker/sqlstore/numbers.go"
	placeGo          = "internal/database/place.go"
	inDatabases      = "internal/proof/databases"
)

// sqlTables are faults in what workers do with the tables of a SQL database, its sessions, its
// words and the place of its file.
var sqlTables = []mutant{
	{
		name: "nobody looks where a SQLite file is", file: sqlTransactionGo,
		from: "\tif l.dialect != database.SQLite {\n\t\treturn tx.run(",
		to:   "\tif true {\n\t\treturn tx.run(", in: inDatabases, tests: "SQLiteFileIsLost",
	},
	{
		name: "a lease is written before its file's names are looked at", file: sqlTransactionGo,
		from: "\tif err := l.place.Look(ctx, conn); err != nil {\n\t\treturn err\n\t}\n\tif err := tx.run(",
		to:   "\tif err := tx.run(", in: inDatabases, tests: "SQLiteFileHasTwoNames",
	},
	{
		name: "a link made during a lease's transaction is not seen", file: sqlTransactionGo,
		from: "\treturn l.place.Look(ctx, conn)\n}",
		to:   "\treturn nil\n}", in: inDatabases, tests: "SQLiteFileIsLinkedMeanwhile",
	},
	{
		name: "a lease is not read back by its file's path", file: sqlTransactionGo,
		from: `row.Nonce != "" {`,
		to:   "row.Nonce != row.Nonce {", in: inDatabases, tests: "SQLiteConnectionIsStale|SQLiteLogIsLost",
	},
	{
		name: "an inserted lease is not read back", file: sqlTransactionGo,
		from: "database.Failed(\"insert a row\", err)\n\t}\n\ttx.written = r\n",
		to:   "database.Failed(\"insert a row\", err)\n\t}\n", in: inDatabases, tests: "SQLiteConnectionIsStale",
	},
	{
		name: "a renewed lease is not read back", file: sqlTransactionGo,
		from: "n, r.WorkerID)\n\t}\n\ttx.written = r\n",
		to:   "n, r.WorkerID)\n\t}\n", in: inDatabases, tests: "SQLiteLogIsLost",
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
		from: `"COMMIT AND NO CHAIN NO RELEASE"`,
		to:   `"COMMIT"`, in: inDatabases, tests: "^TestCompletionType",
	},
	{
		name: "an ID INT is called an error", file: "internal/database/columns.go",
		from: `kind == "bigint" || kind == "int"`,
		to:   `kind == "bigint"`, tests: "^TestJudgeTable",
	},
	{
		name: "lease: gaps are not used", file: "worker/sqlstore/free.go",
		from: "\tif err != nil || largest < ids.Last {\n\t\treturn largest + 1, found, err\n\t}",
		to:   "\tif true {\n\t\treturn largest + 1, found && largest < ids.Last, err\n\t}", in: inDatabases, tests: "TakeOffers",
	},
	{
		name: "lease: a transaction that stands still keeps its locks", file: "internal/database/session.go",
		from: "if dialect != MySQL {",
		to:   "if true {", in: inDatabases, tests: "LeaseStall",
	},
	{
		name: "lease: a commit has no end", file: "internal/database/transaction.go",
		from: "if dialect == SQLite {",
		to:   "if true {", in: inDatabases, tests: "LeaseCommitHangs",
	},
	{
		name: "lease: a connection keeps what a transaction has set", file: "internal/database/session.go",
		from: `"SET SESSION wait_timeout = @uid_wait_timeout, SESSION sql_mode = @uid_sql_mode"`,
		to:   `"DO 1"`, in: inDatabases, tests: "LeaseSession",
	},
	{
		name: "a lease's row is read by the names of its columns", file: sqlTransactionGo,
		from: "\terr = tx.QueryRowContext(ctx, \"SELECT \"+leaseColumns+\" FROM `\"+tx.leases+\"` WHERE NAMESPACE = ? AND WORKER_ID = ?\"+lock, tx.namespace, id).\n\t\tScan(row.fields()...)\n",
		to:   "\tvar by struct {\n\t\tID int64 `db:\"WORKER_ID\"`; Nonce string `db:\"NONCE\"`; High int64 `db:\"HIGH\"`; Until database.Micros `db:\"LEASE_UNTIL\"`; Layout string `db:\"LAYOUT\"`\n\t\tHolder string `db:\"HOLDER\"`; Acquired database.Micros `db:\"ACQUIRED\"`; Renewed database.Micros `db:\"RENEWED\"`; Reach int64 `db:\"REACH\"`\n\t}\n\terr = tx.GetContext(ctx, &by, \"SELECT \"+leaseColumns+\" FROM `\"+tx.leases+\"` WHERE NAMESPACE = ? AND WORKER_ID = ?\"+lock, tx.namespace, id)\n\trow = leaseRow{by.ID, by.Nonce, by.High, by.Until, by.Layout, by.Holder, by.Acquired, by.Renewed, by.Reach}\n", in: inDatabases, tests: "^TestForeignNames",
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
		name: "a table that is missing is created while its owner runs", file: sqlTransactionGo,
		from: "\treturn noNamespace(l.inPlace(ctx, conn, &transaction{Leases: l}, do))",
		to:   "\terr = l.inPlace(ctx, conn, &transaction{Leases: l}, do)\n\tif database.KindOf(err) == database.MissingTable && create(ctx, conn, l.dialect, database.LeaseTable, l.leases) == nil {\n\t\terr = l.inPlace(ctx, conn, &transaction{Leases: l}, do)\n\t}\n\treturn noNamespace(err)", in: inDatabases, tests: "^TestNamespaceRenamedAway|^TestNamespaceIsMade",
	},
	{
		name: "a namespace that is made anew forgets the reach of the owners that are left", file: sqlLeasesGo,
		from: "} else if was.Reach, err = tx.widestReach(ctx); err != nil {",
		to:   "} else if _, err = tx.widestReach(ctx); err != nil {", in: inDatabases, tests: "^TestNamespaceRow",
	},
	{
		name: "a namespace in use is told as one without IDs", file: sqlLeasesGo,
		from: "if was.Used, err = tx.anyID(ctx); err != nil {",
		to:   "if _, err = tx.anyID(ctx); err != nil {", in: inDatabases, tests: "^TestNamespaceRow",
	},
	{
		name: "a namespace's name may be stored under another charset as another", file: "worker/sqlstore/namespace.go",
		from: "c > '~' ||",
		to:   "", tests: "^TestNamespaceNames",
	},
	{
		name: "national letters in the place of ASCII are not minded", file: "worker/sqlstore/namespace.go",
		from: "|| strings.IndexByte(\"@[\\\\]^`{|}~\", c) >= 0 {",
		to:   "{ _ = strings.IndexByte", in: inDatabases, tests: "^TestNamespaceUnderEveryCharset",
	},
	{
		name: "the table's columns are not looked at", file: sqlLeasesGo,
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
		name: "a number that does not fit is stored as another", file: "internal/database/session.go",
		from: `SESSION sql_mode = 'STRICT_ALL_TABLES'"`,
		to:   `SESSION sql_mode = @@SESSION.sql_mode"`, in: inDatabases, tests: "^TestLeaseColumns",
	},
	{
		name: "an update that changes no row is taken for done", file: sqlTransactionGo,
		from: "if n != 1 && !(n == 0 && r == was) {",
		to:   "if n > 1 {", in: inDatabases, tests: "^TestUpdateIsConfirmed",
	},
	{
		name: "the namespace's row is taken for an ID's", file: sqlLeasesGo,
		from: "found = found && id != controlID; !found",
		to:   "!found", in: inDatabases, tests: "^TestRow$",
	},
	{
		name: "a row that was used too far ahead is offered first", file: "worker/sqlstore/free.go",
		from: "before, w.Highest(now.Time()))",
		to:   "before, math.MaxInt64)", in: inDatabases, tests: "^TestTakeOffers",
	},
	{
		name: "a Take does not lock its namespace", file: sqlLeasesGo,
		from: "control, found, err := tx.lock(ctx, controlID)\n\t\tif err != nil",
		to:   "control, found, err := tx.read(ctx, controlID, \"\")\n\t\tif err != nil", in: inDatabases, tests: "^TestStore/MySQL|^TestTakeAtOnce",
	},
	{
		name: "a Change does not lock its row", file: sqlLeasesGo,
		from: "was, found, err := tx.lock(ctx, id)",
		to:   `was, found, err := tx.read(ctx, id, "")`, in: inDatabases, tests: "^TestStore/MySQL",
	},
}
