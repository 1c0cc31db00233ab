// Package redis keeps leases of worker IDs (see package lease), and segments of numbers (see package
// segment), in Redis or Valkey, from version 6 on.
//
//	client := redis.NewUniversalClient(...) // of github.com/redis/go-redis/v9
//	uids, err := cached.New(uidredis.Lease(client, "orders"), cached.Config{})
//
// A renewal takes two round trips, an acquisition two if no other client is faster. A client may
// be of one server, of Sentinel or of Redis Cluster. The command uid worker lists
// what a store has, and checks its servers' settings.
//
// # What is kept
//
// With the Prefix "uid", for each namespace, say "orders":
//
//	uid:{orders}:namespace   text        the namespace
//	uid:{orders}:rows        hash        a row for each worker ID, of 19 digits
//	uid:{orders}:ids         sorted set  the same worker IDs
//	uid:namespaces           set         the names of all namespaces
//
// Namespaces and rows are JSON; they have no time to live. The braces put a namespace into one slot
// of a cluster. A row has some 300 bytes in all. A script reads 256 of them, or 500 in a page, however many
// there are.
//
// For each tag of segments, say "invoices":
//
//	uid:segment:{invoices}       text        the counter: the last number that was given out
//	uid:segment:{invoices}:row   text        step, description, takers; the next number as of its last write
//	uid:segments                 sorted set  the tags
//
// # Counters that others share
//
// The counter is the plain one of Redis: INCR draws a number from it, and INCRBY n draws n, of which
// it returns the last. Any program in any language may do so beside this package, and a counter
// that was there before is taken over as it is (RENAME id_of_invoices uid:segment:{invoices}). What
// others must not do is set it back, delete it, or give it a time to live: a Change takes that away.
// A counter that is behind its row is [segment.ErrLost]. To begin a tag anew delete both keys.
//
// A Change writes if nobody has drawn since it read the counter, and else tries again at once, one
// round trip each. If others make d draws a second and a round trip takes t, it needs about
// e^(d·t) tries. Measured on one machine beside others that draw one after another as fast as they
// can: 4 to 7 tries in the median beside one, 7 to 18 beside four (5,000 draws a second and more),
// 40 to 70, in 25 ms, beside sixteen (50,000 a second). With d·t above 8 or so a Change may not come
// through: let the others draw more numbers at a time.
//
// Redis loses acknowledged draws as it loses other writes; see below. A lease makes up for that, a
// number cannot: one that was lost is given out again. So [Segments.Inspect] names all that a server
// can lose draws by, and finds nothing only at a server that stands alone, with appendfsync always
// and without eviction. Elsewhere a generator refuses to start unless its user says that he knows.
//
// # What makes it safe
//
// Each step is a script that reads, a decision of this process, and a script that writes. The second
// one stores all or nothing, and only if what was read is still there, to the byte: each write has a
// random token in it, so that nothing that is written again looks like something before. It also
// compares the server's run_id and master_replid. The one changes when a server restarts, the
// other when a replica is promoted: both may have lost writes, and what was decided before must
// not be stored after that. A script that finds its own write in place was repeated, and reports that it
// is stored. The clock is the server's (TIME), read in the script.
//
// Redis loses writes that it has acknowledged. With appendfsync everysec a crash of the machine loses
// a second of them; with always none, if the disk keeps its word; with no whatever the kernel had
// not written. A replica that takes over lacks what it was not sent yet, whatever appendfsync is.
// WAIT does not change that: it says how many replicas have a write, not which one is promoted. So
// Durable is false, and workers make up for what may have been lost, however much it is: once the history
// is another one, a new owner of an ID begins ahead of the clock, beyond all that any former owner can have
// reserved. It needs the servers' clocks to agree within lease.Config's MaxClockSkew. lease.Never is refused;
// do not set lease.NeverUnchecked.
//
// # What breaks it
//
//   - Two primary servers at once. If Sentinel promotes a replica while the former primary is cut off
//     from it but not from some clients, both renew leases and give IDs away. Set min-replicas-to-write
//     to 1 and leave min-replicas-max-lag at 10 s: the one that is cut off then stops taking writes,
//     long before an ID that it has leased is free elsewhere (TTL and Quarantine, 10 minutes). A
//     server of Redis Cluster stops by itself, after cluster-node-timeout.
//   - Clocks of servers that differ by more than MaxClockSkew, or that are set back by more.
//   - A dump or an append-only file put back by hand of a namespace that was in use since by workers
//     with a longer Window than before. See ./model of package lease.
//   - Keys that are changed by hand, or by FLUSHALL, other than by uid worker.
//
// A server that keeps no append-only file, or that may drop keys without a time to live
// (maxmemory-policy allkeys-…), is refused at the start of a worker. Policies of the kind volatile-…
// spare these keys. Set appendonly on replicas, too: they are not asked before they are promoted.
//
// # Rights
//
// An account needs the commands that [Commands] returns, on the keys of the Prefix:
//
//	ACL SETUSER uid on >password ~uid:* +eval +evalsha +info +time +get +set +mset +hget +hset
//	  +zadd +zcard +zrangebylex +sadd +smembers
//
// Segments alone need +eval +evalsha +info +time +get +mset +zadd +zrangebylex, on ~uid:segment*; for
// a single tag on ~uid:segment:{invoices}* and ~uid:segments.
//
// With "config|get" uid worker check sees appendfsync, too, and so does Inspect of segments, which also
// looks for Sentinels with "pubsub|numsub". A managed server has to show run_id and master_replid in
// INFO; a script says so if it does not.
//
// # Errors
//
// Errors that may pass (a lost connection, a failover, a full memory, a missing replica) are marked
// as package worker's Transient. A wrong password, missing rights and keys that hold something else are
// final. Errors have the first word of what the server answered, and none of its text: servers repeat
// passwords in it.
//
// # How it is tested
//
// The suite of package drivertest runs on a server in memory with each go test, and
// in the module test/engines on Redis 7 and Valkey 9, alone and as a cluster, with lost requests
// and replies, restarts that lose writes, and with accounts that have just these rights. There owners also draw
// UIDs while replicas that lack their acquisitions and renewals are promoted: no UID comes twice, and
// with the burn taken out hundreds do. On Sentinel's client a store goes on. Faults that are planted in
// the scripts and around them are found by the tests (testdata/mutants.txt).
package redis
