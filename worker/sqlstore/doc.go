// Package sqlstore keeps worker IDs in the tables of a SQL database: MySQL, MariaDB or SQLite.
// (Package worker/sqlite opens a SQLite file.)
//
//	tables, err := sqlstore.New(db, sqlstore.Config{})
//	store, err := tables.Leases("orders") // for lease.New
//	numbers := tables.Numbers()           // for disposable.New
//
// The database is the caller's own [sqlx.DB]. This package neither opens nor closes one, and
// holds no connection between two calls.
//
// # The tables
//
// WORKER_NODE has a row for each start of a process; the row's generated key is a disposable ID.
// It is the table of Baidu's UidGenerator, so that services in Java and in Go can share one.
// WORKER_LEASE has a row for each worker ID that was ever leased in a namespace, and one with
// WORKER_ID -1 for the namespace itself. The statements that create them are in the folder
// internal/database/schema.
//
// # What a database has to keep for disposable IDs
//
// An ID is taken from the insert's own result, never from a second connection. It is used only
// after the committed row has been read back under that ID and bears the random nonce that this
// very attempt wrote. An insert or commit whose reply was lost may or may not have happened: its
// ID is given up, and a new row inserted.
//
// IDs are unique as long as the table's counter only ever goes up, in one copy of the table.
// These break that, and cannot be seen in the table alone:
//
//   - After a failover to a replica that lacks the newest rows, after a restored dump and after
//     TRUNCATE, old IDs are handed out again. Set the table's AUTO_INCREMENT above the largest ID
//     that was ever given.
//   - When a table is dropped or renamed away, or a SQLite file is moved, while somebody starts,
//     a new one begins with ID 1.
//   - A server with innodb_flush_log_at_trx_commit other than 1 may forget the newest rows when
//     it crashes.
//   - MySQL before 8.0 and MariaDB before 10.2.4 forget the counter at a restart and go on after
//     the largest ID that is left. Never delete the newest row.
//
// These use up more than one ID for each start: auto_increment_increment above 1 (each start
// costs that many), several servers that hand out IDs in batches (the table is created so that
// TiDB does not), and a row inserted with a huge ID, after which all are huge.
//
// # What a database has to keep for leases
//
// Package lease says what it relies on, and what a store may lose. A database is durable, as the
// lease's setting DurableStore claims, when it is a SQLite file that package worker/sqlite has
// opened, or a single server with innodb_flush_log_at_trx_commit = 1 and sync_binlog = 1 that is
// never replaced by a replica. Galera is not: its nodes acknowledge commits that the others do
// not have on disk yet. [Leases.Inspect] sees the settings. It does not see a restored dump, a
// replica that takes over, or a disk that lies about what it has synced.
//
// These break leases even without DurableStore:
//
//   - Two copies of the database that both accept writes.
//   - An account that may write to a read-only replica (SUPER, READ_ONLY ADMIN), whose
//     transaction begins there before the promotion and ends after it.
//   - A SQLite file that was copied or restored (package worker/sqlite says what it survives and
//     what not).
//
// A transaction of leases sets wait_timeout and sql_mode in its session, and sets them back. A
// process that is stopped in the middle of one keeps its locks for two seconds, and then loses
// the connection.
//
// # Rights
//
// On MySQL and MariaDB, give workers an account of their own with no other rights: an account
// with more can delete or drop the rows that keep IDs from repeating. If the tables exist,
// disposable IDs need
//
//	GRANT SELECT, INSERT ON app.WORKER_NODE TO 'uid'@'%';
//
// and, when a port is known,
//
//	GRANT UPDATE (PORT, MODIFIED) ON app.WORKER_NODE TO 'uid'@'%';
//
// Leased IDs need
//
//	GRANT SELECT, INSERT, UPDATE ON app.WORKER_LEASE TO 'uid'@'%';
//
// Release and Collect of a [registry.Registry] are for another account, with
//
//	GRANT SELECT, UPDATE, DELETE ON app.WORKER_LEASE TO 'uid_admin'@'%';
//
// Its Overview, and Check of package doctor, need SELECT only. Check sees more of the replication
// with a right that changes nothing: REPLICATION CLIENT on MySQL and on MariaDB before 10.5, and
// on later ones
//
//	GRANT REPLICA MONITOR ON *.* TO 'uid'@'%';
//
// Check lists the rights that an account lacks, and those that it does not need.
//
// [Numbers.Next] and [Leases.Init] create a missing table, for which they need CREATE as well. So
// does a lease without DurableStore whose namespace is missing, since it calls Init.
//
// # What errors and logs say
//
// Errors name the operation, the server's error number and, for a connection, its numeric
// address. Of a server's text they pass on only the name of a column of these tables, and of a
// driver's only fixed texts: never a user, password, database or host name. A Ping of the same
// database shows the rest to whoever may see it. For a MySQL server errors.As finds the driver's
// error, with the number and a text of this package's own.
package sqlstore
