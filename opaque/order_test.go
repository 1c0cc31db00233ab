package opaque

import (
	"crypto/aes"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

// amount is how many UIDs the tests below seal.
func amount() int { return max(100_000, fake.Amount("UID_SEALED", 100_000)) }

// TestNoVisibleOrder: what a generator has issued in a day looks, sealed, like random numbers. By
// chance less than one key in 10^9 would fail (see limit); the key is fixed, so that the test
// fails always or never.
//
// The statistics see what somebody with many sealed UIDs and no key could see. They do not measure
// strength: FF1 of three rounds, or a good hash without a key, passes as well. TestSamples and
// TestKnown say that it is FF1, of ten rounds.
func TestNoVisibleOrder(t *testing.T) {
	c := must(newCipher(counting(16), "orders"))
	seal := func(u uid.UID) uid.UID { return must(c.seal(u)) }
	all := examine(seal, aDay(amount()))
	t.Log(all)
	require.Empty(t, all.visible())
}

// TestWeakCiphersShow plants ciphers that do not hide the order, and says by what they are found. There
// is one for each statistic.
func TestWeakCiphersShow(t *testing.T) {
	uids := aDay(amount())
	f := newFF1(must(aes.NewCipher(counting(16))), 2, uidBits, "orders")
	seen := map[string]bool{}
	for _, tt := range []struct {
		name string
		seal func(uid.UID) uid.UID
		by   []string
	}{
		{
			"XOR", func(u uid.UID) uid.UID { return u ^ 0x5bd1e9955bd1e995 },
			[]string{"ascents", "bits", "correlation with the next", "high bits", "low bits", "avalanche"},
		},
		{
			"multiplicative hash", func(u uid.UID) uid.UID { return u * 0x1e3779b97f4a7c15 & uid.Max },
			[]string{"ascents", "bits of the next", "bits of a second later", "low bits", "avalanche"},
		},
		{
			"shift, so that the day fills the range", func(u uid.UID) uid.UID { return u << 11 & uid.Max },
			[]string{"trend", "ascents", "correlation with the next", "correlation with a second later", "avalanche"},
		},
		{
			"the time in clear", func(u uid.UID) uid.UID {
				_, low := f.encrypt(split(u))
				return u&^math.MaxUint32 | uid.UID(low)
			},
			[]string{"ascents", "bits", "correlation with the next", "high bits", "pairs", "avalanche"},
		},
		{
			"FF1 of 2 rounds", func(u uid.UID) uid.UID {
				a, b := split(u)
				for i := range uint64(2) {
					_, y := f.round(new([16]byte), i, b)
					a, b = b, (a+y)%uint64(f.sizes[i])
				}
				return join(a, b)
			},
			[]string{"bits of the next", "bits of a second later", "high bits", "pairs", "avalanche"},
		},
	} {
		found := examine(tt.seal, uids).visible()
		t.Log(tt.name, found)
		require.Subset(t, slices.Collect(maps.Keys(found)), tt.by, tt.name)
		for _, name := range tt.by {
			seen[name] = true
		}
	}
	for name := range examine(func(u uid.UID) uid.UID { return u }, uids) {
		require.True(t, seen[name], "nothing is found by %s", name)
	}
}

// aDay returns n UIDs of one day in the order in which a worker issues them, in the default layout:
// the same number in each second, until there are n.
func aDay(n int) []uid.UID {
	l := bits.Default()
	first := l.TickAt(time.Date(2026, time.November, 21, 0, 0, 0, 0, time.UTC))
	uids := make([]uid.UID, n)
	each := perSecond(n)
	for i := range uids {
		uids[i] = must(l.Compose(first+int64(i/each), 1, int64(i%each)))
	}
	return uids
}

// perSecond is how many of n UIDs of a day are of the same second.
func perSecond(n int) int {
	const seconds = 24 * 60 * 60
	return (n + seconds - 1) / seconds
}

// limit is how many standard deviations chance does not reach. All statistics but seven count fair
// coins, 4,158 of them; such a count is 8 standard deviations off with a probability of at most
// 2*exp(-8*8/2) (Hoeffding), and one of them is with 1.1e-10. The seven others are close to a
// normal distribution, for which it is 1.2e-15 each.
const limit = 8

// statistics are by how many standard deviations sealed UIDs differ from random numbers: for each kind
// of statistic, the one that differs most.
type statistics map[string]float64

func (s statistics) add(kind string, z float64) {
	if worst, found := s[kind]; !found || math.Abs(z) > math.Abs(worst) {
		s[kind] = z
	}
}

// visible returns those that chance does not explain.
func (s statistics) visible() statistics {
	found := statistics{}
	for kind, z := range s {
		if math.Abs(z) >= limit {
			found[kind] = z
		}
	}
	return found
}

// examine seals UIDs that were issued in this order, and compares the results with random numbers.
func examine(seal func(uid.UID) uid.UID, uids []uid.UID) statistics {
	n := len(uids)
	sealed := make([]uid.UID, n)
	for i, u := range uids {
		sealed[i] = seal(u)
	}
	s := statistics{}
	s.balance(sealed)
	s.neighbours(sealed, 1, "the next")
	s.neighbours(sealed, perSecond(n), "a second later")
	s.rising(sealed)
	s.trend(sealed)
	s.buckets(sealed)
	s.avalanche(seal, uids, sealed)
	return s
}

// fair adds how far each bit of n words is from being 1 in half of them.
func (s statistics) fair(kind string, n int, word func(i int) uid.UID) {
	var ones [uidBits]int
	for i := range n {
		x := word(i)
		for bit := range ones {
			ones[bit] += int(x >> bit & 1)
		}
	}
	for _, count := range ones {
		s.add(kind, (2*float64(count)-float64(n))/math.Sqrt(float64(n)))
	}
}

// Each bit is 1 in half of the numbers.
func (s statistics) balance(sealed []uid.UID) {
	s.fair("bits", len(sealed), func(i int) uid.UID { return sealed[i] })
}

// Each bit differs in half of the pairs of numbers that were issued a distance apart; and as
// numbers the two are not correlated.
func (s statistics) neighbours(sealed []uid.UID, distance int, which string) {
	pairs := len(sealed) - distance
	s.fair("bits of "+which, pairs, func(i int) uid.UID { return sealed[i] ^ sealed[i+distance] })
	var sum float64
	for i, x := range sealed[:pairs] {
		sum += centred(x) * centred(sealed[i+distance])
	}
	s.add("correlation with "+which, sum/(variance*math.Sqrt(float64(pairs))))
}

// centred maps a UID to a number from -1/2 to 1/2, whose variance is 1/12.
func centred(u uid.UID) float64 { return float64(u)/(1<<uidBits) - 0.5 }

const variance = 1.0 / 12

// A number is larger than the one before it in half of the cases; the variance of these is that of
// the ascents of a random permutation.
func (s statistics) rising(sealed []uid.UID) {
	n, ascents := float64(len(sealed)), 0
	for i, x := range sealed[1:] {
		if x > sealed[i] {
			ascents++
		}
	}
	s.add("ascents", (float64(ascents)-(n-1)/2)/math.Sqrt((n+1)/12))
}

// The numbers are not correlated with their places.
func (s statistics) trend(sealed []uid.UID) {
	var sum, squares float64
	for i, x := range sealed {
		place := float64(i)/float64(len(sealed)-1) - 0.5
		sum += centred(x) * place
		squares += place * place
	}
	s.add("trend", sum/math.Sqrt(variance*squares))
}

// The highest ten bits, the lowest ten, and the highest five of two neighbours have each of their
// values equally often.
func (s statistics) buckets(sealed []uid.UID) {
	var high, low, pairs [1 << 10]int
	for i, x := range sealed {
		high[x>>(uidBits-10)]++
		low[x%(1<<10)]++
		if i%2 == 1 {
			pairs[x>>(uidBits-5)<<5|sealed[i-1]>>(uidBits-5)]++
		}
	}
	s.add("high bits", chiSquare(high[:]))
	s.add("low bits", chiSquare(low[:]))
	s.add("pairs", chiSquare(pairs[:]))
}

// chiSquare returns Pearson's statistic of equally likely values, turned into standard deviations of
// a normal distribution (Wilson and Hilferty 1931).
func chiSquare(counts []int) float64 {
	n := 0
	for _, count := range counts {
		n += count
	}
	expected, sum := float64(n)/float64(len(counts)), 0.0
	for _, count := range counts {
		off := float64(count) - expected
		sum += off * off / expected
	}
	k := float64(len(counts) - 1)
	return (math.Cbrt(sum/k) - (1 - 2/(9*k))) / math.Sqrt(2/(9*k))
}

// When one bit of a UID is flipped, each bit of the sealed one flips in half of the cases. As many
// are sealed for this as for all the rest.
func (s statistics) avalanche(seal func(uid.UID) uid.UID, uids, sealed []uid.UID) {
	for bit := range uidBits {
		s.fair("avalanche", len(uids)/uidBits, func(i int) uid.UID {
			return sealed[i*uidBits] ^ seal(uids[i*uidBits]^1<<bit)
		})
	}
}
