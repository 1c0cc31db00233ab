// Package lease leases worker IDs: a [Lease] asks a [Store] for an ID that nobody has just
// now, and gives it back. It is for fleets that start so often that disposable IDs would run
// out, and for layouts with few worker bits. Every tick is reserved in the store before it
// may be issued, so that an owner that was paused or cut off and comes back does no harm.
//
// The package knows no database. Package sqlstore has Stores of SQL; package storetest has
// one in memory, and the suite that every Store has to pass.
//
// # What makes a leased ID safe, and what does not
//
// What keeps two owners of one ID apart is not the lease, which only says when the
// ID may go to somebody else, but the reservation: each owner issues only ticks that the
// row's High was raised over by its own acknowledged write, and every other owner begins
// above it. A process can be stopped for a day at any point, and go on.
//
// A store that loses what it has acknowledged (when a server takes over that lacks the
// newest writes, when a dump is restored or rows are removed, in a crash without a synced
// log) forgets reservations. Unless DurableStore claims that this does not happen, a new
// owner therefore begins above all that can have been forgotten: reservations never reach
// further than 3/2 Window beyond the clock, clocks of servers differ by no more than
// MaxClockSkew, and the largest reach of any owner is kept in the namespace's row. For the
// same reason an ID's new owner issues nothing on the strength of its acquisition alone.
//
// What this costs: a new owner starts about 3/2 Window + MaxClockSkew ahead of the clock (92
// s by default). A cached generator gives that back as the clock catches up, if its
// MaxLead is larger than that, as the default of ten minutes is, and until then has little
// left to borrow for bursts: at first one tick for each that passes. An uncached one under a
// policy other than Logical refuses to draw, or waits, as long as its ticks are ahead
// of the clock. DurableStore has neither cost.
//
// While an owner runs nothing is created: a namespace that is not there any more is an
// error, and no other one is begun in its place. With DurableStore a start creates nothing
// either. [Found] makes a namespace, once, by somebody who knows that nobody has an ID of
// it. Other leases make one at their start, which then rests for five minutes, or TTL or
// Quarantine if these are longer, before it leases the first ID: it may be one whose rows
// were lost.
//
// A row that is removed as package registry does it leaves its High behind as the
// namespace's floor, and nobody is given a tick at or below that. An ID without a row begins
// near the store's clock in any case.
//
// These break it, and no store can tell:
//
//   - Two copies of the store that both accept writes.
//   - A running process that was cloned, with its memory ([Lease.Invalidate] is for
//     programs that learn of it).
//   - Servers whose clocks differ by more than MaxClockSkew when one takes over that lacks
//     writes.
//   - DurableStore on a store that loses writes, in ways that a start cannot see: a restored
//     dump, a replica that takes over, a disk that lies about what it has synced.
//   - Rows edited or deleted by hand under DurableStore; without it, a row that is deleted, or
//     whose end is moved back, and that comes back as it was before its owner has renewed,
//     which is within half a Window; or a whole namespace that is put back after the rest of
//     the one in its place, while an owner's TTL is longer than that.
//   - Rows that are lost where owners have a longer TTL than five minutes and than that of the
//     start that makes the namespace anew.
//   - A longer Window than any in the namespace before, if a failover or a restored backup
//     loses the first acquisition with it.
//
// A new layout needs a new namespace: the old one is refused. UIDs are unique within one
// layout and one namespace: those of two namespaces, or of leased and disposable IDs, can be
// equal, for each is a space of worker IDs of its own.
package lease
