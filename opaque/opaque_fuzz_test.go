package opaque

import (
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

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
