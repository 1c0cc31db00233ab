package uid_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"database/sql/driver"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

// The binary form sorts as the UIDs do, and is read as it was written, by gob as well.
func TestBinary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v := uid.UID(rapid.Int64Min(0).Draw(t, "u")), uid.UID(rapid.Int64Min(0).Draw(t, "v"))
		a := must(u.MarshalBinary())
		require.Len(t, a, 8)
		b := must(v.AppendBinary([]byte("order:")))
		require.Equal(t, cmp.Compare(u, v), bytes.Compare(append([]byte("order:"), a...), b))
		var read uid.UID
		require.NoError(t, read.UnmarshalBinary(a))
		require.Equal(t, u, read)

		type row struct {
			ID     uid.UID
			Number uid.Number
			Parent *uid.UID
		}
		var file bytes.Buffer
		var out row
		in := row{ID: u, Number: uid.Number(v)}
		require.NoError(t, gob.NewEncoder(&file).Encode(in))
		require.NoError(t, gob.NewDecoder(&file).Decode(&out))
		require.Equal(t, in, out)
	})
	require.Equal(t, "\x02\x80\xc7\xc8\x00\x00\x80\x09", string(must(uid.UID(180363646902239241).MarshalBinary())))
}

func TestBinaryRefuses(t *testing.T) {
	for _, n := range []number{uid.UID(-1), uid.Number(-1)} {
		require.ErrorIs(t, errorOf(n.MarshalBinary()), uid.ErrRange)
		b, err := n.AppendBinary([]byte("order:"))
		require.ErrorIs(t, err, uid.ErrRange)
		require.Equal(t, "order:", string(b))
	}
	for _, c := range []struct {
		data string
		want error
	}{
		{"", uid.ErrSyntax}, {"1234567", uid.ErrSyntax}, {"123456789", uid.ErrSyntax},
		{"\x80\x00\x00\x00\x00\x00\x00\x00", uid.ErrRange},
	} {
		u, n := uid.UID(42), uid.Number(42)
		require.ErrorIs(t, u.UnmarshalBinary([]byte(c.data)), c.want)
		require.ErrorIs(t, n.UnmarshalBinary([]byte(c.data)), c.want)
		require.EqualValues(t, 42, u)
		require.EqualValues(t, 42, n)
	}
}

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

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			ID   uid.UID           `json:"id"`
			Ref  *uid.UID          `json:"ref"`
			None *uid.UID          `json:"none"`
			Zero uid.UID           `json:"zero,omitzero"`
			Keys map[uid.UID]int64 `json:"keys"`
		}
		u, v := uid.UID(rapid.Int64Min(0).Draw(t, "u")), uid.UID(rapid.Int64Min(0).Draw(t, "v"))
		in := row{ID: u, Ref: &v, Keys: map[uid.UID]int64{u: 1}}
		text := must(json.Marshal(in))
		id := u.String()
		require.Equal(t, `{"id":"`+id+`","ref":"`+v.String()+`","none":null,"keys":{"`+id+`":1}}`, string(text))
		require.Equal(t, in, must(read[row](text)))

		// As programs that don't quote write it.
		require.Equal(t, u, must(read[row]([]byte(`{"id":`+u.String()+`}`))).ID)
	})
}

func TestScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uid.UID(rapid.Int64Min(0).Draw(t, "u"))
		for _, src := range []any{int64(u), uint64(u), u.String(), []byte(u.String())} {
			got := uid.UID(42)
			require.NoError(t, got.Scan(src))
			require.Equal(t, u, got)
		}
		v := must(u.Value())
		require.Equal(t, driver.Value(int64(u)), v)
		require.True(t, driver.IsValue(v))
	})
}

func TestScanRefuses(t *testing.T) {
	for want, sources := range map[error][]any{
		uid.ErrRange: {int64(-1), int64(math.MinInt64), uint64(math.MaxInt64) + 1, uint64(math.MaxUint64),
			"9223372036854775808", []byte("9223372036854775808")},
		uid.ErrSyntax: {"-1", []byte("1.0"), []byte{}, "", nil, []byte(nil), 1.0, true, time.Time{}},
	} {
		for _, src := range sources {
			u := uid.UID(42)
			require.ErrorIs(t, u.Scan(src), want, "%#v", src)
			require.EqualValues(t, 42, u, "%#v", src)
		}
	}
	u := uid.UID(42)
	require.ErrorContains(t, u.Scan(nil), "sql.Null[uid.UID]")
	require.ErrorContains(t, u.Scan([]byte(nil)), "sql.Null[uid.UID]")
	require.ErrorContains(t, u.Scan(1.5), "float64")
	require.ErrorContains(t, u.Scan(uint64(math.MaxUint64)), "18446744073709551615")
}

func TestScanNullable(t *testing.T) {
	n := sql.Null[uid.UID]{V: 42, Valid: true}
	require.NoError(t, n.Scan(nil))
	require.False(t, n.Valid)
	require.NoError(t, n.Scan(int64(7)))
	require.Equal(t, sql.Null[uid.UID]{V: 7, Valid: true}, n)
	require.Error(t, n.Scan(int64(-7)))
	require.EqualValues(t, 7, must(sql.Null[uid.UID]{V: 7, Valid: true}.Value()))
}

// texts are UIDs, and what is none.
var texts = slices.Concat([]string{
	"0", "1", "9", "10", "99", "9007199254740991", "9007199254740992", "180363646902239241", "9223372036854775807",
}, notDecimal, tooLarge)

// FuzzParse reads a text in all ways but JSON; a failure leaves a UID as it was.
func FuzzParse(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, wantErr := reference(s)
		got, err := uid.Parse(s)
		require.ErrorIs(t, err, wantErr)
		require.Equal(t, want, got)
		if err != nil {
			want = 42
			require.Less(t, len(err.Error()), 400)
			require.PanicsWithError(t, err.Error(), func() { uid.MustParse(s) })
		} else {
			require.Equal(t, s, got.String(), "one text for one UID")
			require.Equal(t, want, uid.MustParse(s))
		}
		for _, read := range []func(*uid.UID) error{
			func(u *uid.UID) error { return u.UnmarshalText([]byte(s)) },
			func(u *uid.UID) error { return u.Scan(s) },
			func(u *uid.UID) error { return u.Scan([]byte(s)) },
		} {
			u := uid.UID(42)
			require.Equal(t, err, read(&u))
			require.Equal(t, want, u)
		}
	})
}

var quoted = regexp.MustCompile(`(?s)^"(.*)"$`)

// FuzzUnmarshalJSON reads a UID, quoted or not, and a Number; a failure leaves them as they were.
func FuzzUnmarshalJSON(f *testing.F) {
	for _, s := range append(texts, `"`, `"1`, `"12`, `1"`, `12"`, `true`, `Null`, `{}`, `[1]`, `\u0031`, `\"1\"`) {
		f.Add([]byte(s))
		f.Add([]byte(`"` + s + `"`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u, n := uid.UID(42), uid.Number(42)
		err, numberErr := u.UnmarshalJSON(data), n.UnmarshalJSON(data)
		if string(data) == "null" {
			require.Equal(t, []any{uid.UID(42), uid.Number(42), nil, nil}, []any{u, n, err, numberErr})
			return
		}
		want, wantErr := reference(quoted.ReplaceAllString(string(data), "$1"))
		same(t, want, wantErr, u, err)
		if want, wantErr = reference(string(data)); want > uid.UID(uid.MaxNumber) {
			wantErr = uid.ErrRange
		}
		same(t, want, wantErr, uid.UID(n), numberErr)
		if numberErr == nil {
			require.Equal(t, string(data), string(must(json.Marshal(n))))
		}
	})
}

// same checks what was read into a variable that was 42 against the reference.
func same(t *testing.T, want uid.UID, wantErr error, got uid.UID, err error) {
	t.Helper()
	require.ErrorIs(t, err, wantErr)
	if err != nil {
		want = 42
		require.Less(t, len(err.Error()), 400)
	}
	require.Equal(t, want, got)
}
