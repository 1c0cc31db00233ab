package uid_test

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

func TestNumberJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			ID   uid.Number  `json:"id"`
			Ref  *uid.Number `json:"ref"`
			None *uid.Number `json:"none"`
			Zero uid.Number  `json:"zero,omitzero"`
		}
		safe := rapid.Int64Range(0, 1<<53-1)
		n, m := uid.Number(safe.Draw(t, "n")), uid.Number(safe.Draw(t, "m"))
		in := row{ID: n, Ref: &m}
		text := must(json.Marshal(in))
		require.Equal(t, `{"id":`+n.String()+`,"ref":`+m.String()+`,"none":null}`, string(text))
		require.Equal(t, in, must(read[row](text)))

		float := must(read[struct{ ID float64 }](text)) // as JavaScript keeps it
		require.EqualValues(t, n, float.ID)
		require.Equal(t, n.String(), strconv.FormatFloat(float.ID, 'f', -1, 64))
	})
}

func TestNumberJSONRange(t *testing.T) {
	require.Equal(t, uid.Number(9007199254740991), uid.MaxNumber, "Number.MAX_SAFE_INTEGER")
	for _, n := range []uid.Number{0, 1, uid.MaxNumber} {
		text := must(json.Marshal(n))
		require.Equal(t, n.String(), string(text))
		require.Equal(t, n, must(read[uid.Number](text)))
	}
	for _, n := range []uid.Number{-1, math.MinInt64, uid.MaxNumber + 1, math.MaxInt64} {
		_, err := n.MarshalJSON()
		require.ErrorIs(t, err, uid.ErrRange)
		require.ErrorContains(t, err, n.String())
	}
	require.EqualError(t, errorOf((uid.MaxNumber + 1).MarshalJSON()),
		"value out of range: 9007199254740992 is above 9007199254740991, the largest UID to be a JSON number")
}

func TestNumberUnmarshalJSON(t *testing.T) {
	var n uid.Number
	require.NoError(t, json.Unmarshal([]byte(` 7 `), &n))
	require.EqualValues(t, 7, n)

	require.ErrorIs(t, json.Unmarshal([]byte(`{"7":0}`), &map[uid.Number]int{}), uid.ErrSyntax, "keys are strings")
	require.EqualError(t, n.UnmarshalJSON([]byte(`"7"`)), `syntax error: "\"7\"" is not a JSON number of digits only`)
	require.EqualError(t, n.UnmarshalJSON([]byte(`9007199254740992`)),
		`value out of range: "9007199254740992" is above 9007199254740991, the largest UID to be a JSON number`)
}

// In all but JSON a Number is the UID, above 53 bits too.
func TestNumberIsAUID(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uid.UID(rapid.Int64().Draw(t, "u"))
		n := uid.Number(u)
		require.Equal(t, u.String(), n.String())
		both := func(v any, err error) [2]any { return [2]any{v, err} }
		require.Equal(t, both(u.MarshalText()), both(n.MarshalText()))
		require.Equal(t, both(u.AppendText([]byte("x"))), both(n.AppendText([]byte("x"))))
		require.Equal(t, both(u.Value()), both(n.Value()))
		for _, src := range []any{int64(u), uint64(u), u.String(), []byte(u.String()), 1.5} {
			want, got := uid.UID(42), uid.Number(42)
			require.Equal(t, want.Scan(src), got.Scan(src))
			require.EqualValues(t, want, got)
		}
		want, got := uid.UID(42), uid.Number(42)
		require.Equal(t, want.UnmarshalText([]byte(u.String())), got.UnmarshalText([]byte(u.String())))
		require.EqualValues(t, want, got)
	})
	var n uid.Number
	require.ErrorContains(t, n.Scan(nil), "sql.Null[uid.Number]")
}
