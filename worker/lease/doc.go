// Package lease leases worker IDs: the worker of [New] takes an ID that nobody holds at the moment from a
// [Store], and gives it back. It is for fleets that start so often that disposable IDs would run
// out, and for layouts with few worker bits. Every tick (a unit of the layout's time) is reserved
// in the store before it may be issued, so that an owner that was paused or cut off does no harm
// when it comes back.
//
// The package knows no database. Package sqlstore has Stores for SQL databases, package stores one for
// places that keep texts under keys; package drivertest has one in memory, and the suite
// that every driver has to pass.
//
// # What makes a leased ID safe
//
// Two owners of one ID are kept apart not by the lease, which only says when the ID may go to
// somebody else, but by the reservation. Each owner issues only ticks by which its own
// acknowledged write has raised the row's High, and every other owner begins above High. A
// process can be stopped for a day at any point, and go on.
//
// A store that loses acknowledged writes forgets reservations: when a server takes over that
// lacks the newest ones, when a dump is restored, or in a crash without a synced log. So a store names
// the history under which it answers (see [Clock]), which is another one after such an event, and the
// namespace keeps the history that it was last written under. As long as they are the same nothing can have
// been lost, and a start begins at once, where the row says. When they are not, the first to come burns
// ticks: it raises the namespace's floor by [Burn], further beyond the clock than anybody reserves,
// and everybody who starts from then on begins above the floor. Owners that run go on as they are.
//
// So the price is paid after a crash or a failover, and at no other time: for ten minutes UIDs of processes
// that start are ahead of the clock, by what is left of these ten minutes, with little to borrow for bursts, and
// the first start waits for MaxClockSkew and a tick. A cached generator with the default MaxLead issues UIDs at
// once; one with a smaller MaxLead, and an uncached one under another policy than Logical, waits until its ticks are
// near enough. A store that never loses a write ([Never]) has none of this, and neither has an owner that goes on
// with the lease that its state file keeps (package statefile).
//
// A missing namespace is made by the first start, at once. Nobody can tell a new one from one that was lost,
// so it begins a Burn ahead of the clock, as after a failover. [Found], or uid worker init, says that it is new:
// then nothing is ahead. A running owner creates nothing. One that finds no namespace has lost its lease.
//
// No row is ever removed. The namespace keeps the highest ID that ever had one: only those above it
// are new, and their rows are made some at once. So a row that somebody has deleted makes no ID new,
// whose owner may be at work. Nobody gets such an ID until its row is put back; whoever finds no
// other is told which rows are missing.
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
//   - Two copies of the store that both accept writes: a former primary has to be fenced.
//   - A server that takes over with writes that the one before it lacked, or one that comes back as it was
//     without those of the server in between.
//   - Servers whose clocks differ by more than MaxClockSkew, when one takes over that lacks
//     writes.
//   - A running process that was cloned with its memory ([New] has what is for programs that
//     learn of it).
//   - Former rows that come back without another history: what a store's package says of that. uid worker init
//     --lost makes up for it.
//   - Former rows that come back within the TTL of an owner, after a start has made a namespace in their place:
//     an owner that has not looked meanwhile goes on.
//   - [Never] on a store that loses writes in ways that a start cannot see.
//   - A row that is deleted, or edited, and comes back as it was before its owner has renewed.
//
// A new layout needs a new namespace: a namespace of another layout is refused. UIDs are unique
// within one layout and one namespace. Those of two namespaces, or of leased and disposable IDs,
// can be equal, for each is a space of worker IDs of its own.
package lease
