// Package worker gives generators their worker IDs. A worker ID is the part of a UID that tells
// processes apart. A [uid.Worker] holds one, with the right to issue ticks (units of the layout's
// time) under it. A generator binds to a worker when it is made and releases it when it is
// closed. Callers never wait for a worker while UIDs are ready.
//
// # Ways to get a worker ID
//
//   - [Static] takes a fixed ID that the caller knows to be unique. [FromSource] asks a [Source]
//     for it: an environment variable, the ordinal in a host's name, the low bits of its address.
//     Neither stores anything.
//   - Package statefile takes its ID from a Source, too. It keeps a file that says which ticks
//     may have been issued under the ID, for the next process that has it.
//   - Package disposable takes an ID that was never used before, one for each start. It is the
//     scheme of Baidu's UidGenerator, on the same table, so that services in Java and in Go can
//     share one.
//   - Package lease takes an ID that nobody holds at the moment, and gives it back: for fleets
//     that start so often that disposable IDs would run out, and for layouts with few worker
//     bits. Every tick is reserved in the store before it may be issued, so that an owner that
//     was paused or cut off does no harm when it comes back.
//
// Disposable and leased IDs need a store that all processes share. Package sqlstore is one for
// MySQL, MariaDB and SQLite; package drivertest has a database in memory, for tests. The command uid worker
// lists who holds what, ends dead holders' leases, and checks a store for
// misconfiguration. Package worker imports none of them, and no database.
//
// # What is promised
//
// No two UIDs are equal within one layout and one space of worker IDs. UIDs of different spaces
// can be equal. These are different spaces: the IDs of two sources that do not know of each
// other, two namespaces of leases, leased IDs and disposable ones, and two tables. UIDs of two
// layouts can be equal too, and so can UIDs of one layout before and after its epoch was changed.
// Keep UIDs of different spaces in different columns. [Static] can name that of its ID, so that
// two generators of one process that share an ID by mistake are found.
//
// # IDs that come from elsewhere
//
// A worker cannot tell whether another process has the same ID: that is up to whoever numbers the
// pods, hosts or addresses. Nor can it know, without a file, what the process before it did under
// the ID: how far into the future it borrowed, and whether the clock has been set back since. So
// [Static] and [FromSource] are for programs that never restart within the time they may borrow
// and whose clock is never set back, or that can live with a repeated UID. All others need a
// state file.
//
// # Workers and stores of your own
//
// The rules for a worker are at [uid.Worker]. the errors below say what went wrong. A new kind of store needs no new worker: implement
// lease.Store or disposable.Numbers, and mark errors that may pass with [Transient].
package worker
