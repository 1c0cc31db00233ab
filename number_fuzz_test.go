package uid_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// FuzzNumberUnmarshalJSON reads JSON as a Number; what it takes is what it writes.
func FuzzNumberUnmarshalJSON(f *testing.F) {
	seed(f, asBytes)
	f.Add([]byte("9007199254740991"))
	f.Add([]byte("9007199254740992"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := uid.Number(42)
		err := got.UnmarshalJSON(data)
		if string(data) == "null" {
			require.NoError(t, err)
			require.EqualValues(t, 42, got)
			return
		}
		want, wantErr := reference(string(data))
		if wantErr == nil && want > uid.UID(uid.MaxNumber) {
			wantErr = uid.ErrRange
		}
		same(t, want, wantErr, uid.UID(got), err)
		if err != nil {
			require.EqualValues(t, 42, got)
			return
		}
		text := must(json.Marshal(got))
		require.Equal(t, string(data), string(text))
		require.False(t, strings.ContainsAny(string(text), `".eE+-`))
	})
}
