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
			u.String(), form.Base32.Text(u), form.ID[order](u).String(), "a_b_" + form.Base32.Text(u),
			strings.Repeat("x", 63) + "_" + form.Base32.Text(u),
		} {
			require.Equal(t, u, must(Parse(text)), text)
		}
	}
	both := "1234567890123"
	require.Equal(t, both, must(Parse(both)).String(), "decimal is the canonical form")
	require.Equal(t, both, form.Base32.Text(must(Parse("order_"+both))))
}

// A text in a form is read by it and, where the text tells the form, without it.
func TestNamed(t *testing.T) {
	for name, tells := range map[string]bool{
		"base32": true, "prefix=order": true, "prefix=a_1": true, "uuid=orders": true, "uuid=a=b": true,
		"base58": false, "base58-flickr": false, "base62": false,
	} {
		f := must(Named(name))
		for _, u := range []uid.UID{0, 1, 7, 8, 180363646902239241, uid.Max} {
			text := must(f.Write(u))
			require.Equal(t, u, must(f.Parse(text)), name)
			if tells {
				require.Equal(t, u, must(Parse(text)), name)
			}
		}
		_, err := f.Parse("?")
		require.ErrorIs(t, err, uid.ErrSyntax, name)
	}
	_, err := must(Named("uuid=carts")).Parse(must(must(Named("uuid=orders")).Write(42)))
	require.ErrorIs(t, err, uid.ErrSyntax, "of another namespace")
	for _, version := range []string{"-0000-1000-", "-0000-4000-", "-0000-7000-"} {
		_, err := Parse("00000000" + version + "8000-000000000000")
		require.ErrorIs(t, err, uid.ErrSyntax)
	}
	_, err = Parse("00000000-0000-8000-0000-000000000000")
	require.ErrorIs(t, err, uid.ErrSyntax, "another variant")
	for _, no := range []string{
		"", "decimal", "base64", "prefix", "prefix=", "prefix=A", "prefix=a_", "uuid", "uuid=", "base32=x",
	} {
		_, err := Named(no)
		require.ErrorIs(t, err, uid.ErrConfig, no)
	}
}

// must returns what a call has that the test cannot go on without.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
