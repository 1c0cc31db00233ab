// Package worker gives generators their worker IDs. A worker ID is the part of a UID that tells processes apart. A
// [uid.Worker] holds one, with the right to issue ticks (units of the layout's time) under it. A generator binds to a
// worker when it is made and releases it when it is closed. Callers never wait for a worker while UIDs are ready.
//
// # Ways to get a worker ID
//
//   - [Static] takes a fixed ID that the caller knows to be unique; [FromSource] asks a [Source] for it. Neither stores
//     anything.
//   - Package statefile takes its ID from a Source, too, and keeps a file that says which ticks may have been issued,
//     for the next process with the ID.
//   - Package disposable takes an ID that was never used before, one for each start.
//   - Package lease takes an ID that nobody holds at the moment, and gives it back.
//
// Disposable and leased IDs need a store that all processes share: see packages sqlstore and stores. The command uid
// worker lists who holds what, ends dead holders' leases, and checks a store for misconfiguration.
//
// # What is promised
//
// No two UIDs are equal within one layout and one space of worker IDs. UIDs of different spaces can be equal, so keep
// them in different columns: the IDs of two sources that do not know of each other are two spaces, and so are two
// namespaces of leases, leased IDs and disposable ones, and two tables. UIDs of two layouts, or from before and after a
// change of the epoch, can be equal, too.
//
// # Workers and stores of your own
//
// [uid.Worker] has the rules for a worker. For leases in another database write a driver of package stores, and mark
// errors that may pass with [Transient].
package worker
