package measure

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/uidgen/uid/benchmarks/subject"
)

// bucketBits is the logarithm of the number of buckets: enough for the table of one of
// them to fit into a cache.
const bucketBits = 12

// Duplicates returns how many keys equal an earlier one: len(ids) minus the number of
// distinct keys. It reorders ids.
//
// It divides them into buckets by a hash and counts each bucket with a small table. It
// compares whole keys, not hashes.
func Duplicates(ids []subject.Key) int {
	const buckets = 1 << bucketBits
	bucket := func(k subject.Key) uint64 { return hash(k) >> (64 - bucketBits) }
	ends := make([]int, buckets+1)
	for _, k := range ids {
		ends[bucket(k)+1]++
	}
	for i := range buckets {
		ends[i+1] += ends[i]
	}
	sorted, next := make([]subject.Key, len(ids)), slices.Clone(ends[:buckets])
	for _, k := range ids {
		b := bucket(k)
		sorted[next[b]] = k
		next[b]++
	}
	var (
		duplicates, taken atomic.Int64
		ended             sync.WaitGroup
	)
	for range runtime.GOMAXPROCS(0) {
		ended.Go(func() {
			var table []int32
			for {
				b := int(taken.Add(1)) - 1
				if b >= buckets {
					return
				}
				var n int
				n, table = duplicatesIn(sorted[ends[b]:ends[b+1]], table)
				duplicates.Add(int64(n))
			}
		})
	}
	ended.Wait()
	return int(duplicates.Load())
}

// duplicatesIn counts with an open-addressing table, at most half full, whose entries are
// the indexes of keys plus one. It returns the table for the next call.
func duplicatesIn(keys []subject.Key, table []int32) (int, []int32) {
	size := 16
	for size < 2*len(keys) {
		size *= 2
	}
	if len(table) < size {
		table = make([]int32, size)
	}
	table, rest := table[:size], table
	clear(table)
	duplicates, mask := 0, uint64(size-1)
search:
	for i, k := range keys {
		at := hash(k) & mask
		for ; table[at] != 0; at = (at + 1) & mask {
			if keys[table[at]-1] == k {
				duplicates++
				continue search
			}
		}
		table[at] = int32(i + 1)
	}
	return duplicates, rest
}

// hash mixes both words so well that the high and the low bits of the result can be used.
func hash(k subject.Key) uint64 {
	h := (k[0] ^ k[1]*0x9e3779b97f4a7c15) + 0x9e3779b97f4a7c15
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
