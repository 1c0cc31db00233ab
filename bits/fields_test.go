package bits

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func TestFieldsRefuse(t *testing.T) {
	for _, s := range []string{"", "A", "1a", "-a", "_a", "a b", "a,b", "a:1", "é", "a\n", "aaaaaaaaaaaaaaaaa", `a"`} {
		_, _, err := joinFields([]uid.Field{{Name: s, Bits: 1}})
		require.ErrorIs(t, err, uid.ErrSyntax, "%q", s)
	}
	_, _, err := joinFields([]uid.Field{{Name: "a", Bits: 1}, {Name: "a", Bits: 1}})
	require.ErrorIs(t, err, uid.ErrSyntax)
	for _, fields := range [][]uid.Field{
		{{Name: "a", Bits: 0}},
		{{Name: "a", Bits: -1}},
		{{Name: "a", Bits: 64}},
		{{Name: "a", Bits: 60}, {Name: "b", Bits: 4}},
		{{Name: "a", Bits: 60}, {Name: "b", Bits: math.MaxInt}},
		{{Name: "a", Bits: 1}, {Name: "b", Bits: 1}, {Name: "c", Bits: 1}, {Name: "d", Bits: 1}, {Name: "e", Bits: 1},
			{Name: "f", Bits: 1}, {Name: "g", Bits: 1}, {Name: "h", Bits: 1}, {Name: "i", Bits: 1}},
	} {
		s, _, err := joinFields(fields)
		require.ErrorIs(t, err, uid.ErrConfig, "%v", fields)
		require.Zero(t, s)
	}
}
