// Package zookeeper keeps leases of worker IDs (see package lease), and segments of numbers (see package segment), in a
// ZooKeeper ensemble. The connection is the caller's own [zk.Conn], with its authentication (AddAuth) and dialer
// (zk.WithDialer, for TLS).
//
//	conn, _, err := zk.Connect(servers, 10*time.Second)
//	uids, err := cached.New(zookeeper.Lease(conn, "orders"), cached.Config{})
//	numbers, err := zookeeper.Segment(conn, "invoice", segment.Config{})
//
// # How leases are kept
//
// A persistent node for each worker ID that was ever leased, /uid/orders/17, holds the last tick that anyone may have
// used under it. The namespace's node is /uid/orders. A segment is a node /uid/.segments/orders. No node is
// ephemeral or sequential.
//
// # What makes it safe
//
// The store is durable. A write that was decided by old values fails, also when it arrives late. No row is ever
// removed.
//
// The clock is the process's, within Config.ClockError. Acquisitions and Init refuse with [worker.ErrClock] when the
// leader's time shows that one of the two clocks is off by more. A renewal goes on: no tick comes twice.
//
// # What breaks it
//
//   - Servers with zookeeper.forceSync=no, or disks that lie about what they have synced.
//   - A data folder or snapshot that is restored, or an ensemble that is rebuilt from fewer servers than a majority:
//     acknowledged writes are lost, and a store cannot see that. Set lease.Anytime as the lease's Losses where that may
//     happen, or stop all workers before, and start them after uid worker init --lost, or two minutes later. Segments
//     give numbers out twice: stop all generators before you restore.
//   - Nodes that are deleted by hand and made anew. A missing row only keeps its ID from everybody until it is put back
//     as it was. A namespace's node that is emptied (set to no data) is made anew by the next start, ahead of the
//     clock.
//   - Nodes that are written by hand. What a worker has not written is refused until it is repaired.
//
// # A short outage and a long one
//
// Calls wait up to two seconds for a session, and else return an error that may pass. A request can wait for a silent
// server as long as the session's timeout: choose 10 seconds or less. Version 1.0.4 of the client library waits almost
// seven times that for a server that accepts a connection and is silent.
//
// # Rights
//
// Give workers an account (addauth digest, or SASL by the dialer), and set Config.ACL to zk.AuthACL(zk.PermAll).
// Workers need READ, WRITE and CREATE on the namespace's node, and READ and WRITE on the nodes below it. A lease that
// makes its namespace needs CREATE on the node above, too, unless an administrator has made the namespace's node,
// without data. A generator of numbers needs READ and CREATE on /uid/.segments, READ and WRITE below it, and CREATE on
// the Root where /uid/.segments is not there yet. The command uid worker release needs what workers need, uid worker ls
// and check READ.
//
// # Cost
//
// A renewal is two round trips and 1 kB, four when refused. An acquisition is two, and up to 75 kB; see package stores.
package zookeeper
