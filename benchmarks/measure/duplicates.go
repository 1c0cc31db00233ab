package measure

import (
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/benchmarks/subject"
)

// bucketBits is the logarithm of the number of buckets: enough for the table of one of
// them to fit into a cache.
const bucketBits = 12

// duplicates returns how many keys equal an earlier one: len(ids) minus the number of
// distinct keys. It divides them into buckets by a hash, and compares the whole keys of a bucket.
func duplicates(ids []subject.Key) int {
	const buckets = 1 << bucketBits
	bucket := func(k subject.Key) uint64 { return hash(k) >> (64 - bucketBits) }
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
		var table []int32
		for b := taken.Add(1); b <= buckets; b = taken.Add(1) {
			var n int
			n, table = duplicatesIn(sorted[ends[b-1]:ends[b]], table)
			found.Add(int64(n))
		}
		return nil
	})
	return int(found.Load())
}

// duplicatesIn counts with an open-addressing table, at most half full, whose entries are
// the indexes of keys plus one. It returns the table for the next call.
func duplicatesIn(keys []subject.Key, table []int32) (n int, _ []int32) {
	size := 16
	for size < 2*len(keys) {
		size *= 2
	}
	table = slices.Grow(table[:0], size)[:size]
	clear(table)
	mask := uint64(size - 1)
	for i, k := range keys {
		at := hash(k) & mask
		for table[at] != 0 && keys[table[at]-1] != k {
			at = (at + 1) & mask
		}
		if table[at] != 0 {
			n++
		}
		table[at] = int32(i + 1)
	}
	return n, table
}

// hash mixes both words so well that the high and the low bits of the result can be used.
func hash(k subject.Key) uint64 {
	h := (k[0] ^ k[1]*0x9e3779b97f4a7c15) + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
