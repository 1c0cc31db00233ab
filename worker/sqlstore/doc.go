// Package sqlstore keeps worker IDs, and the segments of package segment, in the tables of a SQL
// database: MySQL, MariaDB, Galera, PostgreSQL or SQLite. (Package worker/sqlite opens a SQLite file.)
//
//	uids, err := cached.New(sqlstore.Lease(db, "orders"), cached.Config{})
//	numbers, err := sqlstore.Segment(db, "invoice", segment.Config{})
//
// [New] is for all that has settings:
//
//	tables, err := sqlstore.New(db, sqlstore.Config{})
//	store, err := tables.Leases("orders") // for lease.New
//	numbers := tables.Numbers()           // for disposable.New
//	segments := tables.Segments()         // for segment.New
//
// The database is the caller's own [sql.DB] or [sqlx.DB]. This package neither opens nor closes
// one, and holds no connection between two calls.
//
// # The tables
//
// WORKER_NODE has a row for each start of a process; the row's generated key is a disposable ID.
// It is the table of Baidu's UidGenerator, so that services in Java and in Go can share one.
// WORKER_LEASE has a row for each worker ID that can be leased in a namespace or could once, and one with
// WORKER_ID -1 for the namespace itself; no statement removes one. leaf_alloc has a row for each tag,
// whose max_id is the next number. It is the table of Leaf, as it is, so that services in Java and in Go
// can share this one, too; leaf_alloc_takers beside it, of which Leaf knows nothing, says who took numbers last. The
// statements that create them are in the folder internal/database/schema. On PostgreSQL the names are in lower case, so that they need no quotes,
// and the table is the one that the search path finds.
//
// # How a lease is written
//
// A renewal is two statements, and so is an acquisition; each is one round trip and commits by
// itself. The first reads the rows, the database's clock and who answers; the second writes, if
// each column of the rows is still as it was read. If somebody else has written them it starts
// again, and an acquisition then chooses at random among more and more IDs. So no lock is held
// while a statement travels, and whoever stands still stops nobody. (SQLite locks its file during
// both.) Comparing all columns, not a version, lets it see what people change by hand. Two rows that
// PostgreSQL or SQLite has to write together are written in a short transaction; on PostgreSQL the
// server ends it when this process stands still for two seconds.
//
// Rows of new IDs are made in batches of up to a hundred, of some 700 bytes each, in one statement with the
// namespace's row, whose HOLDER says up to which ID rows were made. Whoever loses that race reads again, and finds
// the rows that the winner has made.
//
// The second statement compares the store's history, too, and on MySQL the connection's number. So what
// was decided before a failover is not written after it. A server that is read-only decides nothing. On
// MySQL each acquisition writes the namespace's row together with the ID's in one statement, all or
// nothing: nodes of a Galera cluster refuse one of two writes of the same row, not what was
// decided by a row that was only read. They are asked to read what all have committed
// (wsrep_sync_wait).
//
// A proxy must not spread the two statements over servers or, with MySQL, connections: they are
// then refused. A session of MySQL keeps when its server was started in user variables, @uid_started and
// @uid_since: that is dear to ask for, and costs a new session two round trips. PgBouncer may pool
// transactions. The statements have no arguments, so that no driver prepares them. pgx, which prepares
// queries even so, is told not to, in whichever mode it runs, unless another driver is wrapped around
// it: then default_query_exec_mode=exec in the URL (or in a pgx.ConnConfig) does that. Inspect asks three
// times, or six in pgx's other modes.
//
// # The history of a store
//
// A namespace's row keeps in HISTORY under which history it was written (see [leasestore.Clock]). A start
// that finds another one burns ticks, once. It has these parts, for people to see which has changed:
//
//   - MySQL and MariaDB: "server D03C7B7E since 2026-11-24T12:34:48Z, table made 2026-11-24T12:34:49Z": a
//     checksum of the server's names, its start, in a Galera cluster also the cluster's UUID, and the
//     table's CREATE_TIME. DROP and ALTER change that, on MariaDB RENAME, too. In the first two seconds after its start
//     a server cannot tell its history.
//   - PostgreSQL: "server since 2026-11-24T12:50:14.913843Z, timeline 00000001, no crash since
//     2026-11-24T12:50:10.441999Z, table 16385/16385/725": the server's start and its log's timeline, since when
//     its statistics are kept, which begin anew when a process of it has crashed, and the table's oid,
//     relfilenode and xmin in pg_class. RENAME, TRUNCATE, ALTER and GRANT change those, renewals, VACUUM,
//     ANALYZE and CREATE INDEX do not. Any account sees them. pg_stat_reset_shared changes the
//     statistics' begin, for nothing.
//   - SQLite: "machine started as f8f7e69d-…, file 65024/9978655, schema 1": the machine's boot ID, device and
//     number of the file, and schema_version, which each change of a table's definition raises. There is
//     none on Windows: then each start burns.
//
// What no history shows, and must not be done while owners may be at work or before the clock has passed
// what they have reserved:
//
//   - Rows put back as they were by statements: DELETE or TRUNCATE and INSERT on MySQL, DELETE and INSERT
//     elsewhere.
//   - On MySQL, a table that is dropped and put back within the second in which it was made.
//   - A SQLite file that is overwritten in its place (cp backup.db live.db), or moved away and back.
//   - A machine that is put back to a snapshot with its memory: it does not know that it was.
//
// # How a segment is taken
//
// In the same way: one statement reads the tag's rows in both tables, and one writes both, if each
// column is as it was read, on the server that was read from. So Leaf's own statements may come at
// any time. With its first take, a tag that only Leaf has used so far gets its row of takers: two
// round trips more on MySQL, three on PostgreSQL. Making a tag is a short transaction, which the server
// ends when this process stands still for two seconds. A row of takers bears a random nonce for each write, so
// that a row that was written meanwhile is never taken for the same, even if it has all its values
// again.
//
// Whoever edits a row by hand may raise max_id, and change step and description. A max_id below
// 0, or a step below 1, is refused as long as it stands there. step is at least 1 and at most
// 2147483647, which its column holds. A tag has to be one of those that segmentstore.CheckTag allows; where
// the collation of Leaf's table makes two spellings one tag, they are one here, too. update_time is the
// server's; only MySQL sets it for Leaf as well.
//
// Leaf on a Galera cluster has to send its statements as text, as its driver does by default. With
// prepared statements (useServerPrepStmts) a node of MariaDB 10.11 goes on with a transaction that
// was undone between two of them: of 4,200 segments that Leaf's statements took over three nodes, with
// no other program at work, 285 were given out twice, and none with statements as text.
//
// # What a database has to keep for disposable IDs
//
// An ID is taken from the insert's own result, never from a second connection. It is used only
// after the committed row has been read back under that ID and bears the random nonce that this
// very attempt wrote. An insert or commit whose reply was lost may or may not have happened: its
// ID is given up, and a new row inserted.
//
// IDs are unique as long as the table's counter only ever goes up, in one copy of the table. So a
// start looks at the table and the settings first (Inspect). It refuses an engine other than
// InnoDB, a TEMPORARY table, and a node of a Galera cluster with wsrep_on off. It also refuses what loses
// commits in a crash, unless the program vouches for the store (DurableStoreUnverified of
// disposable.Config): an UNLOGGED table or counter, innodb_flush_log_at_trx_commit or sync_binlog other
// than 1, fsync, full_page_writes or synchronous_commit off, and SQLite with synchronous below FULL or
// without a journal on disk.
//
// What a crash or a failover has lost all the same, a start finds out by the table's history, below, which rows
// of TYPE 5 keep: marks. A start that finds another one leaves out 4,095 IDs of the default layout
// (Skip of [Config]), and marks the table anew. On Galera each node does so once. That costs these IDs at
// each restart of the server. It is not enough, and duplicates come of it, when
//
//   - more IDs than that are lost, those that another start has left out among them;
//   - a start that looks at no marks, such as Java's, is the first one after a failover;
//   - the rows since the newest mark are all deleted, by TRUNCATE for example, or a dump is put back
//     in place: set the table's AUTO_INCREMENT above the largest ID that was ever given.
//
// These break it as well, and cannot be seen before:
//
//   - When a table is dropped or renamed away, or a SQLite file is moved, while somebody starts,
//     a new one begins with ID 1.
//   - MySQL before 8.0 and MariaDB before 10.2.4 forget the counter at a restart and go on after
//     the largest ID that is left. Never delete the newest row.
//   - On PostgreSQL the counter is the sequence of the identity column. A crash, or a failover to
//     a standby that has all commits, only skips up to 32 IDs, since the log is written that far
//     ahead. It repeats IDs when rows were copied in with their IDs. Set the sequence above the largest ID that was ever
//     given: ALTER TABLE worker_node ALTER COLUMN id RESTART WITH n.
//
// These use up more than one ID for each start: auto_increment_increment above 1 (each start
// costs that many), several servers that hand out IDs in batches (the table is created so that
// TiDB does not), and a row inserted with a huge ID, after which all are huge.
//
// # What a database has to keep for segments
//
// All that it has acknowledged; what can lose it is the same as for leases, below, and
// Inspect names the settings. A generator notices what was lost when it takes numbers the
// next time. In a Galera cluster a node acknowledges what the others do not have on disk yet, so
// that it needs the generator's setting LossyStore.
//
// # What a database has to keep for leases
//
// Package lease says what it relies on, and what a store may lose. A database loses
// nothing, as the lease's setting Losses may claim (Never), when it is a SQLite file that package worker/sqlite has
// opened, or a single server with innodb_flush_log_at_trx_commit = 1 and sync_binlog = 1, or a single
// PostgreSQL server with fsync, full_page_writes and synchronous_commit on and a table that is not
// UNLOGGED; and no replica takes over that need not have every commit. On PostgreSQL
// synchronous_standby_names has to make each standby that it lists have a commit: FIRST 2 (a, b), not
// ANY 1 (a, b), nor *. With MySQL's semi-synchronous replication
// rpl_semi_sync_source_wait_for_replica_count has to be the number of replicas; MariaDB waits for one,
// and so can have but one. Galera is not durable: its
// nodes acknowledge commits that the others do not have on disk yet. Inspect sees the
// settings. It does not see a restored dump, a replica that is not connected and
// takes over, semi-synchronous replication that goes on without replicas after its time-out, or a disk
// that lies about what it has synced.
//
// These break leases even where the store goes by its history:
//
//   - Two copies of the database that both accept writes. A session of a Galera node with wsrep_on off
//     makes one; it is refused at a start, as a TEMPORARY table is.
//   - On MySQL, a connection of the pool on which the program has left a transaction open by a
//     statement of its own (MariaDB tells, and what is open is committed).
//   - wsrep_dirty_reads on a Galera node that is cut off.
//   - A SQLite file that was copied or restored (package worker/sqlite says what it survives and
//     what not).
//
// # Rights
//
// On MySQL and MariaDB, give workers an account of their own with no other rights: an account
// with more can delete or drop the rows that keep IDs from repeating. If the tables exist,
// disposable IDs need
//
//	GRANT SELECT, INSERT ON app.WORKER_NODE TO 'uid'@'%';
//
// and, when a port is known, for a floor, and for a start after a failover,
//
//	GRANT UPDATE (PORT, TYPE, MODIFIED) ON app.WORKER_NODE TO 'uid'@'%';
//
// Leased IDs need
//
//	GRANT SELECT, INSERT, UPDATE ON app.WORKER_LEASE TO 'uid'@'%';
//
// Segments need
//
//	GRANT SELECT, UPDATE ON app.leaf_alloc TO 'uid'@'%';
//	GRANT SELECT, INSERT, UPDATE ON app.leaf_alloc_takers TO 'uid'@'%';
//
// and, to make the rows of tags,
//
//	GRANT INSERT ON app.leaf_alloc TO 'uid'@'%';
//
// The command uid worker release can have another account, with
//
//	GRANT SELECT, UPDATE ON app.WORKER_LEASE TO 'uid_admin'@'%';
//
// The commands uid worker ls and uid worker check need SELECT only. A check sees
// more of the replication with a right that changes nothing: REPLICATION CLIENT on MySQL and on
// MariaDB before 10.5, and on later ones
//
//	GRANT REPLICA MONITOR ON *.* TO 'uid'@'%';
//
// On PostgreSQL the rights are
//
//	GRANT USAGE ON SCHEMA public TO uid;
//	GRANT SELECT, INSERT, UPDATE ON worker_lease TO uid; -- to lease IDs
//	GRANT SELECT, UPDATE ON worker_lease TO uid_admin; -- Release
//	GRANT SELECT, INSERT ON worker_node TO uid; -- disposable IDs, with
//	GRANT UPDATE (port, type, modified) ON worker_node TO uid; -- a port, a floor, or after a failover
//	GRANT SELECT, UPDATE ON leaf_alloc TO uid; -- segments, with
//	GRANT SELECT, INSERT, UPDATE ON leaf_alloc_takers TO uid; -- the takers and, to make rows of tags,
//	GRANT INSERT ON leaf_alloc TO uid;
//
// and CREATE on the schema where a missing table is to be created. An identity column's sequence
// needs no right of its own.
//
// Check lists the rights that an account lacks, and those that it does not need.
//
// Next, Init and Change create a missing table, for which they need
// CREATE as well. So does a lease whose namespace is missing, since it calls Init.
//
// # What errors and logs say
//
// Errors name the operation, the server's error number and, for a connection, its numeric
// address. Of a server's text they pass on only the name of a column of these tables, and of a
// driver's only fixed texts: never a user, password, database or host name. A Ping of the same
// database shows the rest to whoever may see it. For a MySQL server errors.As finds the driver's
// error, with the number and a text of this package's own; for PostgreSQL an error with the method
// SQLState.
//
// # How it was tested
//
// The suite of package storetest, with lost, late and refused writes, runs on SQLite, MariaDB, PostgreSQL 15,
// MySQL 9 and three nodes of Galera (test/databases). 40 that start at once over the nodes share no ID (test/engines/faults),
// and all renewals on PostgreSQL are HOT updates. Over a network of 80 ms 80 starts at once take
// some 14 statements each, three of which a new session needs. The suite of package segmenttest
// runs on the same servers, and so do six processes that take numbers of one table, half of them by Leaf's two statements: of 1,000
// rounds each, all segments lie side by side. Each thing that a write compares has a planted fault that the
// tests find (test/mutants).
package sqlstore
