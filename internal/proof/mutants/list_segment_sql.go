package main

const (
	sqlSegmentsGo      = "worker/sqlstore/segments.go"
	sqlSegmentsReadGo  = "worker/sqlstore/segments_read.go"
	sqlSegmentsWriteGo = "worker/sqlstore/segments_write.go"
)

// sqlSegments are faults in what package sqlstore does with Leaf's table and the one beside it.
var sqlSegments = []mutant{
	{
		name: "segments: Leaf's table read alone is believed, though the other was made meanwhile", file: sqlSegmentsReadGo,
		from: "isMissing(err) {\n\t\treturn alone, nil",
		to:   "true {\n\t\treturn alone, nil", tests: "^TestTakersTableIsMadeMeanwhile$",
	},
	{
		name: "segments: a tag of any kind is looked for", file: sqlSegmentsGo,
		from: "if err := segment.CheckTag(tag); err != nil {",
		to:   "if err := segment.CheckTag(tag); err != nil && false {", tests: "^TestRowsThatCannotBeStored$",
	},
	{
		name: "segments: what is no row is decided by", file: sqlSegmentsGo,
		from: "if err := w.row.Check(); err != nil {",
		to:   "if err := w.row.Check(); err != nil && false {", tests: "^TestRowsThatAreNone$",
	},
	{
		name: "segments: what is no row is written", file: sqlSegmentsWriteGo,
		from: "if err := row.Check(); err != nil {",
		to:   "if err := row.Check(); err != nil && false {", tests: "^TestRowsThatCannotBeStored$",
	},
	{
		name: "segments: what is no row is listed", file: sqlSegmentsReadGo,
		from: "if err := row.Check(); err != nil {",
		to:   "if err := row.Check(); err != nil && false {", in: inDatabases, tests: "^TestSegmentsByHand$",
	},
	{
		name: "segments: what is no number is taken for 0", file: sqlSegmentsReadGo,
		from: "\tif err != nil {\n\t\tis := \"NULL\"",
		to:   "\tif err != nil && false {\n\t\tis := \"NULL\"", tests: "^TestRowsThatAreNone$",
	},
	{
		name: "segments: any takers will do", file: sqlSegmentsReadGo,
		from: "err = segmentjson.UnmarshalTakers(t.text, &t.row); err != nil {",
		to:   "err = segmentjson.UnmarshalTakers(t.text, &t.row); false {", tests: "^TestRowsThatAreNone$",
	},
	{
		name: "segments: the last of several rows of a tag will do", file: sqlSegmentsReadGo,
		from: "if n > 0 {",
		to:   "if n > 9 {", tests: "^TestRowsThatAreNone$",
	},
	{
		name: "segments: a description that is no text is sent", file: sqlSegmentsWriteGo,
		from: "!utf8.ValidString(row.Description) || ",
		to:   "!utf8.ValidString(\"\") || ", tests: "^TestRowsThatCannotBeStored$",
	},
	{
		name: "segments: a zero byte is sent", file: sqlSegmentsWriteGo,
		from: "strings.ContainsRune(row.Description, 0)",
		to:   "strings.ContainsRune(\"\", 0)", tests: "^TestRowsThatCannotBeStored$",
	},
	{
		name: "segments: a decision gives the row to another tag", file: sqlSegmentsGo,
		from: "w.row.Tag, w.row.Fresh = tag, false",
		to:   "w.row.Fresh = false", tests: "^TestDecisionsKeepToTheRow$",
	},
	{
		name: "segments: a replica's rows are decided by", file: sqlSegmentsReadGo,
		from: "err = seen.Writes(s.dialect)",
		to:   "err = nil", in: inDatabases, tests: "^TestSegmentsOnAReadOnlyServer$",
	},
	{
		name: "segments: a standby's rows are decided by", file: sqlSegmentsReadGo,
		from: "err = seen.Writes(s.dialect)",
		to:   "err = nil", in: inEngines, tests: "^TestSegmentsOnAPostgresThatFailsOver$",
	},
	{
		name: "segments: what is read is as old as the program's transaction", file: sqlSegmentsReadGo,
		from: "if err == nil && !seen.Plain() {",
		to:   "if false {", tests: "^TestSegmentsInATransaction$",
	},
	{
		name: "segments: what is written stays in the program's transaction", file: sqlStatementGo,
		from: "\tcase err == nil:\n\t\terr = t.commit(ctx, conn)",
		to:   "\tcase err == nil:", in: inDatabases, tests: "^TestSegmentsInAnySession$",
	},
	{
		name: "segments: a look leaves the program's transaction open", file: sqlSegmentsGo,
		from: "if !w.seen.Plain() {",
		to:   "if false {", tests: "^TestSegmentsInATransaction$",
	},
	{
		name: "segments: max_id is not compared", file: sqlSegmentsWriteGo,
		from: `of + "max_id = " + database.Int(was.next)`,
		to:   `"0 < " + database.Int(was.next)`, in: inDatabases, tests: "^TestSegmentsAreComparedWhole$",
	},
	{
		name: "segments: max_id is not compared, in the suite", file: sqlSegmentsWriteGo,
		from: `of + "max_id = " + database.Int(was.next)`,
		to:   `"0 <= " + database.Int(was.next)`, in: inDatabases, tests: "^TestSegments$/MySQL/foreign",
	},
	{
		name: "segments: max_id is not compared, beside Leaf", file: sqlSegmentsWriteGo,
		from: `of + "max_id = " + database.Int(was.next)`,
		to:   `"0 < " + database.Int(was.next)`, in: inDatabases, tests: "^TestSegmentsBesideLeaf$/MySQL",
	},
	{
		name: "segments: step is not compared", file: sqlSegmentsWriteGo,
		from: `of + "step = " + database.Int(was.step)` + "\n",
		to:   `"0 < " + database.Int(was.step)` + "\n", in: inDatabases, tests: "^TestSegmentsAreComparedWhole$",
	},
	{
		name: "segments: the description is not compared", file: sqlSegmentsWriteGo,
		from: `d.Bytes(of+"description") + " = " + d.Text(was.description.String)`,
		to:   `of + "description IS NOT NULL"`, in: inDatabases, tests: "^TestSegmentsAreComparedWhole$",
	},
	{
		name: "segments: the description is compared as its column's collation has it", file: sqlSegmentsWriteGo,
		from: `d.Bytes(of+"description") + " = "`,
		to:   `of + "description = "`, in: inDatabases, tests: "^TestSegmentsAreComparedWhole$",
	},
	{
		name: "segments: a description that was NULL may be any", file: sqlSegmentsWriteGo,
		from: `return is + " AND " + of + "description IS NULL"`,
		to:   "return is", in: inDatabases, tests: "^TestSegmentsAreComparedWhole$",
	},
	{
		name: "segments: a tag that was renamed is not noticed", file: sqlSegmentsWriteGo,
		from: `d.Bytes(of+"biz_tag") + " = " + d.Text(was.tag)`,
		to:   `of + "biz_tag = " + d.Text(was.tag)`, in: inDatabases, tests: "^TestSegmentsAreComparedWhole$",
	},
	{
		name: "segments: takers are not compared", file: sqlSegmentsWriteGo,
		from: ` + " AND " + of + "takers = " + s.dialect.Text(w.seen.takers.text)`,
		to:   "", in: inDatabases, tests: "^TestSegmentsAreComparedWhole$",
	},
	{
		name: "segments: a row that has its values again is taken for the same", file: sqlSegmentsWriteGo,
		from: "w.nonce = rand.Text()",
		to:   "w.nonce = rand.Text()[:0]", in: inDatabases, tests: "^TestSegmentsAreNotWhatTheyWere$",
	},
	{
		name: "segments: the nonce is not compared", file: sqlSegmentsWriteGo,
		from: `" AND " + of + "nonce = " + s.dialect.Text(w.seen.takers.nonce)`,
		to:   `""`, in: inDatabases, tests: "^TestSegmentsAreNotWhatTheyWere$",
	},
	{
		name: "segments: two spellings of a tag have takers of their own", file: sqlSegmentsWriteGo,
		from: "return of + \"biz_tag = \" + s.dialect.Text(w.seen.stored())",
		to:   "return of + \"biz_tag = \" + s.dialect.Text(w.seen.tag)", in: inDatabases, tests: "^TestSegmentsOfLeafsTable$",
	},
	{
		name: "segments: a tag's takers are looked for under another spelling", file: sqlSegmentsReadGo,
		from: `d.Plain("COALESCE(a.biz_tag, "+d.Text(tag)+")")`,
		to:   "d.Text(tag)", in: inDatabases, tests: "^TestSegmentsOfLeafsTable$",
	},
	{
		name: "segments: a description that was NULL becomes empty", file: sqlSegmentsWriteGo,
		from: "if w.row.Description != w.seen.leaf.description.String {",
		to:   "if true {", in: inDatabases, tests: "^TestSegmentsOfLeafsTable$",
	},
	{
		name: "segments: what was decided is written by another session", file: sqlSegmentsWriteGo,
		from: `" AND " + s.takersIs("t.", w) + " AND " + s.dialect.Same(w.seen.Origin)`,
		to:   `" AND " + s.takersIs("t.", w)`, in: inDatabases, tests: "^TestSegmentsOverASharedConnection$",
	},
	{
		name: "segments: a new row is made by another session", file: sqlSegmentsWriteGo,
		from: "same := s.dialect.Same(w.seen.Origin)",
		to:   `same := "1 = 1"`, in: inDatabases, tests: "^TestSegmentsOverASharedConnection$",
	},
	{
		name: "segments: what was decided is written to a PostgreSQL server that was started since", file: sqlSegmentsWriteGo,
		from: `strings.Join(append(is, s.dialect.Same(w.seen.Origin)), " AND ")`,
		to:   `strings.Join(append(is, "TRUE"), " AND ")`, in: inEngines, tests: "^TestSegmentsOnAPostgresThatStartsAnew$",
	},
	{
		name: "segments: PostgreSQL compares rows that it does not lock", file: sqlSegmentsWriteGo,
		from: `" FOR UPDATE"`,
		to:   `""`, in: inEngines, tests: "^TestSegmentsAreComparedWholeOnPostgres$",
	},
	{
		name: "segments: PostgreSQL writes takers of rows that have changed", file: sqlSegmentsWriteGo,
		from: ` + " AND EXISTS (SELECT 1 FROM held)"`,
		to:   "", in: inEngines, tests: "^TestSegmentsAreComparedWholeOnPostgres$",
	},
	{
		name: "segments: PostgreSQL writes one row of two", file: sqlSegmentsWriteGo,
		from: ` + " AND EXISTS (SELECT 1 FROM noted)"`,
		to:   "", in: inEngines, tests: "^TestSegmentsAreComparedWholeOnPostgres$",
	},
	{
		name: "segments: PostgreSQL makes one row of two", file: sqlSegmentsWriteGo,
		from: `s.leafValues(w) + " FROM noted"`,
		to:   `s.leafValues(w)`, in: inEngines, tests: "^TestSegmentsAreComparedWholeOnPostgres$",
	},
	{
		name: "segments: a write that changes no row is taken for done", file: sqlSegmentsWriteGo,
		from: "case n == 0:\n\t\treturn errRaced",
		to:   "case n == 0:\n\t\treturn nil", tests: "^TestSegmentsUnconfirmed$",
	},
	{
		name: "segments: a write that changes too much is taken for done", file: sqlSegmentsWriteGo,
		from: "case n < affects.least || n > affects.most:",
		to:   "case false:", tests: "^TestSegmentsUnconfirmed$",
	},
	{
		name: "segments: a write within a second of the one before is an error", file: sqlSegmentsWriteGo,
		from: "count{1, 2}",
		to:   "exactly(2)", tests: "^TestSegmentsUnconfirmed$",
	},
	{
		name: "segments: a write that nobody but a trigger refuses is sent for ever", file: sqlSegmentsGo,
		from: "refused != nil && w.seen.same(*refused)",
		to:   "refused != nil && false", tests: "^TestSegmentsUnconfirmed$", hangs: true,
	},
	{
		name: "segments: a trigger's refusal in a file may pass", file: sqlSegmentsGo,
		from: "if errors.Is(err, errRaced) { // in",
		to:   "if false { // in", in: inDatabases, tests: "^TestSegmentTriggers$",
	},
	{
		name: "segments: takers that others have written are not noticed", file: sqlSegmentsReadGo,
		from: "s.takers.nonce == o.takers.nonce && s.takers.text == o.takers.text",
		to:   "true", tests: "^TestSegmentsUnconfirmed$",
	},
	{
		name: "segments: a row that Leaf has written is not noticed", file: sqlSegmentsReadGo,
		from: "*s.leaf != *o.leaf",
		to:   "false", tests: "^TestSegmentsUnconfirmed$",
	},
	{
		name: "segments: a failover is a fault of the proxy", file: sqlSegmentsGo,
		from: "!w.seen.SameAs(refused.Origin)",
		to:   "false", tests: "^TestSegmentsUnconfirmed$",
	},
	{
		name: "segments: a conflict is an error", file: sqlSegmentsGo,
		from: "case errors.Is(err, errConflict):",
		to:   "case false:", tests: "^TestSegmentConflicts$",
	},
	{
		name: "segments: a commit that a node refuses is an error", file: sqlSegmentsWriteGo,
		from: "if database.IsRaced(err) {",
		to:   "if false {", tests: "^TestSegmentConflicts$",
	},
	{
		name: "segments: races outlive their context", file: sqlSegmentsGo,
		from: "err != nil && races > 0 {",
		to:   "err != nil && races < 0 {", tests: "^TestSegmentRacesEndWithTheContext$",
	},
	{
		name: "segments: the end of a context is final", file: sqlSegmentsGo,
		from: `worker.Transient(fmt.Errorf("write a row: others have written it before, %d times in a row: %w", races, err))`,
		to:   `fmt.Errorf("%w: write a row: others have written it before, %d times in a row: %w", worker.ErrUnconfirmed, races, err)`, tests: "^TestSegmentRacesEndWithTheContext$",
	},
	{
		name: "segments: Leaf's table is not seen without the other one", file: sqlSegmentsReadGo,
		from: "	alone, err := read(tablesThere{leaf: true})",
		to:   "	alone, err := read(tablesThere{})", in: inDatabases, tests: "^TestSegmentTables$",
	},
	{
		name: "segments: rows are not listed without the other table", file: sqlSegmentsReadGo,
		from: "	if !there.leaf {\n		return nil, nil",
		to:   "	if !there.takers {\n		return nil, nil", in: inDatabases, tests: "^TestSegmentTables$",
	},
	{
		name: "segments: tables that are missing are not made", file: sqlSegmentsGo,
		from: "if made || !errors.Is(err, errNoTables) {",
		to:   "if made || true {", in: inDatabases, tests: "^TestSegmentTables$",
	},
	{
		name: "segments: tables that vanish are made for ever", file: sqlSegmentsGo,
		from: "if made || !errors.Is(err, errNoTables) {",
		to:   "if made && false || !errors.Is(err, errNoTables) {", tests: "^TestSegmentTablesAreMade$", hangs: true,
	},
	{
		name: "segments: what was written to a file is not read back", file: sqlSegmentsGo,
		from: "return &trace{wrote: w.nonce,",
		to:   "if err == nil {\n\t\t\t\treturn nil, nil\n\t\t\t}\n\t\t\treturn &trace{wrote: w.nonce,", in: inDatabases, tests: "^TestSegmentsOfAStaleConnection$",
	},
	{
		name: "segments: a number that does not fit is stored as another", file: sqlSegmentsWriteGo,
		from: `s.dialect.Strict("UPDATE")`,
		to:   `"UPDATE"`, in: inDatabases, tests: "^TestSegmentColumns$",
	},
	{
		name: "segments: who makes a row and stands still keeps its lock", file: sqlSegmentsWriteGo,
		from: "restore, err := database.Prepare(ctx, conn, s.dialect)",
		to:   "restore, err := func() {}, error(nil)", in: inDatabases, tests: "^TestSegmentStall$",
	},
	{
		name: "segments: a connection keeps what the making of a row has set", file: sqlSegmentsWriteGo,
		from: "defer restore()",
		to:   "_ = restore", in: inDatabases, tests: "^TestSegmentsInAnySession$",
	},
	{
		name: "segments: descriptions are read as the session has them", file: sqlSegmentsReadGo,
		from: `d.Bytes("a.description")`,
		to:   `"a.description"`, in: inDatabases, tests: "^TestSegmentsUnderEveryCharset$",
	},
	{
		name: "segments: tags are read as the session has them", file: sqlSegmentsReadGo,
		from: `d.Bytes("a.biz_tag") + ", a.max_id`,
		to:   `"a.biz_tag, a.max_id`, in: inDatabases, tests: "^TestSegmentRowsInOrderOfBytes$",
	},
	{
		name: "segments: takers are read as the session has them", file: sqlSegmentsReadGo,
		from: `d.Bytes("t.takers")`,
		to:   `"t.takers"`, in: inDatabases, tests: "^TestSegmentsUnderEveryCharset$",
	},
	{
		name: "segments: pages are in the order of a collation", file: sqlSegmentsReadGo,
		from: `" ORDER BY " + d.Bytes("a.biz_tag")`,
		to:   `" ORDER BY a.biz_tag"`, in: inDatabases, tests: "^TestSegmentRowsInOrderOfBytes$",
	},
	{
		name: "segments: pages begin by a collation", file: sqlSegmentsReadGo,
		from: `" WHERE " + d.Bytes("a.biz_tag")`,
		to:   `" WHERE a.biz_tag"`, in: inDatabases, tests: "^TestSegmentRowsInOrderOfBytes$",
	},
	{
		name: "segments: the columns of takers are not looked at", file: sqlSegmentsGo,
		from: ", wanted{s.takers, database.TakerColumns})",
		to:   ")", in: inDatabases, tests: "^TestSegmentColumns$",
	},
	{
		name: "segments: any integer will do for max_id", file: "internal/database/columns.go",
		from: "\tcase count:\n\t\treturn kind == \"bigint\"\n",
		to:   "\tcase count:\n\t\treturn true\n", in: inDatabases, tests: "^TestSegmentColumns$",
	},
	{
		name: "segments: two rows may have one tag", file: "internal/database/columns.go",
		from: " || w.name == segmentKey) && !col.Key",
		to:   ") && !col.Key", in: inDatabases, tests: "^TestSegmentColumns$",
	},
	{
		name: "segments: the name of the other table may be too long", file: "worker/sqlstore/db.go",
		from: `database.TableName(d.segments+database.TakersSuffix, "")`,
		to:   `database.TableName(d.segments, "")`, tests: "^TestSegmentTableIsNamed$",
	},
	{
		name: "segments: PostgreSQL cuts the name of the other table", file: "worker/sqlstore/db.go",
		from: "[]string{d.nodes, d.leases, d.takers}",
		to:   "[]string{d.nodes, d.leases, d.segments}", tests: "^TestSegmentTableIsNamed$",
	},
}
