// Package worker gives generators their worker IDs. A worker ID is the part of a UID that tells processes apart. A
// [uid.Worker] holds one, with the right to issue ticks (units of the layout's time) under it. A generator binds to a
// worker when it is made and releases it when it is closed. Callers never wait for a worker while UIDs are ready.
//
// # Ways to get a worker ID
//
//   - [Static] takes a fixed ID that the caller knows to be unique. [FromSource] asks a [Source] for it: an environment
//     variable, the ordinal in a host's name, the low bits of its address. Neither stores anything.
//   - Package statefile takes its ID from a Source, too, and keeps a file that says which ticks may have been issued
//     under it, for the next process that has it.
//   - Package disposable takes an ID that was never used before, one for each start, as Baidu's UidGenerator does.
//   - Package lease takes an ID that nobody holds at the moment, and gives it back. It is for fleets that start so
//     often that disposable IDs would run out, and for layouts with few worker bits.
//
// Disposable and leased IDs need a store that all processes share: package sqlstore has them in SQL databases, package
// stores and its modules have leases elsewhere. The command uid worker lists who holds what, ends dead holders' leases,
// and checks a store for misconfiguration. Package worker imports none of them, and no database.
//
// # What is promised
//
// No two UIDs are equal within one layout and one space of worker IDs. UIDs of different spaces can be equal: keep them
// in different columns. The IDs of two sources that do not know of each other, two namespaces of leases, leased IDs and
// disposable ones, and two tables are different spaces. UIDs of two layouts can be equal too, and so can UIDs of one
// layout before and after its epoch was changed.
//
// # IDs that come from elsewhere
//
// A worker cannot tell whether another process has the same ID: that is up to whoever numbers the pods, hosts or
// addresses. Nor can it know, without a file, how far into the future the process before it borrowed under the ID, and
// whether the clock has been set back since. So [Static] and [FromSource] are for programs that never restart within
// the time they may borrow and whose clock is never set back, or that can live with a repeated UID. All others need a
// state file.
//
// # Workers and stores of your own
//
// The rules for a worker are at [uid.Worker]. For leases in another database write a driver of package stores, and mark
// errors that may pass with [Transient].
package worker
