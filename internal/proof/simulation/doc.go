// Package simulation runs the lease protocol for a year at the size of a fleet: 10,000 processes
// in three regions, each region with a database and a range of worker IDs of its own.
//
// What is real: each process drives a lease.Lease as a generator does, over the store in memory
// that passes the suite of all stores. One region's database loses acknowledged writes when it
// fails over, one never does and compares versions instead of locking, and one has, besides, no
// clock of its own.
//
// What is simulated: time, as a queue of events, so that nobody sleeps; and the generators. A
// generator here is greedier than a real one: it draws from every tick that its reservation
// holds, not only from those that its clock shows, and from many that lie ahead of it. It counts
// ticks, not UIDs: a UID comes twice only if its tick does. The cost of a database's call is an
// assumption (see Plan), and network calls take no time.
//
// Processes are restarted one after another and all at once, crash, are paused for longer than
// their leases last, and have their clocks set. Databases and whole regions are away for hours.
// Replies are lost, writes are lost or come late. The record of all ticks drawn must not show
// one twice. Everything is drawn from a seed.
//
// A plain go test simulates a small fleet for some weeks, and then with faults planted, which it
// must find. UID_SIMULATION=full, which make simulation sets, runs the year, and writes
// docs/fleet.md and docs/fleet.svg.
package simulation
