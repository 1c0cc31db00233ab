package form_test

import (
	"cmp"
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

// crockford32 is Base32 by way of math/big.
func crockford32(u uid.UID) string {
	text := base32.write(big.NewInt(int64(u)))
	return strings.Repeat("0", 13-len(text)) + text
}

func TestBase32Golden(t *testing.T) {
	for text, u := range map[string]uid.UID{
		// https://tatham.blog/2011/03/11/released-crockford-base32-encoder/
		"0000000000001": 1, "0000000000062": 194, "000000000c515": 398373, "003d2zq6tvc93": 3838385658376483,
		"000000000fvck": 519571,
		// https://docs.rs/crate/strong_id/latest: user_0343
		"0000000000343": 3203,
		"0000000000000": 0, "7zzzzzzzzzzzz": uid.Max, "05067s0001009": 180363646902239241,
	} {
		require.Equal(t, text, form.Base32.Text(u))
		require.Equal(t, u, must(form.Base32.Parse(text)))
	}
}

func TestBase32(t *testing.T) {
	check := func(t require.TestingT, u uid.UID) {
		text := form.Base32.Text(u)
		require.Equal(t, crockford32(u), text)
		require.Len(t, text, 13)
		require.Equal(t, u, must(form.Base32.Parse(text)))
		require.Equal(t, "x"+text, string(must(form.Base32.Append([]byte("x"), u))))
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

func TestParseBase32Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                `syntax error: "" is no base32 UID: it has 0 bytes, not 13`,
		"5067s0001009":    `syntax error: "5067s0001009" is no base32 UID: it has 12 bytes, not 13`,
		"005067s0001009":  `syntax error: "005067s0001009" is no base32 UID: it has 14 bytes, not 13`,
		"05067-s000-1009": `syntax error: "05067-s000-1009" is no base32 UID: it has 15 bytes, not 13`,
		"-5067s0001009": `syntax error: "-5067s0001009" is no base32 UID: ` +
			`"-" at position 1 is none of 0123456789abcdefghjkmnpqrstvwxyz`,
		"05067S0001009": `syntax error: "05067S0001009" is no base32 UID: ` +
			`"S" at position 6 is none of 0123456789abcdefghjkmnpqrstvwxyz`,
		"8zzzzzzzzzzzZ": `syntax error: "8zzzzzzzzzzzZ" is no base32 UID: ` +
			`"Z" at position 13 is none of 0123456789abcdefghjkmnpqrstvwxyz`,
		"8000000000000": `value out of range: the base32 number "8000000000000" ` +
			`is above 7zzzzzzzzzzzz (9223372036854775807)`,
		"fzzzzzzzzzzzz": `value out of range: the base32 number "fzzzzzzzzzzzz" ` +
			`is above 7zzzzzzzzzzzz (9223372036854775807)`,
	} {
		u, err := form.Base32.Parse(text)
		require.EqualError(t, err, want)
		require.Zero(t, u)
	}
	for _, text := range []string{
		"05067i0001009", "05067l0001009", "05067o0001009", "05067u0001009", "0506770001oo9", "05067s000100 ",
		" 5067s0001009", "05067s00010\x00", "05067s00010\xff9", "05067s00010é", "０67s0001009", "180363646902239241",
		strings.Repeat("0", 1<<20),
	} {
		u, err := form.Base32.Parse(text)
		require.ErrorIs(t, err, uid.ErrSyntax, "%q", text)
		require.Zero(t, u)
		require.Less(t, len(err.Error()), 300)
	}
	for _, digit := range "89abcdefghjkmnpqrstvwxyz" {
		_, err := form.Base32.Parse(string(digit) + "5067s0001009"[:12])
		require.ErrorIs(t, err, uid.ErrRange, "%c", digit)
	}
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
