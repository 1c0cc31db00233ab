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
