package form_test

import (
	"encoding/json"
	"errors"
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

func FuzzParseUUID(f *testing.F) {
	for _, s := range append(notUUIDs, "05018f90-0001-8001-88e0-b456d8069047", "5c146b14-3c52-8afd-938a-375d0df1fbf6") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		x, err := form.ParseUUID(s)
		want := x
		if err != nil {
			refused(t, err)
			require.Zero(t, x)
			want = form.UUID{7} // a failure changes nothing
		} else {
			require.Equal(t, s, x.String(), "one text for one UUID")
		}
		for _, read := range []func(*form.UUID) error{
			func(x *form.UUID) error { return x.UnmarshalText([]byte(s)) },
			func(x *form.UUID) error { return x.Scan(s) },
			func(x *form.UUID) error { return x.Scan([]byte(s)) },
		} {
			x := form.UUID{7}
			if len(s) != 16 { // else Scan takes the bytes
				require.Equal(t, err, read(&x))
				require.Equal(t, want, x)
			}
		}
	})
}

func FuzzParseID(f *testing.F) {
	for _, s := range append(notOrders, "order_05067s0001009", "order_line_2_7zzzzzzzzzzzz", "order_8000000000000") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := form.ParseID[Order](s)
		got := OrderID(42)
		require.Equal(t, err, got.UnmarshalText([]byte(s)))
		if err != nil {
			refused(t, err)
			require.Zero(t, id)
			require.EqualValues(t, 42, got)
		} else {
			require.Equal(t, id, got)
			require.Equal(t, s, id.String(), "one text for one ID")
			_, lineErr := form.ParseID[Line](s)
			require.ErrorIs(t, lineErr, uid.ErrSyntax, "no text is of two kinds")
		}

		// Scan takes these texts, and the decimal ones.
		got = 42
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

// FuzzUnmarshalJSON reads JSON as an ID and as a UUID.
func FuzzUnmarshalJSON(f *testing.F) {
	for _, s := range []string{
		``, `null`, `Null`, `"null"`, `"`, `""`, `7`, `"7"`, `true`, `{}`, `[]`, `order_05067s0001009`,
		`"order_05067s0001009"`, `"order\u005f05067s0001009"`, `"order_05067s0001009`, `'order_05067s0001009"`,
		`"user_05067s0001009"`, `"order_8000000000000"`, `05018f90-0001-8001-88e0-b456d8069047`,
		`"05018f90-0001-8001-88e0-b456d8069047"`, `"05018F90-0001-8001-88E0-B456D8069047"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		fromJSON(t, data, OrderID(42), form.ParseID[Order])
		fromJSON(t, data, form.UUID{42}, form.ParseUUID)
	})
}

// fromJSON reads JSON into a variable that is v. It takes the strings that parse takes; a failure, and null, leave v.
func fromJSON[V any](t *testing.T, data []byte, v V, parse func(string) (V, error)) {
	var text *string
	noText, got := json.Unmarshal(data, &text), v
	err := json.Unmarshal(data, &got)
	switch {
	case noText != nil:
		require.Error(t, err)
	case text == nil:
		require.NoError(t, err)
	default:
		parsed, parseErr := parse(*text)
		require.ErrorIs(t, err, errors.Unwrap(parseErr))
		if parseErr == nil {
			v = parsed
		}
	}
	require.Equal(t, v, got)
}
