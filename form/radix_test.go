package form_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

// A radix is an encoding, and how to make its texts by hand.
type radix struct {
	form.Encoding
	name, digits string
}

var (
	base32 = radix{form.Base32, "base32", "0123456789abcdefghjkmnpqrstvwxyz"}

	// radixes are the forms without leading zeros.
	radixes = []radix{
		{form.Base58, "base58", "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"},
		{form.Base58Flickr, "base58 (Flickr's)", "123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"},
		{form.Base62, "base62", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"},
		{form.Base62Inverted, "base62 (inverted)", "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"},
	}

	encodings = append([]radix{base32}, radixes...)
)

// write writes n by way of math/big, whose digits are 0-9, a-z, A-Z.
func (r radix) write(n *big.Int) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return strings.Map(func(digit rune) rune {
		return rune(r.digits[strings.IndexRune(digits, digit)])
	}, n.Text(len(r.digits)))
}

// read is the reference for parse.
func (r radix) read(text string) (uid.UID, error) {
	if text == "" || strings.Trim(text, r.digits) != "" || len(text) > 1 && text[0] == r.digits[0] {
		return 0, uid.ErrSyntax
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

func TestRadixGolden(t *testing.T) {
	base58, flickr, base62, inverted := radixes[0], radixes[1], radixes[2], radixes[3]
	for _, c := range []struct {
		radix
		text string
		u    uid.UID
	}{
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
		// pluralsight/hydra: Base62Spec.scala; the other case is the other order
		{base62, "8M0kX", 123456789}, {inverted, "8m0Kx", 123456789},
		{inverted, "0", 0}, {inverted, "Z", 61}, {inverted, "10", 62}, {inverted, "aZl8N0y58M7", uid.Max},
	} {
		require.Equal(t, c.text, c.Text(c.u), c.name)
		u, err := c.Parse(c.text)
		require.NoError(t, err, c.name)
		require.Equal(t, c.u, u, c.name)
	}
}

func TestRadix(t *testing.T) {
	for _, r := range radixes {
		check := func(t require.TestingT, u uid.UID) {
			text := r.Text(u)
			require.Equal(t, r.write(big.NewInt(int64(u))), text)
			require.Equal(t, u, must(r.Parse(text)))
			require.Equal(t, "x"+text, string(must(r.Append([]byte("x"), u))))

			require.ErrorIs(t, errorOf(r.Parse(r.digits[:1]+text)), uid.ErrSyntax, "a leading zero")
		}
		for _, u := range edges {
			check(t, u)
		}
		rapid.Check(t, func(t *rapid.T) { check(t, uids().Draw(t, "u")) })
	}
}

func TestRadixRange(t *testing.T) {
	two := func(exponent uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), exponent) }
	for _, r := range radixes {
		for _, n := range []*big.Int{
			two(63), new(big.Int).Add(two(63), big.NewInt(1)), new(big.Int).Sub(two(64), big.NewInt(1)), two(64),
			new(big.Int).Add(two(64), big.NewInt(7)), two(65), two(127), two(1000),
		} {
			text := r.write(n)
			u, err := r.Parse(text)
			require.ErrorIs(t, err, uid.ErrRange, "%s %s", r.name, text)
			require.NotErrorIs(t, err, uid.ErrSyntax)
			require.Zero(t, u)
			require.Less(t, len(err.Error()), 300)
		}
		// Numbers of eleven digits around those at which 63 and 64 bits end.
		rapid.Check(t, func(t *rapid.T) {
			n := new(big.Int).Add(two(63), big.NewInt(rapid.Int64().Draw(t, "n")))
			n.Add(n, big.NewInt(rapid.Int64Min(0).Draw(t, "more")))
			text := r.write(n)
			want, wantErr := r.read(text)
			u, err := r.Parse(text)
			require.ErrorIs(t, err, wantErr)
			require.Equal(t, want, u)
		})
		_, err := r.Parse(strings.Repeat(r.digits[len(r.digits)-1:], 11)) // the largest
		require.ErrorIs(t, err, uid.ErrRange)
	}
}

func TestRadixRefuses(t *testing.T) {
	for _, r := range radixes {
		for _, text := range []string{
			"", "-", "-1", "+1", " 1", "1 ", "1_1", "1-1", "1.0", "é", "\x00", "\xff", "1\xff",
			r.digits[:1] + r.digits[:1], r.digits[:1] + r.digits[1:2],
			strings.Repeat("z", 50) + "!", strings.Repeat(r.digits[:1], 1<<20),
		} {
			u, err := r.Parse(text)
			require.ErrorIs(t, err, uid.ErrSyntax, "%s %.40q", r.name, text)
			require.NotErrorIs(t, err, uid.ErrRange)
			require.Zero(t, u)
			require.Less(t, len(err.Error()), 300)
		}
	}
	for _, r := range radixes[:2] {
		// bwmarrin/snowflake: snowflake_test.go
		for _, text := range []string{"0jgmnx8Js8A", "Ijgmnx8Js8A", "Ojgmnx8Js8A", "ljgmnx8Js8A"} {
			_, err := r.Parse(text)
			require.ErrorIs(t, err, uid.ErrSyntax)
			require.ErrorContains(t, err, "at position 1 is none of 123456789")
		}
		_, err := r.Parse("1A")
		require.EqualError(t, err, `syntax error: "1A" is no `+r.name+` UID: it begins with "1", the digit of zero`)
	}
	_, err := form.Base62.Parse("0A")
	require.EqualError(t, err, `syntax error: "0A" is no base62 UID: it begins with "0", the digit of zero`)
	require.EqualError(t, errorOf(form.Base62.Parse("A_")),
		`syntax error: "A_" is no base62 UID: "_" at position 2 is none of `+
			`0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`)
	require.EqualError(t, errorOf(form.Base62.Parse("AzL8n0Y58m8")),
		`value out of range: the base62 number "AzL8n0Y58m8" is above AzL8n0Y58m7 (9223372036854775807)`)
	_, err = form.Base62Inverted.Parse("")
	require.EqualError(t, err, `syntax error: an empty text is no base62 (inverted) UID`)
}
