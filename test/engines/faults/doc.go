// Package faults kills, pauses and cuts off processes that draw, and the servers that they draw from, on every
// engine that the project has a store for.
//
//	go test -v ./test/engines/faults [-run 'TestLeases/on/mariadb/clients_killed'] [-parallel 2]
//
// TestLeases has processes draw UIDs under leased worker IDs, by the real generators. No UID and no tick of a
// worker ID may come twice. Each fault is injected some times, and many times with FULL=1. Then it is injected
// again under blind processes, which use an ID without looking which ticks are reserved, until these are
// found out: a run in which they are not has proven nothing, and fails. After a failover that loses writes they are
// blind for the store's history alone.
//
// TestSegments has processes draw numbers of one tag. No number may come twice, and none may be skipped without a
// reason: each process notes in shared memory each range that it takes, before it takes it, so that it is known
// what a killed one had in hand. A hole, a number below the row's Next that nobody got, has to be one of those.
// At last a server loses what it has acknowledged,
// or has a row restored: each generator whose numbers it has lost has to notice when it takes the next ones,
// and no other one may.
//
// With FULL=1 all engines' tables go to docs/evidence/engines.md. Both kinds of processes mark what
// they get in memory that all of them share (see package harness).
package faults
