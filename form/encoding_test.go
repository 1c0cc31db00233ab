package form_test

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
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

// uids draws UIDs of all magnitudes.
func uids() *rapid.Generator[uid.UID] {
	return rapid.Custom(func(t *rapid.T) uid.UID {
		return uid.UID(rapid.Int64Min(0).Draw(t, "u") >> rapid.IntRange(0, 62).Draw(t, "shift"))
	})
}

// edges are UIDs at which a digit is added, and the ends.
var edges = []uid.UID{0, 1, 31, 32, 57, 58, 61, 62, 1<<53 - 1, 1 << 53, 180363646902239241, 1<<60 - 1, 1 << 60,
	uid.Max - 1, uid.Max}

// A radix is an encoding, and how to make and read its texts by hand.
type radix struct {
	form.Encoding
	name, digits string
}

var encodings = []radix{
	{form.Base32, "base32", "0123456789abcdefghjkmnpqrstvwxyz"},
	{form.Base58, "base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"},
	{form.Base58Flickr, "base58 (Flickr's)", "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"},
	{form.Base62, "base62", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
}

// write writes n by way of math/big, whose digits are 0-9, a-z, A-Z. Only base32 has zeros in front.
func (r radix) write(n *big.Int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	text := strings.Map(func(digit rune) rune {
		return rune(r.digits[strings.IndexRune(digits, digit)])
	}, n.Text(len(r.digits)))
	if r.Encoding == form.Base32 {
		text = strings.Repeat("0", max(0, 13-len(text))) + text
	}
	return text
}

// read is the reference for Parse.
func (r radix) read(text string) (uid.UID, error) {
	wrongLength := len(text) != 13
	if r.Encoding != form.Base32 {
		wrongLength = text == "" || len(text) > 1 && text[0] == r.digits[0]
	}
	if wrongLength || strings.Trim(text, r.digits) != "" {
		return 0, uid.ErrSyntax
	}
	if len(text) > 20 { // without a zero in front
		return 0, uid.ErrRange
	}
	n := new(big.Int)
	for i := range len(text) {
		n.Mul(n, big.NewInt(int64(len(r.digits))))
		n.Add(n, big.NewInt(int64(strings.IndexByte(r.digits, text[i]))))
	}
	if n.BitLen() > 63 {
		return 0, uid.ErrRange
	}
	return uid.UID(n.Int64()), nil
}

// check compares Parse with the reference.
func (r radix) check(t require.TestingT, text string) {
	want, wantErr := r.read(text)
	u, err := r.Parse(text)
	require.ErrorIs(t, err, wantErr, "%s %.40q", r.name, text)
	require.Equal(t, want, u, r.name)
	if err != nil {
		require.Less(t, len(err.Error()), 600)
		return
	}
	require.Equal(t, text, r.Text(u), "one text for one UID")
}

func TestGolden(t *testing.T) {
	base32, base58, flickr, base62 := encodings[0], encodings[1], encodings[2], encodings[3]
	for _, c := range []struct {
		radix
		text string
		u    uid.UID
	}{
		// https://tatham.blog/2011/03/11/released-crockford-base32-encoder/
		{base32, "0000000000001", 1}, {base32, "0000000000062", 194}, {base32, "000000000c515", 398373},
		{base32, "003d2zq6tvc93", 3838385658376483}, {base32, "000000000fvck", 519571},
		// https://docs.rs/crate/strong_id/latest: user_0343
		{base32, "0000000000343", 3203},
		{base32, "0000000000000", 0}, {base32, "7zzzzzzzzzzzz", uid.Max}, {base32, "05067s0001009", 180363646902239241},
		// bitcoin/bitcoin: src/test/data/base58_encode_decode.json, without those that begin with zeros
		{base58, "2g", 0x61}, {base58, "a3gV", 0x626262}, {base58, "aPEr", 0x636363}, {base58, "ABnLTmg", 0x516b6fcd0f},
		{base58, "3EFU7m", 0x572e4794}, {base58, "Rt5zm", 0x10c8511e},
		// draft-msporny-base58-03, section 5
		{base58, "233QC4", 0x287fb4cd},
		{base58, "1", 0}, {base58, "z", 57}, {base58, "21", 58}, {base58, "NQm6nKp8qFC", uid.Max},
		// bwmarrin/snowflake: snowflake_test.go
		{flickr, "4jgmnx8Js8A", 1428076403798048768},
		// the page that flic.kr/p/brXijP stands for; rgchris/Scripts: int58.reb
		{flickr, "brXijP", 6857269519}, {flickr, "nh", 1234},
		{flickr, "1", 0}, {flickr, "Z", 57}, {flickr, "21", 58}, {flickr, "npL6MjP8Qfc", uid.Max},
		// https://pypi.org/project/pybase62 and https://www.dcode.fr/base62-encoding
		{base62, "base62", 34441886726}, {base62, "7a35dQr", 430628103269}, {base62, "R0Ow", 6436402},
		// adjust/pg-base62: test/sql/003_hugebase.sql
		{base62, "AzL8n0Y58m7", uid.Max}, {base62, "2LKcb1", 1<<31 - 1},
		{base62, "0", 0}, {base62, "z", 61}, {base62, "10", 62},
		// pluralsight/hydra: Base62Spec.scala, in the other case
		{base62, "8M0kX", 123456789},
	} {
		require.Equal(t, c.text, c.Text(c.u), c.name)
		require.Equal(t, c.u, must(c.Parse(c.text)), c.name)
	}
}

func TestEncodings(t *testing.T) {
	check := func(t require.TestingT, u uid.UID) {
		for _, r := range encodings {
			text := r.Text(u)
			require.Equal(t, r.write(big.NewInt(int64(u))), text)
			require.Equal(t, u, must(r.Parse(text)))
			require.Equal(t, "x"+text, string(must(r.Append([]byte("x"), u))))
		}
	}
	for _, u := range edges {
		check(t, u)
	}
	rapid.Check(t, func(t *rapid.T) { check(t, uids().Draw(t, "u")) })
}

// The order is that of the numbers, for a collation that ignores case, too.
func TestBase32Order(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v := uids().Draw(t, "u"), uids().Draw(t, "v")
		x, y := form.Base32.Text(u), form.Base32.Text(v)
		require.Equal(t, cmp.Compare(u, v), strings.Compare(x, y))
		require.Equal(t, cmp.Compare(u, v), strings.Compare(strings.ToUpper(x), strings.ToUpper(y)))
		require.Equal(t, u == v, strings.EqualFold(x, y))
	})
}

// Numbers around those at which 63 and 64 bits end, and larger ones.
func TestRange(t *testing.T) {
	two := func(exponent uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), exponent) }
	for _, r := range encodings {
		for _, n := range []*big.Int{
			two(63), new(big.Int).Add(two(63), big.NewInt(1)), new(big.Int).Sub(two(64), big.NewInt(1)), two(64),
			new(big.Int).Add(two(64), big.NewInt(7)), two(65), two(127), two(1000),
		} {
			r.check(t, r.write(n))
		}
		rapid.Check(t, func(t *rapid.T) {
			n := new(big.Int).Add(two(63), big.NewInt(rapid.Int64().Draw(t, "n")))
			r.check(t, r.write(n.Add(n, big.NewInt(rapid.Int64Min(0).Draw(t, "more")))))
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct {
		radix
		text, want string
	}{
		{encodings[0], "", "it has 0 bytes, not 13"},
		{encodings[0], "05067-s000-1009", "it has 15 bytes, not 13"},
		{encodings[0], "-5067s0001009", `"-" at position 1 is none of ` + encodings[0].digits},
		{encodings[0], "8zzzzzzzzzzzZ", `"Z" at position 13 is none of ` + encodings[0].digits},
		{encodings[1], "1A", `it begins with "1", the digit of zero`},
		{encodings[2], "0jgmnx8Js8A", `"0" at position 1 is none of ` + encodings[2].digits},
		{encodings[3], "A_", `"_" at position 2 is none of ` + encodings[3].digits},
	} {
		require.EqualError(t, errorOf(c.Parse(c.text)),
			fmt.Sprintf("syntax error: %q is no %s UID: %s", c.text, c.name, c.want))
	}
	require.EqualError(t, errorOf(form.Base62.Parse("")), "syntax error: an empty text is no base62 UID")
	for text, r := range map[string]radix{"8000000000000": encodings[0], "AzL8n0Y58m8": encodings[3]} {
		require.EqualError(t, errorOf(r.Parse(text)), fmt.Sprintf(
			"value out of range: the %s number %q is above %s (%d)", r.name, text, r.Text(uid.Max), uid.Max))
	}
}

// FuzzParse reads texts in each encoding.
func FuzzParse(f *testing.F) {
	for _, r := range encodings {
		for _, u := range edges {
			f.Add(r.Text(u))
			f.Add(r.digits[:1] + r.Text(u))
		}
		last := r.digits[len(r.digits)-1:]
		f.Add(strings.Repeat(r.digits[:1], 1<<20))
		f.Add(strings.Repeat(last, 11))
		f.Add(strings.Repeat(last, 50) + "!")
	}
	for _, digit := range encodings[0].digits {
		f.Add(string(digit) + "5067s000100")
	}
	for _, s := range []string{
		"", "-", "-1", "+1", " 1", "1 ", "1_1", "1-1", "1.0", "é", "\x00", "\xff", "1\xff", "00", "01", "11", "12",
		"NQm6nKp8qFD", "npL6MjP8Qfd", "AzL8n0Y58m8", "aZl8N0y58M8", "LygHa16AHYF", "lYGhA16ahyf",
		// bwmarrin/snowflake: snowflake_test.go
		"0jgmnx8Js8A", "Ijgmnx8Js8A", "Ojgmnx8Js8A", "ljgmnx8Js8A",
		"05067S0001009", "05067i0001009", "05067l0001009", "05067o0001009", "05067u0001009", "0506770001oo9",
		"05067s000100 ", " 5067s0001009", "05067s00010\x00", "05067s00010\xff9", "05067s00010é", "０67s0001009",
		"180363646902239241", "-5067s0001009",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range encodings {
			r.check(t, s)
		}
	})
}

// A negative UID has no form: an error where one can be returned, else a text that is not read.
func TestNegative(t *testing.T) {
	for _, r := range encodings {
		require.Equal(t, "-"+r.Text(1), r.Text(-1), r.name)
		require.Equal(t, "-"+r.Text(uid.Max), r.Text(-uid.Max), r.name)
		for _, u := range []uid.UID{-1, -uid.Max, math.MinInt64} {
			text := r.Text(u)
			require.Equal(t, byte('-'), text[0], r.name)
			require.ErrorIs(t, errorOf(r.Parse(text)), uid.ErrSyntax, r.name)
			b, err := r.Append([]byte("x"), u)
			require.ErrorIs(t, err, uid.ErrRange, r.name)
			require.ErrorContains(t, err, u.String()+" is below 0")
			require.Equal(t, "x", string(b), r.name)
		}
	}
	require.Equal(t, "-8000000000000", form.Base32.Text(math.MinInt64))
}

// Appending and parsing do not allocate, and the string forms only their string.
func TestNoAllocations(t *testing.T) {
	const u uid.UID = 180363646902239241
	var got uid.UID
	var text string
	buf := make([]byte, 0, 128)
	for _, r := range encodings {
		known := r.Text(u)
		require.Zero(t, testing.AllocsPerRun(100, func() { buf, _ = r.Append(buf[:0], u) }), r.name)
		require.Zero(t, testing.AllocsPerRun(100, func() { got, _ = r.Parse(known) }), r.name)
		require.EqualValues(t, 1, testing.AllocsPerRun(100, func() { text = r.Text(u) }), r.name)
	}
	x := must(orders.UUID(u))
	id, order := OrderID(u), OrderID(u).String()
	orderBytes, uuidBytes, uuidText := []byte(order), []byte(x.String()), x.String()
	var orderSource, uuidSource, bigint any = orderBytes, uuidBytes, int64(u)
	for name, call := range map[string]func(){
		"Namespace.UUID":     func() { x, _ = orders.UUID(u) },
		"Namespace.UID":      func() { got, _ = orders.UID(x) },
		"UUID.AppendText":    func() { buf, _ = x.AppendText(buf[:0]) },
		"UUID.UnmarshalText": func() { _ = x.UnmarshalText(uuidBytes) },
		"UUID.Scan":          func() { _ = x.Scan(uuidSource) },
		"ParseUUID":          func() { x, _ = form.ParseUUID(uuidText) },
		"ID.AppendText":      func() { buf, _ = id.AppendText(buf[:0]) },
		"ID.UnmarshalText":   func() { _ = id.UnmarshalText(orderBytes) },
		"ID.Scan text":       func() { _ = id.Scan(orderSource) },
		"ID.Scan BIGINT":     func() { _ = id.Scan(bigint) },
		"ParseID":            func() { id, _ = form.ParseID[Order](order) },
	} {
		require.Zero(t, testing.AllocsPerRun(100, call), name)
	}
	require.Equal(t, u, got)
	require.Equal(t, u, uid.UID(id))
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() { text = x.String() }))
	require.EqualValues(t, 1, testing.AllocsPerRun(100, func() { text = id.String() }))
	require.NotEmpty(t, text)
}
