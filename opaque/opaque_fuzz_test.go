package opaque

import (
	"crypto/aes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// FuzzCipher seals and opens any number under any key and tweak, as the textbook does.
func FuzzCipher(f *testing.F) {
	f.Add([]byte(counting(16)), "orders", int64(180363646902239241))
	f.Add([]byte(counting(24)), year, int64(-1))
	f.Add(make([]byte, 32), "", int64(0))
	f.Fuzz(func(t *testing.T, secret []byte, tweak string, n int64) {
		c, err := newCipher(secret, tweak)
		if err != nil {
			require.ErrorIs(t, err, uid.ErrConfig)
			return
		}
		sealed, err := c.seal(uid.UID(n))
		opened, err2 := c.open(uid.UID(n))
		if n < 0 {
			require.ErrorIs(t, err, uid.ErrRange)
			require.ErrorIs(t, err2, uid.ErrRange)
			return
		}
		require.NoError(t, err)
		require.NoError(t, err2)

		book := textbook{must(aes.NewCipher(secret)), 2, []byte(tweak)}
		x := make([]uint16, uidBits)
		for i := range x {
			x[i] = uint16(n >> (uidBits - 1 - i) & 1)
		}
		require.Equal(t, book.num(book.encrypt(x)).Int64(), int64(sealed))
		require.Equal(t, book.num(book.decrypt(x)).Int64(), int64(opened))
		require.Equal(t, uid.UID(n), must(c.open(sealed)))
		require.Equal(t, uid.UID(n), must(c.seal(opened)))
	})
}

// FuzzOpen opens any text. What opens is the only text of its UID under its key.
func FuzzOpen(f *testing.F) {
	for _, text := range []string{"", "10000000000000", "27zzzzzzzzzzzz", "30000000000000", "18000000000000",
		"1000000000000O", "00000000000000"} {
		f.Add(text)
	}
	keys := []Key{{1, counting(16)}, {2, counting(32)}}
	var sealers [3]*Sealer
	for _, k := range keys {
		sealers[k.Number] = must(New(Config{Keys: keys, Current: k.Number, Tweak: "orders"}))
	}
	f.Fuzz(func(t *testing.T, text string) {
		u, err := sealers[1].Open(text)
		if err != nil {
			require.True(t, errors.Is(err, uid.ErrSyntax) || errors.Is(err, uid.ErrRange) ||
				errors.Is(err, ErrUnknownKey), err)
			require.Less(t, len(err.Error()), 400)
			require.Zero(t, u)
			return
		}
		require.Equal(t, text, must(sealers[text[0]-'0'].Seal(u)))
	})
}

// FuzzKeys reads any keys, and no error repeats them.
func FuzzKeys(f *testing.F) {
	f.Add("1:" + hex.EncodeToString(counting(16)))
	f.Add("31:" + hex.EncodeToString(counting(32)) + "\n1:" + hex.EncodeToString(counting(24)) + " 0:0011")
	f.Add("1:00000000000000000000000000000000 2:x")
	f.Fuzz(func(t *testing.T, text string) {
		keys, err := parseKeys(text)
		if err == nil {
			require.Len(t, strings.Fields(text), len(keys))
			_, err = New(Config{Keys: keys, Current: keys[0].Number})
			if err == nil {
				return
			}
			require.ErrorIs(t, err, uid.ErrConfig)
		} else {
			require.ErrorIs(t, err, uid.ErrSyntax)
		}
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == ':' }) {
			if len(word) >= 20 {
				require.NotContains(t, err.Error(), word)
			}
		}
	})
}
