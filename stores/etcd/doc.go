// Package etcd keeps leases of worker IDs (see package lease), and segments of numbers (see package
// segment), in etcd: it is a driver of package stores. It needs etcd version 3.4.22 or later, or 3.5.6 or later. The client is the official one, go.etcd.io/etcd/client/v3, and the caller's,
// with its TLS and its account.
//
//	uids, err := cached.New(etcd.Lease(client, "orders"), cached.Config{})
//
// # Keys
//
//	uid/leases/orders/namespace                    what is common to all rows: layout, floor, highest ID ever
//	uid/leases/orders/worker/0000000000000000005   the row of worker ID 5: last tick, end of the lease, owner
//	uid/segments/invoices                          the row of the tag invoices: next number, step, takers
//
// A namespace's name is escaped as in a URL, a tag stands as it is. Values are JSON, times are microseconds since 1970. Nothing but
// this package writes them: a value that it cannot have written is an error, never a default.
//
// None of the keys is attached to a lease of etcd. Such a lease ends with its owner, and etcd then
// deletes its keys: the ticks that the owner used would be forgotten, and the next one would issue
// them again. Here an owner that dies leaves its row, with its last tick.
//
// # What makes it safe
//
// A change is one transaction. It writes if the row and the namespace still have the revisions and
// the values that the decision was based on. Reads are linearizable. etcd answers a write when a
// majority of the members has synced it to disk, so the store is durable, and leases need none of its
// history: the loss of any one member of three loses nothing, and a new owner
// begins right above the last tick of the one before.
//
// etcd has no clock that one could ask, so each client goes by its own. That they are near each
// other is the operator's promise, [Config.ClockError]. A namespace remembers it, and refuses a
// client that has another.
//
// # What breaks it
//
// These can lose what was acknowledged, and the same ticks, or numbers, may then be used again:
//   - --unsafe-no-fsync, and disks that acknowledge what they have not written;
//   - the loss of the disks of a majority of the members; of a single member its one disk;
//   - a restored snapshot (etcdctl snapshot restore), a cluster made anew from one member that is
//     behind (--force-new-cluster), and keys that were copied elsewhere (make-mirror);
//   - versions with known faults, below 3.4.22 and 3.5.0 to 3.5.5: a start refuses these.
//
// After a restore: stop all workers of the namespace, and delete its key
// (etcdctl del uid/leases/orders/namespace). The first start makes it anew, beyond what anybody can have
// reserved. The namespace's key holds the ID of
// the cluster: a snapshot that was restored as a cluster with another ID (another
// --initial-cluster-token or other peer URLs) refuses all workers until this is done, and so do
// copied keys. A cluster with the same ID does not notice, and neither does --force-new-cluster:
// then only decisions are refused that were made on what is lost. If nobody can be sure to follow
// these steps, set lease.Anytime as the Losses of [lease.Config]; then each start begins ahead of the clock.
//
// Rows of segments hold the cluster's ID, too, each of them: in another cluster a Change returns
// [segment.ErrLost]. After a restore: stop all who draw numbers of the tag, delete its key
// (etcdctl del uid/segments/invoices), and make it anew above all numbers that are in use. In a
// cluster with the same ID a generator that runs notices by the row's takers that its numbers are
// lost; one that starts later cannot. So delete the keys then, too.
//
// Keys must not be changed or removed by hand, but for that. A row that is gone takes its last
// tick with it: nobody gets its ID until the row is put back as it was.
//
// # Rights
//
// With authentication on, an account needs to read and write below the prefix:
//
//	etcdctl role add uid
//	etcdctl role grant-permission uid --prefix=true readwrite uid/
//	etcdctl user grant-role orders-service uid
//
// For a service, uid/leases/orders/ will do, or the key of its tag, uid/segments/invoices. What a
// check asks the members (their status, list and alarms) may need more; it leaves out what it may
// not see.
//
// # Cost
//
// A renewal is two requests, a read and a transaction, with 2 kB in all. An acquisition is two as
// well, and one more each time that somebody else was faster. It reads 256 rows from the first on, and, only
// if these are all held, some 230 others; see package stores. One that needs a new ID makes the
// rows of up to 100, so that the next ones find them. Only when there are no new IDs, and that
// sample shows none that is free, a Take reads on: 4 MB for 10,000 rows, if none is free.
//
// A Change of a segment's row is two requests, and one more each time that another client was
// faster. With 256 takers, the most, a row has some 9 kB. Of clients that take numbers of one tag at the
// same time one gets its write through in each round trip.
//
// Each write leaves its value, for a lease about 400 bytes, in the history: set --auto-compaction-retention (an hour, say),
// since at its quota of 2 GB the cluster refuses all writes.
//
// # How it was tested
//
// The suite of package drivertest runs on a small server in memory in this package's own tests, and
// on real clusters of one and of three members, each client on a member of its own, in
// test/engines/etcd: with lost replies, lost writes and late ones, snapshots that are restored
// as the same cluster and as another one, accounts with the rights above and with fewer, and TLS.
package etcd
