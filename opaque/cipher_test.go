package opaque

import (
	"crypto/cipher"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// counting returns the key 0, 1, 2 and so on.
func counting(n int) Secret {
	s := make(Secret, n)
	for i := range s {
		s[i] = byte(i)
	}
	return s
}

const year = "invoices of the year 2026" // a tweak of two blocks

// TestKnown compares with FF1 of @noble/ciphers 2.4.0, https://github.com/paulmillr/noble-ciphers,
// for radix 2 and strings of 63 numerals. Tweaks of 11 and 12 bytes are the longest that fits into
// one block with the number of the round and B, and the shortest that does not.
func TestKnown(t *testing.T) {
	plain := [6]uid.UID{0, 1, 180363646902239241, 180363646902239242, 962672698415128576, uid.Max}
	alphabet := strings.Repeat("abcdefghijklmnopqrstuvwxyz", 10)[:255]
	for _, tt := range []struct {
		bytes  int // of the key
		tweak  string
		sealed [6]uid.UID
	}{
		{16, "", [6]uid.UID{6851524406231690879, 3373251355954433687, 2573229073891176359, 7416015668386221062,
			2391600342960854752, 3637629429729561053}},
		{16, "orders", [6]uid.UID{3600749431916019212, 1541892342310181755, 3755253776816992878, 5709441696184518819,
			8813230528108006886, 5735283039704491447}},
		{16, "elevenbytes", [6]uid.UID{2262539253664678667, 1842062490466814913, 6656133232016301391,
			2810599904256131410, 3058924283212380021, 3469051026447367518}},
		{16, "twelve bytes", [6]uid.UID{5754467125283701769, 7641025674161984523, 632625421890853959,
			648210174008775846, 6218514507704495371, 481908833082553593}},
		{16, year, [6]uid.UID{5660816947555632243, 7464367936705536382, 8411823919522184528, 6863760293251584824,
			4731413076481135964, 2169274935044009920}},
		{16, alphabet, [6]uid.UID{2714385560369657441, 409581064152482768, 5631914399833266412, 954783270682767405,
			6853053131186375462, 1363135003801038448}},
		{24, "orders", [6]uid.UID{7932799735820083879, 177883415750122017, 8336694872641503173, 792243289278686508,
			8946482084477613600, 4034194812798571060}},
		{24, year, [6]uid.UID{5520031225450786099, 3401079359000899921, 4288586772923652960, 776537727321824575,
			7901047268168720253, 7538817740582996289}},
		{32, "", [6]uid.UID{8644528584386371073, 5176940450318186190, 2596050348704945367, 8557760946893250487,
			7722966655609482389, 4244600280903827775}},
		{32, "orders", [6]uid.UID{6432511827321561684, 3225222220399814638, 3154126003571660196, 8378498754115153809,
			5740568496759090948, 2934272710623533476}},
		{32, "elevenbytes", [6]uid.UID{7077129868053407252, 7252222208743530786, 7374801624018714954,
			9215326338762735761, 6409811930884528000, 7731137649680461732}},
		{32, "twelve bytes", [6]uid.UID{2452506987848041805, 7163421672023693451, 6334678415126322540,
			5927050656379972091, 3649432179292540697, 8641338009753590777}},
		{32, alphabet, [6]uid.UID{2583968156872375923, 2260923856209970437, 925245986869766248, 4313459689461416052,
			3859962506723149288, 6049860424721254449}},
	} {
		c := must(newCipher(counting(tt.bytes), tt.tweak))
		for i, u := range plain {
			sealed := must(c.seal(u))
			require.Equal(t, tt.sealed[i], sealed, "%d bytes, %q, %d", tt.bytes, tt.tweak, u)
			require.Equal(t, u, must(c.open(sealed)))
		}
	}
}

func TestNegativeNumbers(t *testing.T) {
	c, s := must(newCipher(counting(16), "")), must(New(Config{Keys: []Key{{1, counting(16)}}, Current: 1}))
	for _, u := range []uid.UID{-1, math.MinInt64, -7053003394352373760} {
		text, err := s.Seal(u)
		require.ErrorIs(t, err, uid.ErrRange)
		require.Empty(t, text)
		for _, turn := range []func(uid.UID) (uid.UID, error){c.seal, c.open, s.SealNumber, s.OpenNumber} {
			got, err := turn(u)
			require.ErrorIs(t, err, uid.ErrRange)
			require.ErrorContains(t, err, u.String()+" is below 0")
			require.Zero(t, got)
		}
	}
}

// A cipher has its own copy of the key.
func TestSecretMayBeWiped(t *testing.T) {
	secret := counting(16)
	c := must(newCipher(secret, "orders"))
	clear(secret)
	require.Equal(t, uid.UID(3600749431916019212), must(c.seal(0)))
}

// yielding lets other goroutines run in the midst of each call, on a single core, too.
type yielding struct{ cipher.Block }

func (y yielding) Encrypt(dst, src []byte) {
	runtime.Gosched()
	y.Block.Encrypt(dst, src)
}

func TestCipherConcurrently(t *testing.T) {
	c := must(newCipher(counting(16), "orders"))
	c.block = yielding{c.block}
	var wg sync.WaitGroup
	for g := range uid.UID(8) {
		wg.Go(func() {
			for u := g; u < g+100; u++ {
				sealed, err := c.seal(u)
				if err == nil {
					sealed, err = c.open(sealed)
				}
				if err != nil || sealed != u {
					t.Errorf("%d became %d, %v", u, sealed, err)
					return
				}
			}
		})
	}
	wg.Wait()
}
