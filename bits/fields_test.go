package bits

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

func TestFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fields []uid.Field
		var values []int64
		var id int64
		word := rapid.StringMatching(`[a-z][a-z0-9_-]{0,15}`)
		names, left := rapid.SliceOfNDistinct(word, 0, 8, rapid.ID[string]).Draw(t, "names"), 63
		for i, name := range names {
			width := rapid.IntRange(1, left-(len(names)-1-i)).Draw(t, "bits")
			left -= width
			v := rapid.Int64Range(0, 1<<width-1).Draw(t, "value")
			fields, values, id = append(fields, uid.Field{Name: name, Bits: width}), append(values, v), id<<width|v
		}
		s := must(joinFields(fields))
		if len(fields) > 0 {
			require.Equal(t, fields, Layout{fields: s}.Fields())
		}
		i := 0
		for name, v := range (uid.Parts{WorkerID: id, Fields: s}).Machine() {
			require.Equal(t, fields[i].Name, name)
			require.Equal(t, values[i], v)
			i++
		}
		require.Equal(t, len(fields), i)
	})
}

func TestFieldsRefuse(t *testing.T) {
	for _, s := range []string{"", "A", "1a", "-a", "_a", "a b", "a,b", "a:1", "é", "a\n", "aaaaaaaaaaaaaaaaa", `a"`} {
		require.ErrorIs(t, errorOf(joinFields([]uid.Field{{Name: s, Bits: 1}})), uid.ErrSyntax, "%q", s)
	}
	require.ErrorIs(t, errorOf(joinFields([]uid.Field{{Name: "a", Bits: 1}, {Name: "a", Bits: 1}})), uid.ErrSyntax)
	for _, fields := range [][]uid.Field{
		{{Name: "a", Bits: 0}},
		{{Name: "a", Bits: -1}},
		{{Name: "a", Bits: 64}},
		{{Name: "a", Bits: 60}, {Name: "b", Bits: 4}},
		{{Name: "a", Bits: 60}, {Name: "b", Bits: math.MaxInt}},
		{{Name: "a", Bits: 1}, {Name: "b", Bits: 1}, {Name: "c", Bits: 1}, {Name: "d", Bits: 1}, {Name: "e", Bits: 1},
			{Name: "f", Bits: 1}, {Name: "g", Bits: 1}, {Name: "h", Bits: 1}, {Name: "i", Bits: 1}},
	} {
		s, err := joinFields(fields)
		require.ErrorIs(t, err, uid.ErrConfig, "%v", fields)
		require.Zero(t, s)
	}
}
