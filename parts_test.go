package uid_test

import (
	"encoding/json"
	"maps"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uidgen/uid"
	"pgregory.net/rapid"
)

func split(t require.TestingT, fields ...uid.Field) uid.Split {
	s, err := uid.NewSplit(fields...)
	require.NoError(t, err)
	return s
}

func TestPartsText(t *testing.T) {
	whole := uid.Parts{
		UID: 180363646902239241, Time: time.Date(2016, 7, 19, 10, 7, 53, 0, time.UTC), WorkerID: 4, Sequence: 9,
	}
	require.Equal(t, "180363646902239241: 2016-07-19T10:07:53Z, worker 4, sequence 9", whole.String())
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	require.Equal(t, `{"uid":"180363646902239241","time":"2016-07-19T10:07:53Z","worker_id":4,"sequence":9}`, string(text))
	var back uid.Parts
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, whole, back)

	parted := uid.Parts{
		UID: 1541815603606036480, Time: time.Date(2022, 6, 28, 16, 7, 40, 105e6, time.UTC), WorkerID: 378,
		Split: split(t, uid.Field{Name: "datacenter", Bits: 5}, uid.Field{Name: "worker", Bits: 5}),
	}
	require.Equal(t, "1541815603606036480: 2022-06-28T16:07:40.105Z, worker 378 (datacenter 11, worker 26), sequence 0", parted.String())
	text, err = json.Marshal(parted)
	require.NoError(t, err)
	require.Equal(t, `{"uid":"1541815603606036480","time":"2022-06-28T16:07:40.105Z","worker_id":378,"machine":{"datacenter":11,"worker":26},"sequence":0}`, string(text))
	require.Equal(t, map[string]int64{"datacenter": 11, "worker": 26}, maps.Collect(parted.Machine()))
	require.Empty(t, maps.Collect(whole.Machine()))

	far := uid.Parts{Time: time.Unix(1<<50, 0).UTC()}
	text, err = json.Marshal(far)
	require.NoError(t, err, "a year of eight digits")
	require.Contains(t, string(text), `"time":"35680317-09-25T`)
}

func TestPartsCompare(t *testing.T) {
	fields := []uid.Field{{Name: "a", Bits: 1}, {Name: "b", Bits: 2}}
	p, q := uid.Parts{UID: 7, Split: split(t, fields...)}, uid.Parts{UID: 7, Split: split(t, fields...)}
	require.True(t, p == q, "splits made apart are the same value")
	q.Split = split(t, fields[1], fields[0])
	require.False(t, p == q)
}

func TestSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fields []uid.Field
		var values []int64
		var id int64
		names := rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z][a-z0-9_-]{0,15}`), 0, 8, rapid.ID[string]).Draw(t, "names")
		left := 63
		for i, name := range names {
			width := rapid.IntRange(1, left-(len(names)-1-i)).Draw(t, "bits")
			left -= width
			v := rapid.Int64Range(0, 1<<width-1).Draw(t, "value")
			fields, values, id = append(fields, uid.Field{Name: name, Bits: width}), append(values, v), id<<width|v
		}
		s := split(t, fields...)
		require.Equal(t, fields, s.Fields())
		require.Equal(t, len(fields) == 0, s.IsZero())
		require.Equal(t, split(t, fields...), s)
		i := 0
		for name, v := range s.Values(id) {
			require.Equal(t, fields[i].Name, name)
			require.Equal(t, values[i], v)
			i++
		}
		require.Equal(t, len(fields), i)
		for range s.Values(id) { // may be left early
			break
		}
		require.LessOrEqual(t, len(s.String()), 8*(16+1+2+1))
	})
}

func TestSplitRefuses(t *testing.T) {
	for _, name := range []string{"", "A", "1a", "-a", "_a", "a b", "a,b", "a:1", "é", "a\n", "aaaaaaaaaaaaaaaaa", `a"`} {
		_, err := uid.NewSplit(uid.Field{Name: name, Bits: 1})
		require.ErrorIs(t, err, uid.ErrSyntax, "%q", name)
	}
	_, err := uid.NewSplit(uid.Field{Name: "a", Bits: 1}, uid.Field{Name: "a", Bits: 1})
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
		s, err := uid.NewSplit(fields...)
		require.ErrorIs(t, err, uid.ErrConfig, "%v", fields)
		require.Zero(t, s)
	}
}
