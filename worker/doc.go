// Package worker gives generators their worker IDs. A worker ID is the part of a UID that tells processes apart. A
// [uid.Worker] holds one, with the right to issue ticks (units of the layout's time) under it.
//
// # Ways to get a worker ID
//
//   - [Static] takes a fixed ID that the caller knows to be unique; [FromSource] asks a [Source].
//   - Package statefile asks a Source, too, and keeps a file for the next process with the ID.
//   - Package disposable takes an ID that was never used before, one for each start.
//   - Package lease takes a free ID, and gives it back.
//
// Disposable and leased IDs need a store that all processes share: see packages sqlstore and stores. The command uid
// worker shows and checks a store.
//
// # What is promised
//
// No two UIDs are equal within one layout and one space of worker IDs. Keep UIDs of different spaces, layouts or epochs
// in different columns, since they can be equal. Two sources that do not know of each other are two spaces, and so are
// two namespaces of leases, leased IDs and disposable ones, and two tables.
//
// # Workers and stores of your own
//
// [uid.Worker] has the rules for a worker. For leases in another database write a driver of package stores.
package worker
