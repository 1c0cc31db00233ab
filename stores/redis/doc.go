// Package redis keeps leases of worker IDs (see package lease), and segments of numbers (see package segment), in Redis
// or Valkey, from version 6 on. A renewal or an acquisition takes two round trips; see package stores.
//
//	client := redis.NewUniversalClient(...) // of github.com/redis/go-redis/v9
//	uids, err := cached.New(uidredis.Lease(client, "orders"), cached.Config{})
//
// # What is kept
//
// With the Prefix "uid", for a namespace "orders", and a tag of segments, "invoices":
//
//	uid:{orders}:namespace       text        the namespace
//	uid:{orders}:rows            hash        a row for each worker ID, of 19 digits; some 300 bytes each
//	uid:{orders}:ids             sorted set  the same worker IDs
//	uid:namespaces               set         the names of all namespaces
//	uid:segment:{invoices}       text        the counter: the last number that was given out
//	uid:segment:{invoices}:row   text        step, description, takers; the next number as of its last write
//	uid:segments                 sorted set  the tags
//
// Namespaces and rows are JSON, and have no time to live.
//
// # Counters that others share
//
// INCR draws a number from a tag's counter, and INCRBY n draws n, of which it returns the last. Any program may do so
// beside this package, and a counter that was there before is taken over as it is (RENAME id_of_invoices
// uid:segment:{invoices}). Others must not set it back, delete it, or give it a time to live. A counter that is behind
// its row is [segment.ErrLost]. To begin a tag anew delete both keys.
//
// A Change that another draw overtakes tries again, one round trip each. If others make d draws a second and a round
// trip takes t, it needs about e^(d·t) tries: with d·t above 8 let the others draw more numbers at a time.
//
// # What makes it safe
//
// A script writes all or nothing, and only if what was read is still there and the server's run_id and master_replid
// are the same. These change with a restart or a promoted replica. The clock is the server's.
//
// The store is not durable: Redis loses acknowledged writes in a crash (a second of them with appendfsync everysec) and
// when a replica takes over, also after WAIT. After either, new owners begin ahead of the clock, beyond all that former
// ones can have reserved. lease.Never is refused; do not set lease.NeverUnchecked.
//
// Lost numbers of segments are given out again. A generator refuses to start unless the server stands alone, with
// appendfsync always and without eviction, or its Config accepts a LossyStore.
//
// # What breaks it
//
//   - Two primary servers at once. If Sentinel promotes a replica while the former primary is cut off from it but not
//     from some clients, both give IDs away. Set min-replicas-to-write to 1 and leave min-replicas-max-lag at 10 s, so
//     that the former one stops taking writes. In Redis Cluster it stops by itself.
//   - Clocks of servers that differ by more than lease.Config's MaxClockSkew, or that are set back by more.
//   - Keys that are put back, or changed, by hand while the server runs, other than by uid worker.
//
// A server that keeps no append-only file, or that may drop keys without a time to live (maxmemory-policy allkeys-…),
// is refused at the start of a worker. Set appendonly on replicas, too.
//
// # Rights
//
// An account needs the commands that [Commands] returns, on the keys of the Prefix:
//
//	ACL SETUSER uid on >password ~uid:* +eval +evalsha +info +time +get +set +mset +hget +hset
//	  +zadd +zcard +zrangebylex +sadd +smembers
//
// Segments alone need +eval +evalsha +info +time +get +mset +zadd +zrangebylex, on ~uid:segment*; for a single tag on
// ~uid:segment:{invoices}* and ~uid:segments. With "config|get" uid worker check, and a start of segments, see
// appendfsync, too, and the latter Sentinels with "pubsub|numsub". A managed server has to show run_id and
// master_replid in INFO.
//
// # Errors
//
// Errors that may pass (a lost connection, a failover, a full memory, a missing replica) are marked with
// [worker.Transient]; a wrong password, missing rights and keys that hold something else are final. Of a server's text
// they repeat only the first word.
package redis
