// Package worker says where worker IDs come from. A worker ID is the part of a UID that
// tells processes apart; a [uid.Worker] is such an ID with the right to issue ticks under
// it. A generator binds to a worker when it is made, and lets it go when it is closed. Its
// callers never wait for a worker while there are UIDs ready.
//
// # Ways to get a worker ID
//
//   - [Static] takes an ID that somebody else has made sure is unique, and [FromSource] asks
//     a [Source] for it: an environment variable, the ordinal in a host's name, the low bits
//     of its address. They keep nothing.
//   - Package statefile does as well, and keeps in a file which ticks may have been issued
//     under the ID, for the next process that has it.
//   - Package disposable takes an ID that was never used before, one for each start. It is
//     the scheme of Baidu's UidGenerator, on the same table, so that services in Java and
//     in Go can share one.
//   - Package lease takes an ID that nobody has just now, and gives it back: for fleets that
//     start so often that disposable IDs would run out, and for layouts with few worker
//     bits. Every tick is reserved in the store before it may be issued, so that an owner
//     that was paused or cut off and comes back does no harm.
//
// Disposable and leased IDs need a store that all processes share. Package sqlstore has it
// for MySQL, MariaDB and SQLite, package storetest in memory, for tests. Package registry
// lists who holds what and ends the leases of dead holders, and package doctor checks a
// database for misconfiguration. This package imports none of them, and no database.
//
// # What is promised
//
// No two UIDs are equal within one layout and one space of worker IDs. These are different
// spaces, whose UIDs can be equal: the IDs of two sources that do not know of each other,
// two namespaces of leases, leased IDs and disposable ones, and two tables. So are the UIDs
// of two layouts, and of one layout before and after its epoch was changed. Keep UIDs of
// different spaces in different columns.
//
// # IDs that come from elsewhere
//
// Nothing here can tell whether another process has the same ID: that is up to whoever
// numbers the pods, hosts or addresses. What a process cannot know either, without a file,
// is what the one before it did under the ID: how far into the future it borrowed, and
// whether the clock has been set back since. So [Static] and [FromSource] are for programs
// that are never started twice within the time that they borrow, and whose clock is not set
// back, or that can live with a UID that comes twice if they are. All others take a state
// file.
//
// # Workers of one's own
//
// Whoever implements [uid.Worker] finds the rules there. [Source.ID] asks a source and
// checks its answer; the errors below say what went wrong. A store of one's own needs no
// worker: see lease.Store, and disposable.Numbers, whose passing errors are marked with
// [Transient].
package worker
