// Package etcd keeps leases of worker IDs (see package lease), and segments of numbers (see package segment), in etcd.
// It needs the caller's client of go.etcd.io/etcd/client/v3, and etcd from version 3.4.22 or 3.5.6 on: a start refuses
// those before, which have known faults.
//
//	uids, err := cached.New(etcd.Lease(client, "orders"), cached.Config{})
//
// Keys are those of package stores, behind the prefix uid/. None is attached to a lease of etcd, which would delete it.
//
// # What makes it safe
//
// A change is one transaction on what was read, and reads are linearizable. The store is durable: the loss of any one
// member of three loses nothing.
//
// Each client goes by its own clock: see [Config.ClockError].
//
// # What breaks it
//
// These can lose what was acknowledged, and the same ticks, or numbers, may then be used again:
//   - --unsafe-no-fsync, and disks that acknowledge what they have not written;
//   - the loss of the disks of a majority of the members; of a single member its one disk;
//   - a restored snapshot, a cluster made anew from one member that is behind (--force-new-cluster), and keys that were
//     copied elsewhere (make-mirror);
//   - keys that are changed or removed by hand. Nobody gets the ID of a row that is gone until it is put back as it
//     was.
//
// After a restore: stop all workers of the namespace, and delete its key (etcdctl del uid/leases/orders/namespace). The
// first start makes it anew, beyond what anybody can have reserved. (With the same cluster ID, uid worker init --lost
// will do.) Stop all generators of a tag, too, delete its key (etcdctl del uid/segments/invoices), and make it
// anew above all numbers that are in use.
//
// Keys hold the ID of their cluster. Under another ID (another --initial-cluster-token or other peer URLs) workers are
// refused until this is done, and a Change of a segment returns [segment.ErrLost]. A cluster with the same ID notices
// only decisions that were made on what is lost, and numbers that a running generator has. Where nobody can be sure to
// follow these steps, set lease.Anytime as the Losses of [lease.Config].
//
// # Rights
//
// With authentication on, an account needs to read and write below the prefix:
//
//	etcdctl role add uid
//	etcdctl role grant-permission uid --prefix=true readwrite uid/
//	etcdctl user grant-role orders-service uid
//
// For a service, uid/leases/orders/ will do, or the key of its tag, uid/segments/invoices. A check leaves out what the
// account may not ask the members (their status, list and alarms).
//
// # Cost
//
// A renewal is two requests with 2 kB in all. A Change of a segment's row is two requests, and one more each time that
// another client was faster.
//
// Each write leaves its value, for a lease about 400 bytes, in the history: set --auto-compaction-retention (an hour,
// say), since at its quota of 2 GB the cluster refuses all writes.
package etcd
