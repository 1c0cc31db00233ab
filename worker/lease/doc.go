// Package lease leases worker IDs: a [Lease] takes an ID that nobody holds at the moment from a
// [Store], and gives it back. It is for fleets that start so often that disposable IDs would run
// out, and for layouts with few worker bits. Every tick (a unit of the layout's time) is reserved
// in the store before it may be issued, so that an owner that was paused or cut off does no harm
// when it comes back.
//
// The package knows no database. Package sqlstore has Stores for SQL databases; package storetest
// has one in memory, and the suite that every Store has to pass.
//
// # What makes a leased ID safe, and what does not
//
// Two owners of one ID are kept apart not by the lease, which only says when the ID may go to
// somebody else, but by the reservation. Each owner issues only ticks by which its own
// acknowledged write has raised the row's High, and every other owner begins above High. A
// process can be stopped for a day at any point, and go on.
//
// A store that loses acknowledged writes forgets reservations: when a server takes over that
// lacks the newest ones, when a dump is restored or rows are removed, or in a crash without a
// synced log. Unless the store's kind, or DurableStore, promises that this does not happen, a new
// owner therefore begins above all that can have been forgotten. That is bounded: reservations never reach further than
// 3/2 Window beyond the clock, clocks of servers differ by no more than MaxClockSkew, and the
// namespace's row keeps the largest reach of any owner. For the same reason an ID's new owner
// issues nothing on the strength of its acquisition alone.
//
// This has a cost: a new owner starts about 3/2 Window + MaxClockSkew ahead of the clock (92 s by
// default). A cached generator gives that lead up as the clock catches up, if its MaxLead is
// larger than the lead, as the default of ten minutes is. Until then it has little left to borrow
// for bursts: at first one tick for each that passes. An uncached one under a policy other than
// Logical refuses to draw, or waits, as long as its ticks are ahead of the clock. A start also
// waits until the clock has moved on by MaxClockSkew and a tick. A durable store has none of these
// costs, and neither has a start that goes on with the lease in its state file (see [Config]).
// That a row was released in good order does not help: an owner that came after that may be what
// the store has lost.
//
// A running owner creates nothing: a namespace that has disappeared is an error, and no other
// takes its place. On a durable store a start creates nothing either; somebody who knows that
// nobody has an ID of the namespace makes it once, with [Found]. On any other a start makes a
// missing namespace. Since its rows may have been lost, it then rests for five minutes,
// or TTL or Quarantine if these are longer, before it leases the first ID.
//
// No row is ever removed. The namespace keeps the highest ID that ever had one: only those above it
// are new, and their rows are made some at once. So a row that somebody has deleted makes no ID new,
// whose owner may be at work. Nobody gets such an ID until its row is put back; whoever finds no
// other is told which rows are missing. An ID that nobody has had begins near the store's clock.
//
// # Several stores, one space of worker IDs
//
// Stores that know nothing of each other, one in each region say, can share a space of worker
// IDs: each namespace has a range of its own (see [Founding]), in which its owners get their IDs,
// and refuses whoever asks for others (see [Config]). UIDs of all of them are unique, as long as
// the ranges do not overlap and the layout is the same.
//
// # What breaks it
//
// These break it, and no store can tell:
//
//   - Stores that share a space of worker IDs, and whose ranges overlap.
//   - Two copies of the store that both accept writes.
//   - A running process that was cloned with its memory ([Lease.Invalidate] is for programs that
//     learn of it).
//   - Servers whose clocks differ by more than MaxClockSkew, when one takes over that lacks
//     writes.
//   - DurableStore on a store that loses writes in ways that a start cannot see: a restored dump,
//     a replica that takes over, a disk that lies about what it has synced.
//   - With DurableStore, rows edited by hand, among them one that is put back in place of a newer one.
//   - Without DurableStore, a row that is deleted, or whose end is moved back, and that comes
//     back as it was before its owner has renewed, which is within half a Window, or
//     within TTL if the owner is stopped and has a state file.
//   - Without DurableStore, a former namespace that is put back after the one in its place has
//     rested, while an owner's TTL is longer than that rest.
//   - Rows that are lost when an owner's TTL is longer than both five minutes and the TTL of the
//     start that makes the namespace anew.
//   - A longer Window than any in the namespace before, if a failover or a restored backup loses
//     the first acquisition with it.
//
// A new layout needs a new namespace: a namespace of another layout is refused. UIDs are unique
// within one layout and one namespace. Those of two namespaces, or of leased and disposable IDs,
// can be equal, for each is a space of worker IDs of its own.
package lease
