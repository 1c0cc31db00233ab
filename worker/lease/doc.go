// Package lease leases worker IDs: the worker of [New] takes an ID that nobody holds at the moment from a [Store], and
// gives it back. It is for fleets that start so often that disposable IDs would run out, and for layouts with few
// worker bits. Packages sqlstore and stores have the Stores.
//
// # How it works
//
// Every tick (a unit of the layout's time) is reserved in the store before it may be issued. An owner of a worker ID
// begins above the last tick reserved under it, and renews the lease and reserves more every half Window or when its
// generator needs it. The lease only says when the ID may go to somebody else; the reservation keeps two owners apart.
// So a process can be stopped for a day at any point, and go on.
//
// A store may lose acknowledged writes, and with them reservations: by a failover to a server that lags, a restored
// dump, or a crash without a synced log. So a store names the history under which it answers, which changes with such
// an event. The first start on another history burns ticks: it, and whoever starts after it, begins [Burn] beyond the
// clock. Owners that run go on as they are.
//
// For ten minutes, therefore, processes that start are ahead of the clock, with little to borrow for bursts, and the
// first of them waits for MaxClockSkew and a tick. A cached generator with a MaxLead below the default, and an uncached
// one under another policy than Logical, waits until its ticks are near enough. With [Never] there is none of this, nor
// for an owner that goes on with the lease in its state file (package statefile).
//
// The first start makes a missing namespace, and burns, too: nobody can tell a new one from a lost one. [Found], or uid
// worker init, says that it is new. A running owner that finds no namespace has lost its lease. Nobody gets an ID whose
// row somebody has deleted, since its owner may be at work.
//
// # Several stores, one space of worker IDs
//
// UIDs of two namespaces can be equal, unless both have the same layout and each has a range of worker IDs of its own
// (see [Founding]). That is for stores that know nothing of each other, such as one in each region. A new layout needs
// a new namespace.
//
// # What breaks it
//
// No store can tell
//
//   - that the ranges of stores which share a space of worker IDs overlap;
//   - that two copies of it accept writes: fence a former primary;
//   - that a server takes over with writes that the one before it lacked, or comes back without those of the server in
//     between;
//   - that its servers' clocks differ by more than MaxClockSkew, when one takes over that lacks writes;
//   - that a running process was cloned with its memory: both copies own the lease until one renews it (see
//     [worker.Invalidate]);
//   - that former rows come back without another history (see the store's package): run uid worker init --lost;
//   - that former rows come back within the TTL of an owner that has not looked meanwhile, after a start has made a
//     namespace in their place;
//   - that a row is deleted or edited, and comes back as it was before its owner has renewed;
//   - that it loses writes in spite of [Never], where its settings do not show it.
package lease
