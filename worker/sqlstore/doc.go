// Package sqlstore keeps worker IDs in the tables of a SQL database: MySQL, MariaDB or
// SQLite (for the latter package worker/sqlite opens a file).
//
//	tables, err := sqlstore.New(db, sqlstore.Config{})
//	store, err := tables.Leases("orders") // for lease.New
//	numbers := tables.Numbers()           // for disposable.New
//
// The database is the caller's own [sqlx.DB]. Nothing here opens or closes one, and no
// connection is held between two calls.
//
// # The tables
//
// WORKER_NODE has a row for each start of a process; the row's generated key is a disposable
// ID. It is the table of Baidu's UidGenerator, so that services in Java and in Go can
// share one. WORKER_LEASE has a row for each worker ID that was ever leased in a namespace,
// and one with WORKER_ID -1 for the namespace itself. The statements that create them are in
// the folder internal/database/schema.
//
// # What a database has to keep for disposable IDs
//
// An ID is taken from the insert's own result, never from a second connection,
// and only after the committed row has been read back under that ID and bears
// the random nonce that this very attempt wrote. An insert or commit whose reply
// was lost may or may not have happened: its ID is given up, and a new row
// inserted.
//
// IDs are unique as long as the table's counter only ever goes up, in one copy
// of the table. These break that, and cannot be told from the table alone:
//
//   - A failover to a replica that lacks the newest rows, a restored dump, and
//     TRUNCATE hand out old IDs again. After any of them, set the table's
//     AUTO_INCREMENT above the largest ID that was ever given.
//   - A table that is dropped or renamed away, or a SQLite file that is moved, while
//     somebody starts: a new one begins with ID 1.
//   - A server with innodb_flush_log_at_trx_commit other than 1 may forget the
//     newest rows when it crashes.
//   - MySQL before 8.0 and MariaDB before 10.2.4 forget the counter at a restart
//     and go on after the largest ID that is left. Never delete the newest row.
//
// And these use IDs up faster than one a start: auto_increment_increment above
// 1 (each start costs that many), several servers that hand out IDs in batches
// (the table is created so that TiDB does not), and a row that somebody inserted
// with a huge ID of their own, after which all are huge.
//
// # What a database has to keep for leases
//
// Package lease says what it rests on, and what a store may lose. A database is durable, as
// the lease's setting DurableStore claims, when it is a SQLite file that package
// worker/sqlite has opened, or a single server with innodb_flush_log_at_trx_commit = 1
// and sync_binlog = 1 that is never replaced by a replica; Galera is not, whose nodes
// acknowledge what the others do not have on disk yet. [Leases.Inspect] sees the settings. It
// does not see a restored dump, a replica that takes over, or a disk that lies about what it
// has synced.
//
// These break it even without DurableStore:
//
//   - Two copies of the database that both accept writes.
//   - An account that may write to a read-only replica (SUPER, READ_ONLY ADMIN), whose
//     transaction begins there before the promotion and ends after it.
//   - A file of SQLite that was copied or restored (package worker/sqlite tells what it
//     stands and what not).
//
// A transaction of leases sets wait_timeout and sql_mode in its session, and sets them back.
// A process that stands still in the middle of one keeps its locks for two seconds, and then
// loses the connection.
//
// # Rights
//
// On MySQL and MariaDB an account of their own, with no other rights, is best for
// workers; who has more can delete or drop what keeps IDs from coming again. With
// the tables created by somebody else, disposable IDs need
//
//	GRANT SELECT, INSERT ON app.WORKER_NODE TO 'uid'@'%';
//
// and when a port is known in addition
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
// while its Overview, and Check of package doctor, need SELECT only. Check sees more of the
// replication with a right that changes nothing, on MySQL and on MariaDB before 10.5
// REPLICATION CLIENT, and on later ones
//
//	GRANT REPLICA MONITOR ON *.* TO 'uid'@'%';
//
// It tells which rights an account lacks, and which it does not need.
//
// [Numbers.Next] creates a table that is missing, for which it needs CREATE as well, and so
// does [Leases.Init], and with it a lease without DurableStore whose namespace is missing.
//
// # What errors and logs say
//
// Errors name the operation, the server's error number and, for a connection, its numeric
// address. Nothing that a server says is passed on, but the name of a column of these tables,
// and a driver's words only where they are fixed: never a user, password, database or host
// name. A Ping of the same database shows the rest to whoever may see it. From a MySQL server
// errors.As finds the driver's error, with the number, and with other words.
package sqlstore
