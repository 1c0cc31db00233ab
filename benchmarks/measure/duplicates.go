package measure

import (
	"hash/maphash"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// bucketBits is the logarithm of the number of buckets: enough for the map of one of them to fit into a cache.
const bucketBits = 12

// duplicates returns how many keys equal an earlier one: len(ids) minus the number of
// distinct keys. It divides them into buckets by a hash, and compares the whole keys of a bucket.
func duplicates(ids []subject.Key) int {
	const buckets = 1 << bucketBits
	seed := maphash.MakeSeed()
	bucket := func(k subject.Key) uint64 { return maphash.Comparable(seed, k) >> (64 - bucketBits) }
	ends := make([]int, buckets+1)
	for _, k := range ids {
		ends[bucket(k)+1]++
	}
	for i := range buckets {
		ends[i+1] += ends[i]
	}
	sorted, next := make([]subject.Key, len(ids)), slices.Clone(ends)
	for _, k := range ids {
		b := bucket(k)
		sorted[next[b]] = k
		next[b]++
	}
	var found, taken atomic.Int64
	_, _ = together(runtime.GOMAXPROCS(0), func(int, time.Time) error {
		seen := make(map[subject.Key]struct{})
		for b := taken.Add(1); b <= buckets; b = taken.Add(1) {
			keys := sorted[ends[b-1]:ends[b]]
			for _, k := range keys {
				seen[k] = struct{}{}
			}
			found.Add(int64(len(keys) - len(seen)))
			clear(seen)
		}
		return nil
	})
	return int(found.Load())
}
