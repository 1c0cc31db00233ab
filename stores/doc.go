// Package stores keeps leases of worker IDs (see package lease), and segments of numbers (see package
// segment), in any database that has texts under keys. What databases differ in is a [Driver]: it reads
// some keys at one time, and writes some if nobody has written what was read. All the rest is here: the
// loop of read, decide and write, the choice of a free ID, the form of the texts.
//
//	store := stores.New(driver)
//	leases, err := store.Leases("orders") // for lease.New
//	segments := store.Segments()          // for segment.New
//
// Drivers for etcd, Redis and ZooKeeper are in modules of their own below this package. Whoever writes
// another one runs the suite of package drivertest on it.
//
// # Keys
//
//	leases/orders/namespace                    what is common to all rows: layout, floor, highest ID ever
//	leases/orders/worker/0000000000000000005   the row of worker ID 5: last tick, end of the lease, owner
//	segments/invoices                          the row of the tag invoices: next number, step, takers
//
// A namespace's name is escaped as in a URL, a tag stands as it is; [ParseKey] takes a key apart. Texts are
// JSON, times are microseconds since 1970. Each text that is written has a token of its own, so that no two
// writes are alike. Nothing but this package writes them: a text that it cannot have written is an error,
// never a default.
//
// Nothing that a database deletes by itself (a key with a time to live, or of a session) may hold them: the
// ticks that an owner has used would be forgotten, and the next one would issue them again.
//
// # Many that start at once
//
// An acquisition is a read and a write. Of up to 256 rows it finds the one that has been over for longest.
// Of more it looks at those of the lowest IDs, and then at the newest ones and at some at random; it takes a
// new ID when all of these are held, and reads all rows only when there are no new IDs. A write that is
// refused reads some rows that are likely to be free with the same request, and tries one of them at random,
// so that a crowd goes apart.
package stores
