package anyform

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/form"
)

type order struct{}

func (order) Prefix() string { return "order" }

// Each form of README's UID is that UID.
func TestParse(t *testing.T) {
	for _, u := range []uid.UID{180363646902239241, 0, 1, 1234567890123, uid.Max} {
		for _, text := range []string{
			u.String(), form.Base32(u), form.ID[order](u).String(), "a_b_" + form.Base32(u),
			strings.Repeat("x", 63) + "_" + form.Base32(u),
		} {
			got, err := Parse(text)
			require.NoError(t, err, text)
			require.Equal(t, u, got, text)
		}
	}
	both := "1234567890123"
	u, err := Parse(both)
	require.NoError(t, err)
	require.Equal(t, both, u.String(), "decimal is the canonical form")
	u, err = Parse("order_" + both)
	require.NoError(t, err)
	require.Equal(t, both, form.Base32(u))
}

func TestParseRefuses(t *testing.T) {
	const good = "05067s0001009"
	for text, want := range map[string]error{
		"": uid.ErrSyntax, "oops": uid.ErrSyntax, "007": uid.ErrSyntax,
		"-1": uid.ErrSyntax, "9223372036854775808": uid.ErrRange,
		"05067S0001009": uid.ErrSyntax, "05067s000100u": uid.ErrSyntax,
		"8000000000000": nil, "zzzzzzzzzzzzz": uid.ErrRange,
		"x_8000000000000": uid.ErrRange, "_" + good: uid.ErrSyntax,
		"a__" + good: uid.ErrSyntax, "Order_" + good: uid.ErrSyntax,
		"order-" + good: uid.ErrSyntax, good + "\n": uid.ErrSyntax,
		" " + good: uid.ErrSyntax, strings.Repeat("x", 64) + "_" + good: uid.ErrSyntax,
		"order_180363646902239241": uid.ErrSyntax,
	} {
		u, err := Parse(text)
		require.ErrorIs(t, err, want, text)
		if want != nil {
			require.Zero(t, u, text)
			require.Less(t, len(err.Error()), 200)
		}
	}
}
