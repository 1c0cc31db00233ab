package uid_test

import (
	"bytes"
	"cmp"
	"encoding/gob"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

// The binary form sorts as the UIDs do, and is read as it was written, by gob as well.
func TestBinary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v := uid.UID(rapid.Int64Min(0).Draw(t, "u")), uid.UID(rapid.Int64Min(0).Draw(t, "v"))
		a := must(u.MarshalBinary())
		require.Len(t, a, 8)
		b := must(v.AppendBinary([]byte("order:")))
		require.Equal(t, cmp.Compare(u, v), bytes.Compare(append([]byte("order:"), a...), b))
		var read uid.UID
		require.NoError(t, read.UnmarshalBinary(a))
		require.Equal(t, u, read)

		type row struct {
			ID     uid.UID
			Number uid.Number
			Parent *uid.UID
		}
		var file bytes.Buffer
		var out row
		in := row{ID: u, Number: uid.Number(v)}
		require.NoError(t, gob.NewEncoder(&file).Encode(in))
		require.NoError(t, gob.NewDecoder(&file).Decode(&out))
		require.Equal(t, in, out)
	})
	require.Equal(t, "\x02\x80\xc7\xc8\x00\x00\x80\x09", string(must(uid.UID(180363646902239241).MarshalBinary())))
}

func TestBinaryRefuses(t *testing.T) {
	for _, n := range []number{uid.UID(-1), uid.Number(-1)} {
		require.ErrorIs(t, errorOf(n.MarshalBinary()), uid.ErrRange)
		b, err := n.AppendBinary([]byte("order:"))
		require.ErrorIs(t, err, uid.ErrRange)
		require.Equal(t, "order:", string(b))
	}
	for _, c := range []struct {
		data string
		want error
	}{
		{"", uid.ErrSyntax}, {"1234567", uid.ErrSyntax}, {"123456789", uid.ErrSyntax},
		{"\x80\x00\x00\x00\x00\x00\x00\x00", uid.ErrRange},
	} {
		u, n := uid.UID(42), uid.Number(42)
		require.ErrorIs(t, u.UnmarshalBinary([]byte(c.data)), c.want)
		require.ErrorIs(t, n.UnmarshalBinary([]byte(c.data)), c.want)
		require.EqualValues(t, 42, u)
		require.EqualValues(t, 42, n)
	}
}
