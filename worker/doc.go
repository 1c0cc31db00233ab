// Package worker says where worker IDs come from. Each source is a [uid.Worker],
// which a generator binds to when it is made and lets go when it is closed.
//
//   - [Static] takes an ID that somebody else has made sure is unique.
//   - [Disposable] asks a database for an ID that was never used before, one for
//     each start: a new row of the table WORKER_NODE, whose generated key is the
//     ID. It is the scheme of Baidu's UidGenerator, on the same table, so that
//     services in Java and in Go can share one.
//
// The database is the caller's own [sqlx.DB], on MySQL, MariaDB or SQLite (for
// the latter package worker/sqlite opens a file). Nothing here opens or closes
// one, and a generator's callers never wait for one.
//
// # What makes a disposable ID safe, and what does not
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
//   - A server with innodb_flush_log_at_trx_commit other than 1 may forget the
//     newest rows when it crashes.
//   - MySQL before 8.0 and MariaDB before 10.2.4 forget the counter at a restart
//     and go on after the largest ID that is left. Never delete the newest row.
//   - A cloned or resumed image of a running process has its ID twice.
//
// And these use IDs up faster than one a start: auto_increment_increment above
// 1 (each start costs that many), several servers that hand out IDs in batches
// (the table is created so that TiDB does not), and a row that somebody inserted
// with a huge ID of their own, after which all are huge. The first two show in
// the warning that is logged above 80 % of the layout's maximum, the last is
// refused with the numbers.
//
// # Rights
//
// The account needs INSERT and SELECT on the table, UPDATE when a port is known
// (see [DisposableConfig]), and CREATE only if the table is missing.
//
// # What errors and logs say
//
// Errors name the operation, the table, the server's error number and, for a
// connection, its numeric address. A driver's own words are passed on only where
// they cannot hold anything of the DSN: never a user, password, database or host
// name. A Ping of the same database shows the rest to whoever may see it.
package worker
