package opaque

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/form"
	"github.com/uidgen/uid/internal/logtest"
)

func TestSealer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.IntRange(1, maxKeyNumber).Draw(t, "number")
		s := must(New(Config{Keys: []Key{{number, counting(32)}}, Current: number, Tweak: "orders"}))
		u := uid.UID(rapid.Int64Min(0).Draw(t, "u"))
		text := must(s.Seal(u))
		require.Regexp(t, "^["+digits+"]{14}$", text)
		require.Equal(t, digits[number], text[0])
		require.Equal(t, u, must(s.Open(text)))

		// The rest of the text is the number of SealNumber.
		sealed := must(must(newCipher(counting(32), "orders")).seal(u))
		require.Equal(t, form.Base32.Text(sealed), text[1:])
		sealed = must(s.SealNumber(u))
		require.Equal(t, text[1:], form.Base32.Text(sealed))
		require.Equal(t, u, must(s.OpenNumber(sealed)))
	})
}

// Old texts open while new ones come from the new key.
func TestRotation(t *testing.T) {
	first, second := Key{1, counting(16)}, Key{2, counting(32)}
	const u uid.UID = 180363646902239241
	seal := func(s *Sealer) string { return must(s.Seal(u)) }
	sealer := func(current int, keys ...Key) *Sealer {
		return must(New(Config{Keys: keys, Current: current, Tweak: "orders"}))
	}
	before, ready := sealer(1, first), sealer(1, first, second)
	after, ended := sealer(2, second, first), sealer(2, second)
	require.Equal(t, seal(before), seal(ready))
	require.Equal(t, seal(after), seal(ended))
	require.NotEqual(t, seal(before)[1:], seal(after)[1:])
	for _, text := range []string{seal(before), seal(after)} {
		for _, s := range []*Sealer{ready, after} {
			require.Equal(t, u, must(s.Open(text)))
		}
	}
	number := must(before.SealNumber(u))
	require.Equal(t, u, must(ready.OpenNumber(number)))
	require.NotEqual(t, u, must(after.OpenNumber(number)), "another key")
	_, err := before.Open(seal(after))
	logtest.Error(t, err, ErrUnknownKey, "names key 2, known are 1")
	_, err = ended.Open(seal(before))
	logtest.Error(t, err, ErrUnknownKey, "names key 1, known are 2")
}

func TestOpenRefuses(t *testing.T) {
	s := must(New(Config{Keys: []Key{{1, counting(16)}, {31, counting(32)}}, Current: 1}))
	for want, texts := range map[error][]string{
		uid.ErrSyntax: {"", "1", "1000000000000", "100000000000000", // 13 and 15 digits
			strings.Repeat("x", 1<<20), "180363646902239241", "order_1000000000000000000",
			"00000000000000",                   // key 0
			"u0000000000000", "-0000000000000", // not of the alphabet
			"1000000000000o", // Crockford would read a 0
			"1000000000000A", "1000000000000i", "1000000000000l", "1000000000000 ", "1000000-000000",
			"1000000000000\xff", "1u000000000000"},
		uid.ErrRange: {"18000000000000", "1zzzzzzzzzzzzz",
			"28000000000000"}, // before the key is looked up
		ErrUnknownKey: {"20000000000000", "y7zzzzzzzzzzzz"},
	} {
		for _, text := range texts {
			u, err := s.Open(text)
			require.ErrorIs(t, err, want, "%.50q", text)
			require.Less(t, len(err.Error()), 400)
			require.Zero(t, u)
		}
	}
	for _, text := range []string{"10000000000000", "17zzzzzzzzzzzz", "z0000000000000"} {
		require.GreaterOrEqual(t, must(s.Open(text)), uid.UID(0))
	}
}

func TestNewRefuses(t *testing.T) {
	one := Key{1, counting(16)}
	for says, cfg := range map[string]Config{
		"the current key is to be number 0, known are none": {},
		"the current key is to be number 1, known are none": {Current: 1},
		"the current key is to be number 0, known are 1":    {Keys: []Key{one}},
		"the current key is to be number 2, known are 1, 3": {Keys: []Key{one, {3, counting(32)}}, Current: 2},
		"the current key is to be number 32, known are 1":   {Keys: []Key{one}, Current: 32},
		"the current key is to be number -1, known are 1":   {Keys: []Key{one}, Current: -1},
		"key number 0 is not from 1 to 31":                  {Keys: []Key{{0, counting(16)}}, Current: 0},
		"key number 32 is not from 1 to 31":                 {Keys: []Key{{32, counting(16)}}, Current: 32},
		"key number -1 is not from 1 to 31":                 {Keys: []Key{{-1, counting(16)}}, Current: -1},
		"two keys have the number 1":                        {Keys: []Key{one, {1, counting(32)}}, Current: 1},
		"the keys 1 and 2 have the same secret":             {Keys: []Key{one, {2, counting(16)}}, Current: 2},
		"key 2: unusable configuration: a secret of 20":     {Keys: []Key{one, {2, counting(20)}}, Current: 1},
		"a secret of 0 bytes, and AES takes 16, 24 or 32":   {Keys: []Key{one, {2, nil}}, Current: 1},
		"a secret of 24 bytes, all of them 0":               {Keys: []Key{one, {2, make(Secret, 24)}}, Current: 1},
		"a tweak of 256 bytes, and the most are 255": {Keys: []Key{one}, Current: 1,
			Tweak: strings.Repeat("x", 256)},
	} {
		s, err := New(cfg)
		logtest.Error(t, err, uid.ErrConfig, says)
		require.Nil(t, s)
	}
	for i := range 16 { // one bit is enough
		secret := make(Secret, 16)
		secret[i] = 1
		must(New(Config{Keys: []Key{{1, secret}}, Current: 1}))
	}
}

// What the package's comment says of forged numbers: Doubt refuses nine of ten in the first year of the
// default layout, and hardly any in the last.
func TestForgedTimes(t *testing.T) {
	c := must(newCipher(counting(16), "orders"))
	const forged = 10_000
	doubted := func(now time.Time) (n int) {
		for sealed := range uid.UID(forged) {
			if bits.Default().Doubt(must(c.open(sealed)), now) != "" {
				n++
			}
		}
		return n
	}
	require.Greater(t, doubted(time.Date(2026, time.July, 1, 0, 0, 0, 0, time.UTC)), forged*9/10)
	require.Less(t, doubted(time.Date(2034, time.April, 1, 0, 0, 0, 0, time.UTC)), forged/20)
}
