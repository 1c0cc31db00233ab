package main

const (
	sqlitePlaceGo = "worker/sqlite_place.go"
	sqliteMountGo = "worker/sqlite_place_linux.go"
	disposableGo  = "worker/disposable.go"
)

var sqlitePlace = []mutant{
	{
		name: "nobody looks where a SQLite file is", file: sqlitePlaceGo,
		from: "	if t.dialect != SQLite {\n		return transact(", to: "	if true {\n		return transact(", tests: "SQLiteFileIsLost",
	},
	{
		name: "a lease is written before its file's names are looked at", file: sqlitePlaceGo,
		from: "	if err := t.place.look(ctx, conn); err != nil {\n		return err\n	}\n	t.written", to: "	t.written", tests: "SQLiteFileHasTwoNames",
	},
	{
		name: "a link made during a lease's transaction is not seen", file: sqlitePlaceGo,
		from: "	return t.place.look(ctx, conn)\n}", to: "	return nil\n}", tests: "SQLiteFileIsLinkedMeanwhile",
	},
	{
		name: "a lease is not read back by its file's path", file: sqlitePlaceGo,
		from: "if row := t.written; row.Nonce != \"\" {", to: "if row := t.written; row.Nonce != row.Nonce {", tests: "SQLiteConnectionIsStale|SQLiteLogIsLost",
	},
	{
		name: "an inserted lease is not read back", file: leaseTableGo,
		from: "		return failed(\"insert a row\", err)\n	}\n	t.written = r\n", to: "		return failed(\"insert a row\", err)\n	}\n", tests: "SQLiteConnectionIsStale",
	},
	{
		name: "a renewed lease is not read back", file: leaseTableGo,
		from: "n, r.WorkerID)\n	}\n	t.written = r\n", to: "n, r.WorkerID)\n	}\n", tests: "SQLiteLogIsLost",
	},
	{
		name: "any row will do for the one that was written", file: sqlitePlaceGo,
		from: "case err == nil && found == want:", to: "case err == nil:", tests: "SQLiteRowIsAnothers",
	},
	{
		name: "a connection to a file that was moved stays in the pool", file: sqlitePlaceGo,
		from: "	discard(conn)\n	return err\n", to: "	return err\n", tests: "SQLiteConnectionIsStale",
	},
	{
		name: "a connection that SQLite says is to a moved file stays in the pool", file: "worker/transaction.go",
		from: "errors.AsType[*placeError](err); moved", to: "errors.AsType[*placeError](err); moved && false", tests: "SQLiteConnectionIsStale",
	},
	{
		name: "SQLite's word that a file was moved is an error like others", file: "worker/failure.go",
		from: "if code == sqliteMoved {", to: "if code == sqliteMoved && false {", tests: "SQLiteConnectionIsStale",
	},
	{
		name: "another file in the place is taken for the first", file: sqlitePlaceGo,
		from: "!os.SameFile(file, p.file)", to: "false", tests: "SQLiteFileIsACopy",
	},
	{
		name: "links are not counted", file: sqlitePlaceGo,
		from: "known && links != 1", to: "known && links < 1", tests: "SQLiteFileHasTwoNames",
	},
	{
		name: "mounts are not looked at", file: sqlitePlaceGo,
		from: "if isMountPoint(path) {", to: "if false {", tests: "SQLiteFileIsMounted",
	},
	{
		name: "the list of mounts is read without its escapes", file: sqliteMountGo,
		from: "mountEscapes.Replace(fields[4])", to: "fields[4]", tests: "ListsMount",
	},
	{
		name: "the list of mounts is searched for what is mounted", file: sqliteMountGo,
		from: "mountEscapes.Replace(fields[4])", to: "mountEscapes.Replace(fields[3])", tests: "ListsMount|IsMountPoint",
	},
	{
		name: "a database in memory leases IDs", file: sqlitePlaceGo,
		from: "if path == \"\" {", to: "if false {", tests: "SQLiteWithoutAPlace",
	},
	{
		name: "a file that nobody else can read leases IDs", file: sqlitePlaceGo,
		from: "if locking != \"normal\" {", to: "if false {", tests: "SQLiteWithoutAPlace",
	},
	{
		name: "a path is no URI", file: sqlitePlaceGo,
		from: "(&url.URL{Scheme: \"file\", Path: path, RawQuery: \"mode=rw&cache=private\"}).String()",
		to:   "func() string { _ = url.URL{}; return \"file://\" + path + \"?mode=rw&cache=private\" }()", tests: "SQLiteFileNames",
	},
	{
		name: "a disposable ID is written before its file's names are looked at", file: disposableGo,
		from: "	if err := d.look(ctx, conn, &place); err != nil {\n		return 0, err\n	}\n", to: "", tests: "SQLiteFileHasTwoNames",
	},
	{
		name: "a link made during a disposable ID's transaction is not seen", file: disposableGo,
		from: "return id, d.look(ctx, conn, &place)", to: "return id, nil", tests: "SQLiteFileIsLinkedMeanwhile",
	},
	{
		name: "a disposable ID is not read back by its file's path", file: disposableGo,
		from: "	if d.dialect == SQLite {\n		if err := d.confirm(", to: "	if false {\n		if err := d.confirm(", tests: "SQLiteConnectionIsStale",
	},
	{
		name: "SQLite's time is ahead of the machine's", file: "worker/dialect.go",
		from: "* 86400000.0) AS INTEGER)", to: "* 86400000.0 + 0.5) AS INTEGER)", tests: "SQLiteClock",
	},
}
