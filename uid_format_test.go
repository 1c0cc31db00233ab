package uid_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

// The values are those of fmt for the int64, and for the string.
func TestFormat(t *testing.T) {
	const u uid.UID = 180363646902239241
	for directive, want := range map[string]string{
		"%d": "180363646902239241", "%x": "280c7c800008009", "%X": "280C7C800008009", "%o": "12006174400000100011",
		"%b":   "1010000000110001111100100000000000000000001000000000001001",
		"%08d": "180363646902239241", "%20d": "  180363646902239241", "%-20d|": "180363646902239241  |",
		"%020d": "00180363646902239241", "%.20d": "00180363646902239241", "%#o": "012006174400000100011",
		"%+d": "+180363646902239241", "%016x": "0280c7c800008009", "%#x": "0x280c7c800008009",
		"%O": "0o12006174400000100011", "%v": "180363646902239241", "%+v": "180363646902239241",
		"%s": "180363646902239241", "%20v": "  180363646902239241", "%-20s|": "180363646902239241  |",
		"%.3s": "180", "%5.3v": "  180", "%q": `"180363646902239241"`, "%#q": "`180363646902239241`",
		"%#v": "uid.UID(180363646902239241)", "%T": "uid.UID", "%t": "%!t(uid.UID=180363646902239241)",
		"%e": "%!e(uid.UID=180363646902239241)", "%z": "%!z(uid.UID=180363646902239241)",
	} {
		require.Equal(t, want, fmt.Sprintf(directive, u), directive)
		want = strings.ReplaceAll(want, "uid.UID", "uid.Number")
		require.Equal(t, want, fmt.Sprintf(directive, uid.Number(u)), directive)
	}
	require.Equal(t, "0007", fmt.Sprintf("%04x", uid.UID(7)))
	require.Equal(t, "-0000001", fmt.Sprintf("%08d", uid.UID(-1)), "String aside, only fmt writes a negative one")
	require.Equal(t, "-9223372036854775808", fmt.Sprint(uid.UID(math.MinInt64)))
}

// What Println and the like wrote before UID was a Formatter.
func TestFormatWithin(t *testing.T) {
	type row struct {
		ID     uid.UID
		Ref    *uid.UID
		IDs    []uid.UID
		hidden uid.UID
	}
	r := row{7, nil, []uid.UID{8, 9}, 10}
	require.Equal(t, "{7 <nil> [8 9] 10}", fmt.Sprint(r))
	require.Equal(t, "{ID:7 Ref:<nil> IDs:[8 9] hidden:10}", fmt.Sprintf("%+v", r))
	require.Equal(t, "[8 9] map[7:8] 7\n", fmt.Sprintln(r.IDs, map[uid.UID]uid.UID{7: 8}, any(r.ID)))
	require.Equal(t, "[ff 100]", fmt.Sprintf("%x", []uid.UID{255, 256}))
	require.Equal(t, "[]uid.UID{uid.UID(8), uid.UID(9)}", fmt.Sprintf("%#v", r.IDs))
	require.Equal(t, `{"ID":"7","Ref":null,"IDs":["8","9"]}`, string(must(json.Marshal(r))))
}

// Each directive gives what it gives for the int64, or for the text.
func TestFormatAsFmtDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uid.UID(rapid.Int64().Draw(t, "u"))
		flags := rapid.StringMatching(`[-+ #0]{0,5}`).Draw(t, "flags")
		size := rapid.StringMatching(`([0-9]{1,2})?(\.[0-9]{0,2})?`).Draw(t, "size")
		before := "%" + flags + strings.TrimLeft(size, "0")
		for _, verb := range "bcdoOxXU" {
			directive := before + string(verb)
			require.Equal(t, fmt.Sprintf(directive, int64(u)), fmt.Sprintf(directive, u), directive)
		}
		for _, verb := range "svq" {
			if verb == 'v' && strings.Contains(flags, "#") {
				continue
			}
			directive := before + string(verb)
			require.Equal(t, fmt.Sprintf(directive, u.String()), fmt.Sprintf(directive, u), directive)
		}
	})
}
