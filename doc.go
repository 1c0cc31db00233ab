// Package uid defines the types the module's packages share: [UID], its [Parts], the [Generator] that makes UIDs, the
// [Worker] that says under which worker ID and for which ticks (units of time) they may be made, and the errors.
//
//	 0   28 bits          22 bits     13 bits
//	+-+----------------+-----------+----------+
//	|0|  delta seconds | worker ID | sequence |   the default layout
//	+-+----------------+-----------+----------+
//
// Package bits sets other widths, epochs and units of time.
//
// # Where to go
//
//	Dense numbers without time, 1, 2, 3?    package segment
//	What do the processes share?
//	  a SQL database                        sqlstore.Lease; sqlstore.Disposable if they start
//	                                        rarely, or share UidGenerator's table with Java
//	  etcd, Redis, ZooKeeper, Kubernetes    Lease of stores/etcd, redis, zookeeper,
//	                                        kubernetes
//	  a machine                             sqlite.Lease, sqlite.Disposable
//	  nothing, but each has a number        statefile.New(path, worker.FixedID(1)), a file;
//	                                        worker.Static keeps nothing, restarts repeat UIDs
//	  what an environment variable says     connect.Worker
//	Exact times rather than speed?          uncached.New, else cached.New
//	More than 8,192 a second for each       a layout that uid plan finds, or
//	process, or JavaScript numbers?         bits.JavaScriptSafe; else the default
//	Shards by id % 8, at a low rate         Config.RandomStart, else one gets all
//	Do strangers see them?                  package opaque
//
// Package lease has the settings of leases, and package form other texts of a UID: short ones, ones with a prefix,
// UUIDs.
package uid
