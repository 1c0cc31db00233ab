// Package worker says where worker IDs come from. Each source is a [uid.Worker],
// which a generator binds to when it is made and lets go when it is closed.
//
//   - [Static] takes an ID that somebody else has made sure is unique, and
//     [FromSource] asks a [Source] for it: an environment variable, the ordinal in a
//     host's name, the bits of its address.
//   - [File] does as well, and keeps in a file which ticks may have been issued
//     under the ID, for the next process that has it.
//   - [Disposable] asks a database for an ID that was never used before, one for
//     each start: a new row of the table WORKER_NODE, whose generated key is the
//     ID. It is the scheme of Baidu's UidGenerator, on the same table, so that
//     services in Java and in Go can share one.
//   - [Lease] asks a database for an ID that nobody has just now, and gives it back:
//     for fleets that start so often that disposable IDs would run out, or layouts
//     with few worker bits. Every tick is reserved in the database before it may be
//     issued, so that an owner that was paused or cut off and comes back does no harm.
//
// A [Registry] is for those who look after the tables: it tells who holds what, ends
// leases of the dead, and examines a database for what would bite.
//
// The database is the caller's own [sqlx.DB], on MySQL, MariaDB or SQLite (for
// the latter package worker/sqlite opens a file). Nothing here opens or closes
// one, and a generator's callers never wait for one.
//
// # IDs that come from elsewhere
//
// Nothing here can tell whether another process has the same ID: that is up to
// whoever numbers the pods, hosts or addresses. What a process cannot know either, without
// a file, is what the one before it did under the ID: how far into the future it
// borrowed, and whether the clock has been set back since. So [Static] and [FromSource]
// are for programs that are never started twice within the time that they borrow, and
// whose clock is not set back, or that can live with a UID that comes twice if they are.
// All others take a [File]. Its folder is to outlive the process, and to go where the
// ID goes: in a StatefulSet, a volume claimed for each pod. A copy of the file is
// a second owner of the ID, and so is one of a lease's state file on the same host; to
// restore one from a backup is to forget what was issued since.
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
//   - A table that is dropped or renamed away, or a SQLite file that is moved, while
//     somebody starts: a new one begins with ID 1.
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
// # What makes a leased ID safe, and what does not
//
// What keeps two owners of one ID apart is not the lease, which only says when the
// ID may go to somebody else, but the reservation: each owner issues only ticks that the
// row's HIGH was raised over by its own acknowledged commit, and every other owner
// begins above HIGH. A process can be stopped for a day at any point, and go on.
//
// A database that loses what it has acknowledged (an asynchronous failover, a dump that
// is restored, TRUNCATE, a crash without a synced log) forgets reservations. Unless
// DurableStore claims that this does not happen, a new owner therefore begins above all
// that can have been forgotten: reservations never reach further than 3/2 Window beyond
// the clock, clocks of servers differ by no more than MaxClockSkew, and the largest reach
// of any owner is kept in a row of the namespace. For the same reason an ID's new owner
// issues nothing on the strength of its acquisition alone.
//
// What this costs: a new owner starts about 3/2 Window + MaxClockSkew ahead of the clock (92
// s by default). A cached generator gives that back as the clock catches up, if its
// MaxLead is larger than that, as the default of ten minutes is, and until then has little
// left to borrow for bursts: at first one tick for each that passes. An uncached one under a
// policy other than Logical refuses to draw, or waits, as long as its ticks are ahead
// of the clock. DurableStore has neither cost.
//
// While an owner runs nothing is created: a table or a namespace that is not there any more
// is an error, and no other one is begun in its place. With DurableStore a start creates
// nothing either. [Registry.Init] makes a namespace, once, by somebody who knows that
// nobody has an ID of it. Other leases make one at their start, which then rests for five
// minutes, or TTL or Quarantine if these are longer, before it leases the first ID: it may
// be one whose rows were lost.
//
// A row that [Registry.Collect] removes leaves its HIGH behind in the namespace's own row,
// and nobody is given a tick at or below that. An ID without a row begins near the
// database's clock in any case.
//
// These break it, and no table can tell:
//
//   - Two copies of the database that both accept writes.
//   - A running process that was cloned, with its memory ([Lease.Invalidate] is for
//     programs that learn of it).
//   - Servers whose clocks differ by more than MaxClockSkew at a failover that loses commits.
//   - DurableStore on a database that loses commits, in ways that a start cannot see: a
//     restored dump, a replica that takes over, a disk that lies about what it has synced.
//   - Rows edited or deleted by hand under DurableStore; without it, a row that is deleted, or
//     whose LEASE_UNTIL is moved back, and that comes back as it was before its owner has
//     renewed, which is within half a Window; or a whole table that is put back after the
//     rest of the one in its place, while an owner's TTL is longer than that.
//   - Rows that are lost where owners have a longer TTL than five minutes and than that of the
//     start that makes the namespace anew.
//   - A longer Window than any in the namespace before, if a failover or a restored backup
//     loses the first acquisition with it.
//   - An account that may write to a read-only replica (SUPER, READ_ONLY ADMIN), whose
//     transaction begins there before the promotion and ends after it.
//   - A file of SQLite that was copied or restored (package worker/sqlite tells what it
//     stands and what not).
//
// A new layout needs a new namespace: the old one is refused. UIDs of two namespaces, or of
// leased and disposable IDs, can be equal: each is a space of worker IDs of its own.
//
// # Rights
//
// On MySQL and MariaDB an account of their own, with no other rights, is best for
// workers; who has more can delete or drop what keeps IDs from coming again. With
// the tables created by somebody else (the statements are in the folder schema),
// disposable IDs need
//
//	GRANT SELECT, INSERT ON app.WORKER_NODE TO 'uid'@'%';
//
// and when a port is known (see [DisposableConfig]) in addition
//
//	GRANT UPDATE (PORT, MODIFIED) ON app.WORKER_NODE TO 'uid'@'%';
//
// Leased IDs need
//
//	GRANT SELECT, INSERT, UPDATE ON app.WORKER_LEASE TO 'uid'@'%';
//
// A worker of disposable IDs whose table is missing creates it, for which it needs CREATE as
// well, and so does [Registry.Init], or a lease without DurableStore.
// Release and Collect of a [Registry] are for another account, with
//
//	GRANT SELECT, UPDATE, DELETE ON app.WORKER_LEASE TO 'uid_admin'@'%';
//
// while Overview and Check need SELECT only. Check sees more of the replication
// with a right that changes nothing, on MySQL and on MariaDB before 10.5
// REPLICATION CLIENT, and on later ones
//
//	GRANT REPLICA MONITOR ON *.* TO 'uid'@'%';
//
// Check tells which rights an account lacks, and which it does not need.
//
// # What errors and logs say
//
// Errors name the operation, the table, the server's error number and, for a
// connection, its numeric address. Nothing that a server says is passed on, but the
// name of a column of these tables, and a driver's words only where they are fixed:
// never a user, password, database or host name. A Ping of the same database shows the
// rest to whoever may see it.
package worker
