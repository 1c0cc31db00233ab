package uid_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uidgen/uid"
	"pgregory.net/rapid"
)

func TestJSONRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type row struct {
			ID   uid.UID           `json:"id"`
			Ref  *uid.UID          `json:"ref"`
			None *uid.UID          `json:"none"`
			Zero uid.UID           `json:"zero,omitzero"`
			Keys map[uid.UID]int64 `json:"keys"`
		}
		u, v := uid.UID(rapid.Int64Min(0).Draw(t, "u")), uid.UID(rapid.Int64Min(0).Draw(t, "v"))
		in := row{ID: u, Ref: &v, Keys: map[uid.UID]int64{u: 1}}
		text := must(json.Marshal(in))
		id := u.String()
		require.Equal(t, `{"id":"`+id+`","ref":"`+v.String()+`","none":null,"keys":{"`+id+`":1}}`, string(text))
		require.Equal(t, in, must(read[row](text)))

		// As programs that don't quote write it.
		require.Equal(t, u, must(read[row]([]byte(`{"id":`+u.String()+`}`))).ID)
	})
}

func TestUnmarshalJSON(t *testing.T) {
	for _, text := range []string{`7`, `"7"`} {
		u := uid.UID(42)
		require.NoError(t, u.UnmarshalJSON([]byte(text)))
		require.EqualValues(t, 7, u)
	}
	u := uid.UID(42)
	require.NoError(t, json.Unmarshal([]byte(`null`), &u))
	require.EqualValues(t, 42, u, "null changes nothing")

	for want, texts := range map[error][]string{
		uid.ErrSyntax: {`-1`, `-0`, `1.0`, `1e3`, `1E0`, `0.5`, `""`, `" 1"`, `"-1"`, `"1.0"`, `"007"`, `"\u0031"`,
			`"null"`, `true`, `{}`, `[1]`, `"\"1\""`},
		uid.ErrRange: {`9223372036854775808`, `"9223372036854775808"`, `99999999999999999999999`},
	} {
		for _, text := range texts {
			u := uid.UID(42)
			require.ErrorIs(t, json.Unmarshal([]byte(text), &u), want, "%s", text)
			require.EqualValues(t, 42, u, "%s", text)
		}
	}
	// What encoding/json never passes on, but another caller may.
	for _, text := range []string{``, `"`, `"1`, `"12`, `1"`, `12"`, ` 1`, `Null`, `""1""`} {
		u := uid.UID(42)
		require.ErrorIs(t, u.UnmarshalJSON([]byte(text)), uid.ErrSyntax, "%s", text)
		require.EqualValues(t, 42, u, "%s", text)
	}
}
