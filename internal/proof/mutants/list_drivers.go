package main

// drivers are faults in what lies between workers and a database's driver.
var drivers = []mutant{
	{
		name: "a lease's row is read by the names of its columns", file: leaseTableGo,
		from: "	err = tx.QueryRowContext(ctx, \"SELECT \"+leaseColumns+\" FROM `\"+t.name+\"` WHERE NAMESPACE = ? AND WORKER_ID = ?\"+lock, t.namespace, id).\n" +
			"		Scan(row.fields()...)\n",
		to: "	var by struct {\n" +
			"		ID int64 `db:\"WORKER_ID\"`; Nonce string `db:\"NONCE\"`; High int64 `db:\"HIGH\"`; Until micros `db:\"LEASE_UNTIL\"`; Layout string `db:\"LAYOUT\"`\n" +
			"		Holder string `db:\"HOLDER\"`; Acquired micros `db:\"ACQUIRED\"`; Renewed micros `db:\"RENEWED\"`; Reach int64 `db:\"REACH\"`\n" +
			"	}\n" +
			"	err = tx.GetContext(ctx, &by, \"SELECT \"+leaseColumns+\" FROM `\"+t.name+\"` WHERE NAMESPACE = ? AND WORKER_ID = ?\"+lock, t.namespace, id)\n" +
			"	row = leaseRow{by.ID, by.Nonce, by.High, by.Until, by.Layout, by.Holder, by.Acquired, by.Renewed, by.Reach}\n",
		tests: "^TestForeignNames",
	},
	{
		name: "a server's words on a column are passed on", file: "worker/failure.go",
		from: "m.words = ofColumn(words, e.Message)",
		to:   "m.words = words + e.Message", tests: "^(TestNoWordsOfServers|TestColumnErrors)$",
	},
	{
		name: "SQLite's words on a column are passed on", file: "worker/failure.go",
		from: "m.words = ofColumn(noSuchColumn, text)",
		to:   "m.words = noSuchColumn + text", tests: "^TestNoWordsOfServers",
	},
	{
		name: "any name that a server puts in quotes is passed on", file: "worker/failure_column.go",
		from: `strings.Join(names, "|")`,
		to:   `strings.Join(names, "|") + "|[a-z0-9]+"`, tests: "^TestNoWordsOfServers",
	},
}
