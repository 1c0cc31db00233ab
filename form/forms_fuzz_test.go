package form_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

// refused checks an error of a Parse.
func refused(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	require.True(t, strings.HasPrefix(err.Error(), uid.ErrSyntax.Error()) ||
		strings.HasPrefix(err.Error(), uid.ErrRange.Error()), "%v", err)
	require.Less(t, len(err.Error()), 600)
}

func FuzzParseBase32(f *testing.F) {
	for _, u := range edges {
		f.Add(form.Base32.Text(u))
	}
	for _, s := range []string{"", "8000000000000", "05067S0001009", "05067s000100\xff", "0000000000000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := form.Base32.Parse(s)
		if err != nil {
			refused(t, err)
			require.Zero(t, u)
			return
		}
		require.GreaterOrEqual(t, u, uid.UID(0))
		require.Equal(t, s, form.Base32.Text(u), "one text for one UID")
		require.Equal(t, s, crockford32(u))
	})
}

func FuzzParseRadix(f *testing.F) {
	for _, r := range radixes {
		for _, u := range edges {
			f.Add(r.Text(u))
		}
		f.Add(strings.Repeat(r.digits[57:58], 11))
	}
	for _, s := range []string{"", "NQm6nKp8qFD", "npL6MjP8Qfd", "AzL8n0Y58m8", "aZl8N0y58M8", "LygHa16AHYF",
		"lYGhA16ahyf", "00", "11"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range radixes {
			want, wantErr := r.read(s)
			u, err := r.Parse(s)
			require.ErrorIs(t, err, wantErr, r.name)
			require.Equal(t, want, u, r.name)
			if err != nil {
				refused(t, err)
				continue
			}
			require.Equal(t, s, r.Text(u), "one text for one UID")
		}
	})
}

func FuzzParseUUID(f *testing.F) {
	for _, s := range notUUIDs {
		f.Add(s)
	}
	f.Add("05018f90-0001-8001-88e0-b456d8069047")
	f.Add("5c146b14-3c52-8afd-938a-375d0df1fbf6")
	f.Fuzz(func(t *testing.T, s string) {
		x, err := form.ParseUUID(s)
		if err != nil {
			refused(t, err)
			require.Zero(t, x)
			return
		}
		require.Equal(t, s, x.String(), "one text for one UUID")
	})
}

// FuzzNamespace turns UUIDs into UIDs, and UIDs into UUIDs, of any namespace.
func FuzzNamespace(f *testing.F) {
	f.Add("orders", make([]byte, 16), int64(180363646902239241))
	f.Add("orders", []byte("\x05\x01\x8f\x90\x00\x01\x80\x01\x88\xe0\xb4\x56\xd8\x06\x90\x47"), int64(-1))
	f.Add("", []byte("\xff\xff\xff\xff\xff\xff\x8f\xff\xbf\xff\xff\xff\xff\xff\xff\xff"), int64(0))
	f.Fuzz(func(t *testing.T, name string, b []byte, n int64) {
		ns := form.Namespace(name)
		x, err := ns.UUID(uid.UID(n))
		if name == "" {
			require.ErrorIs(t, err, uid.ErrConfig)
			return
		}
		require.Equal(t, n >= 0, err == nil)
		if err == nil {
			require.EqualValues(t, n, must(ns.UID(x)))
		}
		if len(b) != 16 {
			return
		}
		u, err := ns.UID(form.UUID(b))
		if err != nil {
			refused(t, err)
			return
		}
		require.Equal(t, form.UUID(b), must(ns.UUID(u)), "one UUID for one UID")
	})
}

func FuzzParseID(f *testing.F) {
	for _, s := range notOrders {
		f.Add(s)
	}
	f.Add("order_05067s0001009")
	f.Add("order_line_2_7zzzzzzzzzzzz")
	f.Fuzz(func(t *testing.T, s string) {
		id, err := form.ParseID[Order](s)
		if err != nil {
			refused(t, err)
			require.Zero(t, id)
		} else {
			require.Equal(t, s, id.String(), "one text for one ID")
			_, lineErr := form.ParseID[Line](s)
			require.ErrorIs(t, lineErr, uid.ErrSyntax, "no text is of two kinds")
		}

		// Scan takes these texts, and the decimal ones.
		got := OrderID(42)
		scanErr := got.Scan(s)
		decimal, decimalErr := uid.Parse(s)
		switch {
		case err == nil:
			require.NoError(t, scanErr)
			require.Equal(t, id, got)
		case decimalErr == nil:
			require.NoError(t, scanErr)
			require.Equal(t, decimal, uid.UID(got))
		default:
			refused(t, scanErr)
			require.EqualValues(t, 42, got)
		}
	})
}

// FuzzUnmarshalJSON reads JSON as an ID and as a UUID: what they take they write, escapes aside.
func FuzzUnmarshalJSON(f *testing.F) {
	for _, s := range []string{
		``, `null`, `"`, `""`, `7`, `"order_05067s0001009"`, `"order\u005f05067s0001009"`,
		`"05018f90-0001-8001-88e0-b456d8069047"`, `"order_05067s0001009`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		again := func(v any) {
			var text *string
			require.NoError(t, json.Unmarshal(data, &text))
			if text == nil {
				return // null
			}
			require.Equal(t, `"`+*text+`"`, string(must(json.Marshal(v))))
		}
		id, x := OrderID(42), form.UUID{42}
		if err := json.Unmarshal(data, &id); err == nil {
			again(id)
		} else {
			require.EqualValues(t, 42, id)
		}
		if err := json.Unmarshal(data, &x); err == nil {
			again(x)
		} else {
			require.Equal(t, form.UUID{42}, x)
		}
	})
}
