// Package lease leases worker IDs: the worker of [New] takes an ID that nobody holds at the moment from a [Store], and
// gives it back. It is for fleets that start so often that disposable IDs would run out, and for layouts with few
// worker bits.
//
// Package sqlstore has Stores for SQL databases, and package stores for etcd, Redis, ZooKeeper and other places that
// keep texts under keys.
//
// # How it works
//
// Every tick (a unit of the layout's time) is reserved in the store before it may be issued. The row of a worker ID
// holds the last tick reserved under it, its owner, and when the lease ends. An owner begins above that tick, and
// renews the lease and reserves more ticks every half Window or when its generator needs them. So the lease only says
// when the ID may go to somebody else; what keeps two owners apart is the reservation. A process can be stopped for a
// day at any point, and go on.
//
// A store may lose acknowledged writes, and with them reservations: when a server takes over that lacks the newest
// ones, when a dump is restored, in a crash without a synced log. So a store names the history under which it answers,
// which is another one after such an event, and the row of the namespace keeps the history that it was last written
// under. When they differ the first to come burns ticks: it raises the namespace's floor by [Burn] beyond the clock,
// further than anybody reserves, and whoever starts from then on begins above it. Owners that run go on as they are.
//
// For ten minutes after a crash or failover, therefore, processes that start are ahead of the clock, with little to
// borrow for bursts, and the first of them waits for MaxClockSkew and a tick. A cached generator with a MaxLead below
// the default, and an uncached one under another policy than Logical, waits until its ticks are near enough. A store
// that never loses a write ([Never]) has none of this, nor has an owner that goes on with the lease in its state file
// (package statefile).
//
// A missing namespace is made by the first start, which begins a Burn ahead of the clock, too: nobody can tell a new
// one from a lost one. [Found], or uid worker init, says that it is new. A running owner that finds no namespace has
// lost its lease. No row is ever removed: nobody gets an ID whose row somebody has deleted, since its owner may be at
// work.
//
// # Several stores, one space of worker IDs
//
// Stores that know nothing of each other, one in each region say, can share a space of worker IDs: each namespace has a
// range of its own (see [Founding]), and refuses whoever asks for others (see [Config]). UIDs of all of them are
// unique, as long as the ranges do not overlap and the layout is the same. Otherwise UIDs of two namespaces can be
// equal. A new layout needs a new namespace.
//
// # What breaks it
//
// These break it, and no store can tell:
//
//   - Stores that share a space of worker IDs, and whose ranges overlap.
//   - Two copies of the store that both accept writes: a former primary has to be fenced.
//   - A server that takes over with writes that the one before it lacked, or one that comes back as it was
//     without those of the server in between.
//   - Servers whose clocks differ by more than MaxClockSkew, when one takes over that lacks writes.
//   - A running process that was cloned with its memory: both copies own the lease until one of them renews it. A
//     program that learns of it calls [worker.Invalidate].
//   - Former rows that come back without another history (see the store's package). uid worker init --lost makes up for
//     it.
//   - Former rows that come back within the TTL of an owner, after a start has made a namespace in their place:
//     an owner that has not looked meanwhile goes on.
//   - [Never] on a store that loses writes in ways that a start cannot see.
//   - A row that is deleted, or edited, and comes back as it was before its owner has renewed.
package lease
