package form_test

import (
	"bytes"
	"cmp"
	"database/sql"
	"database/sql/driver"
	"encoding"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

var (
	_ fmt.Stringer             = form.UUID{}
	_ encoding.TextMarshaler   = form.UUID{}
	_ encoding.TextAppender    = form.UUID{}
	_ encoding.TextUnmarshaler = (*form.UUID)(nil)
	_ sql.Scanner              = (*form.UUID)(nil)
	_ driver.Valuer            = form.UUID{}
)

var orders = form.Namespace("orders")

// The values are from a few lines of Python, which put the bits together as a text of 0 and 1.
func TestUUIDGolden(t *testing.T) {
	users := form.Namespace("users")
	for _, c := range []struct {
		form.Namespace
		u    uid.UID
		text string
	}{
		{orders, 0, "00000000-0000-8000-80e0-b456d8069047"},
		{orders, 180363646902239241, "05018f90-0001-8001-88e0-b456d8069047"},
		{users, 180363646902239241, "05018f90-0001-8001-8bef-da67b3ba1658"},
		{orders, uid.Max, "ffffffff-ffff-8fff-b8e0-b456d8069047"},
	} {
		require.Equal(t, c.text, must(c.UUID(c.u)).String())
		require.Equal(t, c.u, must(c.UID(must(form.ParseUUID(c.text)))))
	}
}

// The UUIDs of a namespace are of version 8, sort as the UIDs do, and turn back.
func checkNamespace(t *rapid.T) {
	n := form.Namespace(rapid.StringN(1, -1, -1).Draw(t, "n"))
	u, v := uids().Draw(t, "u"), uids().Draw(t, "v")
	x, y := must(n.UUID(u)), must(n.UUID(v))
	require.EqualValues(t, 8, x[6]>>4, "the version")
	require.EqualValues(t, 0b10, x[8]>>6, "the variant")
	require.Equal(t, u, must(n.UID(x)))
	require.Equal(t, cmp.Compare(u, v), bytes.Compare(x[:], y[:]))
	require.Equal(t, cmp.Compare(u, v), strings.Compare(x.String(), y.String()))

	require.Equal(t, x, must(form.ParseUUID(x.String())))
	require.Equal(t, x.String(), string(must(x.MarshalText())))
	require.Equal(t, fmt.Sprintf("%x-%x-%x-%x-%x", x[:4], x[4:6], x[6:8], x[8:10], x[10:]), x.String())

	type googleUUID [16]byte
	require.Equal(t, x, form.UUID(googleUUID(x)))
}

func TestUUIDs(t *testing.T) { rapid.Check(t, checkNamespace) }

func FuzzNamespace(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkNamespace)) }

// Each bit counts: with one of them turned it is another UID, or none.
func TestUUIDOneForEachUID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uids().Draw(t, "u")
		for bit := range 128 {
			x := must(orders.UUID(u))
			x[bit/8] ^= 0x80 >> (bit % 8)
			v, err := orders.UID(x)
			var want string
			switch {
			case bit >= 48 && bit < 52:
				want = "is of version"
			case bit == 64 || bit == 65:
				want = "has the variant"
			case bit >= 69:
				want = `is not of the namespace "orders"`
			default:
				require.NoError(t, err)
				require.NotEqual(t, u, v)
				require.Equal(t, x, must(orders.UUID(v)))
				continue
			}
			require.ErrorIs(t, err, uid.ErrSyntax)
			require.ErrorContains(t, err, want)
			require.Zero(t, v)
		}
	})
}

// With UUIDs of RFC 9562, appendices A and B.
func TestUIDRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"c232ab00-9414-11ec-b3c8-9f6bdeced846": "is of version 1, one of a UID is of 8",
		"017f22e2-79b0-7cc3-98c4-dc0c0c07398f": "is of version 7, one of a UID is of 8",
		"5c146b14-3c52-8afd-938a-375d0df1fbf6": `is not of the namespace "orders": ` +
			`its last 59 bits are 38a375d0df1fbf6, not 0e0b456d8069047`,
		"05018f90-0001-8001-48e0-b456d8069047": "has the variant 01, one of a UID has 10",
		"05018f90-0001-8001-c8e0-b456d8069047": "has the variant 11, one of a UID has 10",
	} {
		x := must(form.ParseUUID(text))
		u, err := orders.UID(x)
		require.ErrorIs(t, err, uid.ErrSyntax)
		require.EqualError(t, err, "syntax error: the UUID "+text+" "+want)
		require.Zero(t, u)
	}
}

func TestNamespace(t *testing.T) {
	var zero form.Namespace
	x, err := zero.UUID(7)
	require.ErrorIs(t, err, uid.ErrConfig)
	require.Zero(t, x)
	require.ErrorIs(t, errorOf(zero.UID(form.UUID{6: 0x80, 8: 0x80})), uid.ErrConfig)

	x, err = orders.UUID(-1)
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorContains(t, err, "-1 is below 0")
	require.Zero(t, x)
}

// notUUIDs are texts that other parsers read as UUIDs, or that look like them.
var notUUIDs = []string{
	"", "0", "05018f900001800188e0b456d8069047", "{05018f90-0001-8001-88e0-b456d8069047}",
	"urn:uuid:05018f90-0001-8001-88e0-b456d8069047", "05018F90-0001-8001-88E0-B456D8069047",
	"05018f90-0001-8001-88e0-b456d806904", "05018f90-0001-8001-88e0-b456d80690470",
	"05018f90-0001-8001-88e0-b456d806904g", "05018f90-0001-8001-88e0-b456d806904/",
	"05018f90-0001-8001-88e0-b456d806904:", "05018f90-0001-8001-88e0-b456d806904`",
	"05018f90-0001-8001-88e0-b456d806904-", "05018f90_0001-8001-88e0-b456d8069047",
	"05018f90-000108001-88e0-b456d8069047", "05018f90-0001-8001088e0-b456d8069047",
	"05018f90-0001-8001-88e00b456d8069047", "05018f9-00001-8001-88e0-b456d8069047",
	" 5018f90-0001-8001-88e0-b456d8069047", "05018f90-0001-8001-88e0-b456d806904\xff",
	"05018f90-0001-8001-88e0-b456d806904\n",
}

func TestParseUUIDErrors(t *testing.T) {
	for text, want := range map[string]string{
		"05018F90-0001-8001-88e0-b456d8069047": `"F" at position 6 is none of 0123456789abcdef`,
		"05018f90-0001-8001088e0-b456d8069047": `"0" at position 19 is no hyphen`,
		"05018f90":                             `it has 8 bytes, not 36`,
	} {
		require.EqualError(t, errorOf(form.ParseUUID(text)), fmt.Sprintf("syntax error: %q is no UUID: %s", text, want))
	}
	err := errorOf(form.ParseUUID(strings.Repeat("0", 1<<20)))
	require.ErrorContains(t, err, "it has 1048576 bytes, not 36")
	require.Less(t, len(err.Error()), 200)
}

func TestUUIDScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := form.UUID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "x"))
		for _, src := range []any{x.String(), []byte(x.String()), x[:]} {
			var got form.UUID
			require.NoError(t, got.Scan(src))
			require.Equal(t, x, got)
		}
		require.Equal(t, driver.Value(x.String()), must(x.Value()))
	})
	for _, src := range []any{
		nil, []byte(nil), []byte{}, make([]byte, 15), make([]byte, 17), strings.Repeat("\x00", 16), int64(7), 1.5,
		time.Time{},
	} {
		x := form.UUID{7}
		require.ErrorIs(t, x.Scan(src), uid.ErrSyntax, "%#v", src)
		require.Equal(t, form.UUID{7}, x)
	}
	var x form.UUID
	require.ErrorContains(t, x.Scan(nil), "sql.Null[form.UUID]")
	require.ErrorContains(t, x.Scan([]byte(nil)), "sql.Null[form.UUID]")
	require.ErrorContains(t, x.Scan(7.5), "float64")
}
