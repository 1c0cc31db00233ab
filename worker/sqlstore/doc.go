// Package sqlstore keeps worker IDs, and the segments of package segment, in the tables of a SQL database: MySQL,
// MariaDB, Galera, PostgreSQL or SQLite.
//
//	uids, err := cached.New(sqlstore.Lease(db, "orders"), cached.Config{})
//	numbers, err := sqlstore.Segment(db, "invoice", segment.Config{})
//
// With settings, [New] gives [DB.Leases] for lease.New, [DB.Numbers] for disposable.New and [DB.Segments] for
// segment.New.
//
// # The tables
//
// WORKER_NODE is the table of Baidu's UidGenerator: the generated key of each start's row is a disposable ID.
// leaf_alloc is that of Leaf: max_id of each tag's row is the next number. Services in Java and in Go can share both;
// Leaf does not know leaf_alloc_takers, which has the last owners of numbers. WORKER_LEASE has a row for each leased
// worker ID and, with WORKER_ID -1, for each namespace.
//
// A missing table is created, by the statements in internal/database/schema, unless there is one whose name differs in
// case only. On PostgreSQL the search path finds the table.
//
// # Connections, proxies and poolers
//
// An acquisition or renewal is a read, and a write if all columns are still as they were read: two round trips, with no
// lock in between (except on SQLite). A proxy must not send the two to different servers or, with MySQL, over different
// connections: the write is then refused. A read waits until a Galera node has the commits of all nodes. PgBouncer may
// pool transactions; a driver that wraps pgx needs default_query_exec_mode=exec in the URL for that.
//
// # The history of a store
//
// A namespace's row has in HISTORY the history under which it was written (see package lease). A start that finds
// another history burns ticks, once. The text contains:
//
//   - MySQL and MariaDB: a checksum of the server's names, the time of its start, on MariaDB with four random digits,
//     in a Galera cluster also the cluster's UUID, and the table's CREATE_TIME. DROP, ALTER and OPTIMIZE change that,
//     on MariaDB RENAME, too. In the first two seconds after its start a server has no history.
//   - PostgreSQL: the time of the server's start, its log's timeline, the time of the last reset of its statistics (a
//     crash of one of its processes, or needlessly pg_stat_reset_shared), the table's oid, relfilenode and xmin, its
//     schema's xmin, and the database's oid and xmin. RENAME, TRUNCATE, ALTER, VACUUM FULL and GRANT change those;
//     renewals, VACUUM, ANALYZE and CREATE INDEX do not.
//   - SQLite: the file's device and number, on Linux its birth time if the file system has one, and schema_version,
//     which each change of a definition in the file raises. With synchronous OFF, the journal_mode MEMORY or OFF, and
//     on macOS, also the machine's boot ID: let all connections to a file have the same settings. There is none on
//     Windows: then each start burns.
//
// No history shows the following. Before you do it stop all owners, and run uid worker init --lost before you start
// them:
//
//   - Restore rows by statements: DELETE or TRUNCATE and INSERT on MySQL, DELETE and INSERT elsewhere.
//   - On MySQL and MariaDB, restore a table with DISCARD and IMPORT TABLESPACE or with EXCHANGE PARTITION, or drop it
//     and restore it within the second in which it was made.
//   - Return to a server that lacks another server's writes and was not restarted since: restart it first.
//   - Copy over a SQLite file, or move it (see package worker/sqlite).
//   - Restore a machine to a snapshot with its memory or, with a SQLite file on it, its disk.
//
// MySQL's history does not show two starts of the server in one second of its clock either.
//
// A start on a server of MySQL or MariaDB that applies another server's writes fails until that is stopped (see Follows
// of [Config]). MySQL tells it to accounts with REPLICATION CLIENT only.
//
// # Which databases lose no lease
//
// A database loses nothing, as [lease.Never] claims, if no replica takes over that may lack a commit, and it is
//
//   - a SQLite file that package worker/sqlite has opened;
//   - MySQL or MariaDB with innodb_flush_log_at_trx_commit = 1 and sync_binlog = 1. For semi-synchronous replication
//     rpl_semi_sync_source_wait_for_replica_count has to be the number of replicas; MariaDB can have but one;
//   - PostgreSQL with fsync, full_page_writes and synchronous_commit on, and a table that is not UNLOGGED.
//     synchronous_standby_names has to make each standby that it lists have a commit: FIRST 2 (a, b), not ANY 1 (a, b),
//     nor *.
//
// Galera is not one of them. A start checks the settings. It does not notice a restored dump, a takeover by a replica
// that was not connected, semi-synchronous replication that continues without replicas after its time-out, or a disk
// that acknowledges a sync too early.
//
// These break leases even with a history:
//
//   - A Galera session with wsrep_on off, and a TEMPORARY table. A start refuses both.
//   - On MySQL, a pooled connection on which the program has left a transaction open (MariaDB's is seen and committed).
//   - wsrep_dirty_reads on a Galera node that is cut off.
//
// # Which databases lose no segment
//
// Those with the settings for leases. A Galera cluster needs the generator's setting LossyStore, and Leaf has to send
// its statements there as text, its driver's default: with useServerPrepStmts MariaDB 10.11 gives numbers out twice.
//
// By hand you may raise max_id, and change step and description. A max_id below 0 and a step outside of 1 to 2147483647
// are refused.
//
// # Which databases lose no disposable ID
//
// A start refuses the tables and sessions that it refuses for leases, and an engine other than InnoDB. Unless
// LossyStore of disposable.Config is set, it also refuses a database that loses commits in a crash: with other settings
// of a server than those above, an UNLOGGED table or counter, and SQLite with synchronous OFF or without a journal on
// disk.
//
// Rows of TYPE 5, marks, keep the table's history. A start that finds another history skips IDs (Skip of [Config]),
// also after each restart of the server, and on Galera once a node. IDs repeat all the same when
//
//   - more starts than Skip are lost at once;
//   - a second failover loses the first start after another one, too, and both skip alike (see Skip);
//   - a start that ignores marks, such as Java's, is the first one after a failover;
//   - the rows since the newest mark are deleted, or a dump is restored: set AUTO_INCREMENT above the largest ID ever
//     given;
//   - a table is dropped or renamed away, or a SQLite file is moved, while somebody starts;
//   - the newest row is deleted before a restart of MySQL before 8.0 or MariaDB before 10.2.4;
//   - rows were copied into a table of PostgreSQL with their IDs: ALTER TABLE worker_node ALTER COLUMN id RESTART WITH
//     n, above the largest ID.
//
// A start uses up several IDs with an auto_increment_increment above 1, after a crash of PostgreSQL (up to 32), and
// when a reply was lost.
//
// # Rights
//
// On MySQL and MariaDB, give workers an account with these rights alone: one with more can delete or drop the rows that
// keep IDs from repeating. If the tables exist, it needs
//
//	GRANT SELECT, INSERT, UPDATE ON app.WORKER_LEASE TO 'uid'@'%'; -- leased IDs
//	GRANT SELECT, INSERT ON app.WORKER_NODE TO 'uid'@'%'; -- disposable IDs, with
//	GRANT UPDATE (PORT, TYPE, MODIFIED) ON app.WORKER_NODE TO 'uid'@'%'; -- a port, a floor, or after a failover
//	GRANT SELECT, UPDATE ON app.leaf_alloc TO 'uid'@'%'; -- segments, with
//	GRANT SELECT, INSERT, UPDATE ON app.leaf_alloc_takers TO 'uid'@'%'; -- the takers and, to make rows of tags,
//	GRANT INSERT ON app.leaf_alloc TO 'uid'@'%';
//	GRANT SELECT, UPDATE ON app.WORKER_LEASE TO 'uid_admin'@'%'; -- the command uid worker release
//	GRANT REPLICA MONITOR ON *.* TO 'uid'@'%'; -- uid worker check and MySQL's starts, to see more of the replication
//
// and CREATE for a missing table. The last right is REPLICATION CLIENT on MySQL and on MariaDB before 10.5. The
// commands uid worker ls and uid worker check need SELECT only.
//
// On PostgreSQL the rights are the same, with names in lower case, USAGE on the schema, and CREATE on it for a missing
// table.
//
// # Errors
//
// Errors name the operation, the server's error number, a column and a numeric address, never a user, password,
// database or host name. errors.As finds the driver's error for a MySQL server, with a text of this package's own, and
// for PostgreSQL an error with the method SQLState.
package sqlstore
