package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/forms"
)

// Two keys, in the form of a file.
const (
	oldKey = "1:000102030405060708090a0b0c0d0e0f"
	newKey = "2:101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f"
)

// What seal makes, open takes back, in each form, from arguments and from the input.
func TestSealAndOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var uids []string
		for _, n := range rapid.SliceOfN(rapid.Int64Min(0), 1, 5).Draw(t, "UIDs") {
			uids = append(uids, uid.UID(n).String())
		}
		keys := rapid.SampledFrom([]string{oldKey, newKey, newKey + " " + oldKey}).Draw(t, "keys")
		flags := []string{"--tweak=" + rapid.SampledFrom([]string{"", "orders"}).Draw(t, "tweak")}
		if !strings.Contains(keys, " ") && rapid.Bool().Draw(t, "numbers") {
			flags = append(flags, "--numbers")
		}
		turn := func(command string, words []string) []string {
			c := call{args: append([]string{command}, flags...), env: map[string]string{forms.KeysEnv: keys}}
			if rapid.Bool().Draw(t, "input") {
				c.stdin = strings.Join(words, "\n")
			} else {
				c.args = append(c.args, words...)
			}
			o := c.succeeds(t)
			require.Empty(t, o.Err)
			return strings.Fields(o.Out)
		}
		sealed := turn("seal", uids)
		require.NotEqual(t, uids, sealed)
		require.Equal(t, uids, turn("open", sealed))
	})
}
