// Package zookeeper keeps leases of worker IDs, and segments of numbers, in a ZooKeeper ensemble.
//
//	conn, _, err := zk.Connect(servers, 10*time.Second)
//	uids, err := cached.New(zookeeper.Lease(conn, "orders"), cached.Config{})
//	numbers, err := zookeeper.Segment(conn, "invoice", segment.Config{})
//
// The connection is the caller's own [zk.Conn], with its authentication (AddAuth) and its dialer
// (zk.WithDialer, for TLS). This package neither opens nor closes one. The command uid worker
// lists what a store has, and checks its ensemble.
//
// # How leases are kept
//
// This is the scheme that Leaf made known, with what it takes to be safe. A persistent node for
// each worker ID that was ever leased, /uid/orders/17, holds the last tick that anyone may have
// used under it. Its data is replaced with the version that was read as the condition, in one
// transaction with a comparison of the namespace's node, /uid/orders. A node of a row is only
// ever made by a transaction that fails when it is there.
//
// No ephemeral node keeps anything that matters: it vanishes with its session, while an owner that
// is paused or cut off goes on, and the last tick would vanish with it. No sequential node
// does, either: its numbers begin again once its parent is deleted, and they only grow, until no
// layout has room for them. [Presence] makes ephemeral nodes, for people who want to see who is
// alive; no lease depends on one.
//
// # Why that is safe
//
// ZooKeeper acknowledges a write when a majority of the servers has it on disk, and carries out
// all writes in one order. So [Leases.Durable] is true, and nobody burns ticks.
//
// A read may be of a server that lags behind. A write that was decided by old values fails, and
// the call begins anew. Before a decision counts that refuses, or finds nothing, all is read again behind a
// transaction that writes nothing. It goes through a majority; sync does not, and may be answered by a leader
// that was replaced.
//
// No row is ever removed, and an ID whose row somebody has deleted is given to nobody: the namespace
// keeps the highest ID that ever had a row, and only those above are new.
//
// A write whose reply was lost may arrive later: a request waits in the client library while it
// looks for a server. The versions decide about it like about any other.
//
// # Clocks
//
// ZooKeeper tells its time only in the reply to a write. The clock of [Leases] is therefore that of
// the process, with Config.ClockError as the bound of its error. Take and Init
// write an empty node besides what they read, at no cost in round trips. They refuse with
// worker.ErrClock when the leader's time shows that one of the two clocks is off by more than
// ClockError. A renewal goes on: refused, the owner would lose its ID, and a wrong clock makes no
// tick come twice here.
//
// # What breaks it
//
//   - Servers with zookeeper.forceSync=no, or disks that lie about what they have synced.
//   - A data folder or snapshot that is restored, or an ensemble that is rebuilt from fewer servers
//     than a majority: acknowledged writes are lost. A store cannot see that. A write that was
//     decided before a restore is carried out after it if the node is back at the version that was
//     read, and the client library accepts the server, which it does once the ensemble's epoch is
//     no less than before. Set lease.Anytime as the lease's Losses where that may happen, or stop all workers, and
//     make the namespace anew under another name.
//   - Nodes that are deleted by hand, all rows of a namespace that is made anew among them. A row
//     that is missing only keeps its ID from everybody, until it is put back as it was. A namespace's
//     node that is emptied (set to no data) is made anew by the next start, ahead of the clock.
//   - Nodes that are written by hand. What a worker has not written is refused, and nobody can use
//     the ID before it is repaired, or replaced by another worker's text.
//
// # A short outage and a long one
//
// Calls wait up to two seconds for a session, and else return an error that may pass. A service
// that has leased before starts while the ensemble is down, from a state file: see package statefile.
//
// The session's timeout matters little to a lease. It is how long a request can wait for a server
// that has gone silent: 10 seconds or less is a good choice. When a server accepts a connection
// and then says nothing, version 1.0.4 of the client library waits for almost seven times that
// before it tries another one.
//
// # Segments
//
// Its Segments keep the rows of package segment: a persistent node for each tag,
// /uid/.segments/orders, whose data is replaced with the version that was read as the condition. A
// refusal (no such tag, numbers used up or lost) is confirmed as those of leases are. Making a row
// makes the nodes above it, too.
//
// What breaks leases breaks segments. An ensemble that lost acknowledged writes gives numbers out
// twice; the generators that had them notice when they next take numbers. Its versions begin again
// where they were: a write that was decided before is carried out if the node has the version that
// was read, even if others have written it since. Stop all who draw numbers before a data folder is
// restored. The same holds for a node that is deleted and made anew.
//
// # Rights
//
// Give workers an account (addauth digest, or SASL by the dialer), and set Config.ACL to
// zk.AuthACL(zk.PermAll): else all nodes are open to whoever reaches the ensemble. Workers need
// READ, WRITE and CREATE on the namespace's node, and READ and WRITE on the nodes below it. A lease that makes its
// namespace needs CREATE on the node above, too. An administrator can make the namespace's node, without data, and
// set its ACL; Init then fills it.
//
// Who draws numbers needs READ and CREATE on /uid/.segments and READ and WRITE on the nodes below it,
// and CREATE on the Root where /uid/.segments is not there yet.
//
// The command uid worker release needs what workers need, uid worker ls and check READ.
//
// # How much it takes
//
// A renewal is two round trips and 1 kB, and one that is refused is four. An acquisition is two. It reads up
// to 256 rows, 75 kB, and more only when all of these are held. One that needs a new ID makes the rows of up to
// 100, so that the next ones find them.
//
// # How it was tested
//
// The suite of package drivertest passes on an ensemble of three servers, each client on a server
// of its own, and on one in memory whose servers lag behind as far as ZooKeeper allows. Lost and
// late writes and sessions that end are part of both. Each comparison of a version was taken out
// once, and the tests noticed.
package zookeeper
