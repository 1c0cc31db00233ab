package form_test

import (
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
