package uid_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
)

// A number is what a UID and a Number are, and a variable is a pointer to one.
type (
	number interface {
		fmt.Stringer
		fmt.Formatter
		encoding.TextMarshaler
		encoding.TextAppender
		encoding.BinaryMarshaler
		encoding.BinaryAppender
		driver.Valuer
	}
	variable interface {
		encoding.TextUnmarshaler
		encoding.BinaryUnmarshaler
		json.Unmarshaler
		sql.Scanner
	}
)

var (
	_ = []number{uid.UID(0), uid.Number(0)}
	_ = []variable{(*uid.UID)(nil), (*uid.Number)(nil)}
)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// errorOf returns the error of a call.
func errorOf[V any](_ V, err error) error { return err }

// read reads JSON.
func read[V any](text []byte) (v V, err error) {
	err = json.Unmarshal(text, &v)
	return v, err
}

// notDecimal are texts that are numbers to other parsers, or look like them.
var notDecimal = []string{
	"", " ", "+1", "-1", "-0", "+0", "00", "01", "007", " 1", "1 ", "1\n", "1_000", "1,000", "0x10", "0b1", "1e3",
	"1.0", "1.", ".1", "NaN", "Inf", "null", "٣", "１", "1\x00", "\xff", `"1"`, ":1", "1:", "/1",
	"18446744073709551616x", "9223372036854775808/",
}

// tooLarge are decimal numbers above the largest UID, where they begin, and where
// 64 bits would wrap.
var tooLarge = []string{
	"9223372036854775808", "9223372036854775809", "9999999999999999999", "10000000000000000000", "18446744073709551615",
	"18446744073709551616", "18446744073709551617", "99999999999999999999", "1" + strings.Repeat("0", 1000),
}

func TestParseErrorText(t *testing.T) {
	require.EqualError(t, errorOf(uid.Parse("12\n34")), `syntax error: "12\n34" is not a decimal UID`)
	_, err := uid.Parse("9223372036854775808")
	require.EqualError(t, err, `value out of range: "9223372036854775808" is above 9223372036854775807`)
	for _, s := range []string{strings.Repeat("\x00", 1<<20), strings.Repeat("9", 1<<20)} {
		_, err = uid.Parse(s)
		require.ErrorContains(t, err, "(1048576 bytes)")
		require.Less(t, len(err.Error()), 300)
	}
}

func TestTextRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uid.UID(rapid.Int64Min(0).Draw(t, "u"))
		require.Equal(t, strconv.FormatInt(int64(u), 10), u.String())
		text := must(u.MarshalText())
		require.Equal(t, u.String(), string(text))
		require.Equal(t, "x"+u.String(), string(must(u.AppendText([]byte("x")))))
		var back uid.UID
		require.NoError(t, back.UnmarshalText(text))
		require.Equal(t, u, back)
	})
}

// Digits are those of strconv: each number of four digits in each place, the borders, and what chance brings.
func TestDigits(t *testing.T) {
	var got, want [20]byte
	same := func(u uid.UID) {
		got, err := u.AppendText(got[:0])
		if want := strconv.AppendInt(want[:0], int64(u), 10); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%q, %v: want %q", got, err, want)
		}
	}
	for i := range uid.UID(10_000) {
		same(1e16 + i*1_0001_0001_0001)
	}
	for power := uid.UID(1); power < 1e18; power *= 10 {
		same(10*power - 1)
		same(10 * power)
	}
	same(uid.Max)
	for range fake.Rounds(100_000) {
		u := rand.Int64()
		same(uid.UID(u >> (u & 15)))
	}
}

func TestNegativeIsNotWritten(t *testing.T) {
	for _, u := range []uid.UID{-1, math.MinInt64} {
		require.Equal(t, strconv.FormatInt(int64(u), 10), u.String())
		require.ErrorIs(t, errorOf(u.MarshalText()), uid.ErrRange)
		b, err := u.AppendText([]byte("x"))
		require.ErrorIs(t, err, uid.ErrRange)
		require.Equal(t, "x", string(b))
		require.ErrorIs(t, errorOf(json.Marshal(struct{ ID uid.UID }{u})), uid.ErrRange)
		v, err := u.Value()
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err, u.String())
		require.Nil(t, v)
		require.ErrorIs(t, errorOf(uid.Parts{UID: u}.MarshalJSON()), uid.ErrRange)
	}
}

// Each byte at each place of texts of all lengths is judged as the standard library judges it.
func TestParseEachByte(t *testing.T) {
	const digits = "9223372036854775807"
	for n := 1; n <= len(digits); n++ {
		for at := range n {
			for c := range 256 {
				text := []byte(digits[:n])
				text[at] = byte(c)
				want, wantErr := reference(string(text))
				u, err := uid.Parse(string(text))
				require.ErrorIs(t, err, wantErr, "%q", text)
				require.Equal(t, want, u, "%q", text)
			}
		}
	}
}

func TestNoAllocations(t *testing.T) {
	text, buf := "180363646902239241", make([]byte, 0, 32)
	bytes := []byte(text)
	var u uid.UID
	var src any = bytes
	for name, call := range map[string]func(){
		"Parse":         func() { u, _ = uid.Parse(text) },
		"UnmarshalText": func() { _ = u.UnmarshalText(bytes) },
		"UnmarshalJSON": func() { _ = u.UnmarshalJSON(bytes) },
		"Scan":          func() { _ = u.Scan(src) },
		"AppendText":    func() { buf, _ = uid.UID(180363646902239241).AppendText(buf[:0]) },
	} {
		require.Zero(t, testing.AllocsPerRun(100, call), name)
	}
	require.Equal(t, uid.UID(180363646902239241), u)
	require.Equal(t, text, string(buf))
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() { text = u.String() }))
	require.Equal(t, "180363646902239241", text)
}

// reference is Parse by way of the standard library.
func reference(s string) (uid.UID, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	// ParseInt also takes signs and leading zeros, and returns the range error for
	// numbers that have them.
	switch {
	case s == "" || strings.Trim(s, "0123456789") != "" || len(s) > 1 && s[0] == '0':
		return 0, uid.ErrSyntax
	case errors.Is(err, strconv.ErrRange):
		return 0, uid.ErrRange
	}
	return uid.UID(n), err
}

func TestNumberJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			ID   uid.Number  `json:"id"`
			Ref  *uid.Number `json:"ref"`
			None *uid.Number `json:"none"`
			Zero uid.Number  `json:"zero,omitzero"`
		}
		safe := rapid.Int64Range(0, 1<<53-1)
		n, m := uid.Number(safe.Draw(t, "n")), uid.Number(safe.Draw(t, "m"))
		in := row{ID: n, Ref: &m}
		text := must(json.Marshal(in))
		require.Equal(t, `{"id":`+n.String()+`,"ref":`+m.String()+`,"none":null}`, string(text))
		require.Equal(t, in, must(read[row](text)))

		float := must(read[struct{ ID float64 }](text)) // as JavaScript keeps it
		require.EqualValues(t, n, float.ID)
		require.Equal(t, n.String(), strconv.FormatFloat(float.ID, 'f', -1, 64))
	})
}

func TestNumberJSONRange(t *testing.T) {
	require.Equal(t, uid.Number(9007199254740991), uid.MaxNumber, "Number.MAX_SAFE_INTEGER")
	for _, n := range []uid.Number{0, 1, uid.MaxNumber} {
		text := must(json.Marshal(n))
		require.Equal(t, n.String(), string(text))
		require.Equal(t, n, must(read[uid.Number](text)))
	}
	for _, n := range []uid.Number{-1, math.MinInt64, uid.MaxNumber + 1, math.MaxInt64} {
		_, err := n.MarshalJSON()
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err, n.String())
	}
	require.EqualError(t, errorOf((uid.MaxNumber + 1).MarshalJSON()),
		"value out of range: 9007199254740992 is above 9007199254740991, the largest UID to be a JSON number")
}

func TestNumberUnmarshalJSON(t *testing.T) {
	var n uid.Number
	require.NoError(t, json.Unmarshal([]byte(` 7 `), &n))
	require.EqualValues(t, 7, n)

	require.ErrorIs(t, json.Unmarshal([]byte(`{"7":0}`), &map[uid.Number]int{}), uid.ErrSyntax, "keys are strings")
	require.EqualError(t, n.UnmarshalJSON([]byte(`"7"`)), `syntax error: "\"7\"" is not a JSON number of digits only`)
	require.EqualError(t, n.UnmarshalJSON([]byte(`9007199254740992`)),
		`value out of range: "9007199254740992" is above 9007199254740991, the largest UID to be a JSON number`)
}

// In all but JSON a Number is the UID, above 53 bits too.
func TestNumberIsAUID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uid.UID(rapid.Int64().Draw(t, "u"))
		n := uid.Number(u)
		require.Equal(t, u.String(), n.String())
		both := func(v any, err error) [2]any { return [2]any{v, err} }
		require.Equal(t, both(u.MarshalText()), both(n.MarshalText()))
		require.Equal(t, both(u.AppendText([]byte("x"))), both(n.AppendText([]byte("x"))))
		require.Equal(t, both(u.Value()), both(n.Value()))
		for _, src := range []any{int64(u), uint64(u), u.String(), []byte(u.String()), 1.5} {
			want, got := uid.UID(42), uid.Number(42)
			require.Equal(t, want.Scan(src), got.Scan(src))
			require.EqualValues(t, want, got)
		}
		want, got := uid.UID(42), uid.Number(42)
		require.Equal(t, want.UnmarshalText([]byte(u.String())), got.UnmarshalText([]byte(u.String())))
		require.EqualValues(t, want, got)
	})
	var n uid.Number
	require.ErrorContains(t, n.Scan(nil), "sql.Null[uid.Number]")
}
