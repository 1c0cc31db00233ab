package cached_test

import (
	"fmt"
	"math/bits"
	"testing"

	"github.com/uidgen/uid/cached"
)

// An offset is an array whose length says how much code stands before a loop.
type offset interface {
	[0]byte | [1]byte | [2]byte | [3]byte | [4]byte | [5]byte | [6]byte | [7]byte |
		[8]byte | [9]byte | [10]byte | [11]byte | [12]byte | [13]byte | [14]byte | [15]byte
}

// laneAt draws n UIDs from a Lane. The compiler makes one function for each P, in which the
// loop begins some bytes later than in the one before.
//
//go:noinline
func laneAt[P offset](l *cached.Lane, n int) (sum uint64) {
	var p P
	if len(p)&1 != 0 {
		sum = stir(sum, n)
	}
	if len(p)&2 != 0 {
		sum = stir2(sum, n)
	}
	if len(p)&4 != 0 {
		sum = stir2(stir2(sum, n), n)
	}
	if len(p)&8 != 0 {
		sum = stir2(stir2(sum, n), n)
		sum = stir2(stir2(sum, n), n)
	}
	for range n {
		id, err := l.GetUID()
		if err != nil {
			panic(err)
		}
		sum += uint64(id)
	}
	return sum
}

// stir is two instructions that the compiler cannot leave out: 7 bytes on amd64.
func stir(sum uint64, n int) uint64 { return bits.RotateLeft64(sum, 7) + uint64(n) }

func stir2(sum uint64, n int) uint64 { return stir(stir(sum, n), n) }

// BenchmarkLanePlacement times a Lane in a loop at sixteen places: how long a short loop takes can
// depend on where in a line of the instruction cache its jumps stand.
func BenchmarkLanePlacement(b *testing.B) {
	const n = 1 << 18
	for i, draw := range []func(*cached.Lane, int) uint64{
		laneAt[[0]byte], laneAt[[1]byte], laneAt[[2]byte], laneAt[[3]byte],
		laneAt[[4]byte], laneAt[[5]byte], laneAt[[6]byte], laneAt[[7]byte],
		laneAt[[8]byte], laneAt[[9]byte], laneAt[[10]byte], laneAt[[11]byte],
		laneAt[[12]byte], laneAt[[13]byte], laneAt[[14]byte], laneAt[[15]byte],
	} {
		b.Run(fmt.Sprintf("place=%d", i), func(b *testing.B) {
			l := generator(b).Lane()
			draw := func(n int) uint64 { return draw(l, n) }
			timed(1, n, draw)
			var draws []float64
			for range b.N {
				draws = append(draws, float64(timed(1, n, draw))/n)
			}
			b.ReportMetric(median(draws), "ns/UID")
			b.ReportMetric(0, "ns/op")
		})
	}
}
