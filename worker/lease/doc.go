// Package lease leases worker IDs: the worker of [New] takes a free ID from a [Store], and gives it back.
//
// # How it works
//
// Every tick (a unit of the layout's time) is reserved in the store before it may be issued. An owner begins above the
// last tick reserved under its worker ID, and renews the lease and reserves more every half Window or when its
// generator needs it. The reservation keeps two owners apart; the lease says when the ID may go to another.
//
// A store may lose acknowledged writes, and with them reservations. So it names the history under which it answers,
// which changes by a failover to a server that lags, a restored dump, or a crash without a synced log. The first start
// on another history burns ticks: it, and each later start, begins [Burn] beyond the clock it found. Owners that run
// are not affected.
//
// So the starts of the next two minutes are ahead. [Never], and a state file that keeps the lease, avoid that.
//
// The first start makes a missing namespace, and burns, too, for it may have been lost. To avoid that call [Found] in
// the migration that makes the table, or uid worker init: they say that it is new. A running owner that finds no
// namespace has lost its lease. An ID whose row was deleted is not leased again.
//
// # Several stores, one space of worker IDs
//
// UIDs of two namespaces can be equal, unless both have the same layout and each has worker IDs of its own (see
// [Founding]). A new layout needs a new namespace.
//
// # What breaks it
//
// No store can tell
//
//   - that the ranges of stores which share a space of worker IDs overlap;
//   - that two copies of it accept writes: fence a former primary;
//   - that a server takes over with writes that its predecessor lacked, or returns without its successor's;
//   - that its servers' clocks differ by more than MaxClockSkew, when one that lacks writes takes over;
//   - that a process was cloned with its memory: both own the lease until one renews it (see [worker.Invalidate]);
//   - that former rows return without another history (see the store's package): run uid worker init --lost. Once an
//     owner renews and finds an older write of its own, later starts begin ahead;
//   - that rows which were deleted or edited, or replaced by a start's namespace, return before their owner has
//     renewed.
package lease
