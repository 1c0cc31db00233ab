package uid_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/uidgen/uid"
)

// texts are UIDs, and what is none.
var texts = slices.Concat([]string{
	"0", "1", "9", "10", "99", "9007199254740991", "9007199254740992", "180363646902239241", "9223372036854775807",
}, notDecimal, tooLarge)

// FuzzParse reads a text in all ways but JSON; a failure leaves a UID as it was.
func FuzzParse(f *testing.F) {
	for _, s := range texts {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, wantErr := reference(s)
		got, err := uid.Parse(s)
		require.ErrorIs(t, err, wantErr)
		require.Equal(t, want, got)
		if err != nil {
			want = 42
			require.Less(t, len(err.Error()), 400)
			require.PanicsWithError(t, err.Error(), func() { uid.MustParse(s) })
		} else {
			require.Equal(t, s, got.String(), "one text for one UID")
			require.Equal(t, want, uid.MustParse(s))
		}
		for _, read := range []func(*uid.UID) error{
			func(u *uid.UID) error { return u.UnmarshalText([]byte(s)) },
			func(u *uid.UID) error { return u.Scan(s) },
			func(u *uid.UID) error { return u.Scan([]byte(s)) },
		} {
			u := uid.UID(42)
			require.Equal(t, err, read(&u))
			require.Equal(t, want, u)
		}
	})
}

var quoted = regexp.MustCompile(`(?s)^"(.*)"$`)

// FuzzUnmarshalJSON reads a UID, quoted or not, and a Number; a failure leaves them as they were.
func FuzzUnmarshalJSON(f *testing.F) {
	for _, s := range append(texts, `"`, `"1`, `"12`, `1"`, `12"`, `true`, `Null`, `{}`, `[1]`, `\u0031`, `\"1\"`) {
		f.Add([]byte(s))
		f.Add([]byte(`"` + s + `"`))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		u, n := uid.UID(42), uid.Number(42)
		err, numberErr := u.UnmarshalJSON(data), n.UnmarshalJSON(data)
		if string(data) == "null" {
			require.Equal(t, []any{uid.UID(42), uid.Number(42), nil, nil}, []any{u, n, err, numberErr})
			return
		}
		want, wantErr := reference(quoted.ReplaceAllString(string(data), "$1"))
		same(t, want, wantErr, u, err)
		if want, wantErr = reference(string(data)); want > uid.UID(uid.MaxNumber) {
			wantErr = uid.ErrRange
		}
		same(t, want, wantErr, uid.UID(n), numberErr)
		if numberErr == nil {
			require.Equal(t, string(data), string(must(json.Marshal(n))))
		}
	})
}

// same checks what was read into a variable that was 42 against the reference.
func same(t *testing.T, want uid.UID, wantErr error, got uid.UID, err error) {
	t.Helper()
	require.ErrorIs(t, err, wantErr)
	if err != nil {
		want = 42
		require.Less(t, len(err.Error()), 400)
	}
	require.Equal(t, want, got)
}
