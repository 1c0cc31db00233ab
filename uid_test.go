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
	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"pgregory.net/rapid"
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
