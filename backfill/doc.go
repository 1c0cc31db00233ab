// Package backfill makes UIDs for times that are past: for rows that are older than their UIDs, and that are to sort by
// their creation.
//
//	source := backfill.FromLeases(orders, backfill.LeaseConfig{}) // or FromNumbers
//	g, err := backfill.New(source, backfill.Config{From: oldest, To: newest})
//	u, err := g.At(row.CreatedAt)
//
// The times may come in any order, and as many of a tick (a unit of the layout's time) as the tick holds: 2^sequence
// bits for each worker ID of the run.
//
// # Why nothing collides
//
// A [Generator] gives each sequence of a tick once, and its right to all its ticks is stored when it is made:
//   - [FromNumbers]: all ticks of a disposable worker ID, which nobody else ever has (package worker/disposable).
//   - [FromLeases]: the ticks from Config.From to Config.To of an ID of a namespace of leases (package worker/lease),
//     of which no tick from From on was used. The next holder of the ID begins above To.
//
// So live generators and any number of runs never share a tick of an ID. A run writes nothing while it goes on. If it
// is killed, the next run gets other ticks: store each row with its UID, and start again with the rows that have none.
// But a running import that is cloned with its memory issues its UIDs twice.
//
// There is no source for a static ID or a state file's: nobody knows which of its past ticks were used.
//
// # Spaces of worker IDs
//
// Take the source that the live generators use, or one with worker IDs that they do not have (see package worker):
//   - Live generators with static IDs or state files, 0 to 99 say: make a namespace with the IDs 100 and up for imports
//     (uid worker init --ids 100-199), for example in a SQLite file.
//   - Live leases, and imports from another namespace or from disposable IDs: give the live namespace a range when it
//     is made, and the imports what is outside. Name the live namespaces in [Config].Apart.
package backfill
