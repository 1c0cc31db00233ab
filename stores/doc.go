// Package stores keeps leases of worker IDs (see package lease), and segments of numbers (see package segment), in any
// database that has texts under keys. A [Driver] reads and writes one kind of database.
//
//	store := stores.New(driver)
//	leases, err := store.Leases("orders") // for lease.New
//	segments := store.Segments()          // for segment.New
//
// Drivers for etcd, Kubernetes, Redis and ZooKeeper are in modules of their own below this package. The author of
// another one runs the suite of package drivertest on it.
//
// # Keys
//
//	leases/orders/namespace                    what is common to all rows: layout, floor, highest ID ever
//	leases/orders/worker/0000000000000000005   the row of worker ID 5: last tick, end of the lease, owner
//	segments/invoices                          the row of the tag invoices: next number, step, takers
//
// A namespace's name is escaped as in a URL, a tag stands as it is. Texts are JSON, times are microseconds since 1970.
// A text that this package cannot have written is an error, never a default.
//
// Nothing that a database deletes by itself (a key with a time to live, or of a session) may hold them: the next owner
// would issue the same ticks again.
//
// # Many that start at once
//
// An acquisition is a read and a write, one of each more where it makes rows or the namespace changes, and one more
// write each time that another client was faster. It reads up to 256 rows at first, and all rows only when there are no
// new IDs. A refused write tries another row at random.
package stores
