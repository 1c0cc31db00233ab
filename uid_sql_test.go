package uid_test

import (
	"database/sql"
	"database/sql/driver"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uidgen/uid"
	"pgregory.net/rapid"
)

var (
	_ sql.Scanner   = (*uid.UID)(nil)
	_ driver.Valuer = uid.UID(0)
)

func TestScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := uid.UID(rapid.Int64Min(0).Draw(t, "u"))
		for _, src := range []any{int64(u), uint64(u), u.String(), []byte(u.String())} {
			got := uid.UID(42)
			require.NoError(t, got.Scan(src))
			require.Equal(t, u, got)
		}
		v := must(u.Value())
		require.Equal(t, driver.Value(int64(u)), v)
		require.True(t, driver.IsValue(v))
	})
}

func TestScanRefuses(t *testing.T) {
	for _, c := range []struct {
		src  any
		want error
	}{
		{int64(-1), uid.ErrRange},
		{int64(math.MinInt64), uid.ErrRange},
		{uint64(math.MaxInt64) + 1, uid.ErrRange},
		{uint64(math.MaxUint64), uid.ErrRange},
		{"9223372036854775808", uid.ErrRange},
		{[]byte("9223372036854775808"), uid.ErrRange},
		{"-1", uid.ErrSyntax},
		{[]byte("1.0"), uid.ErrSyntax},
		{[]byte{}, uid.ErrSyntax},
		{"", uid.ErrSyntax},
		{nil, uid.ErrSyntax},
		{[]byte(nil), uid.ErrSyntax},
		{1.0, uid.ErrSyntax},
		{true, uid.ErrSyntax},
		{time.Time{}, uid.ErrSyntax},
	} {
		u := uid.UID(42)
		require.ErrorIs(t, u.Scan(c.src), c.want, "%#v", c.src)
		require.EqualValues(t, 42, u, "%#v", c.src)
	}
	u := uid.UID(42)
	require.ErrorContains(t, u.Scan(nil), "sql.Null[uid.UID]")
	require.ErrorContains(t, u.Scan([]byte(nil)), "sql.Null[uid.UID]")
	require.ErrorContains(t, u.Scan(1.5), "float64")
	require.ErrorContains(t, u.Scan(uint64(math.MaxUint64)), "18446744073709551615")
}

func TestScanNullable(t *testing.T) {
	n := sql.Null[uid.UID]{V: 42, Valid: true}
	require.NoError(t, n.Scan(nil))
	require.False(t, n.Valid)
	require.NoError(t, n.Scan(int64(7)))
	require.Equal(t, sql.Null[uid.UID]{V: 7, Valid: true}, n)
	require.Error(t, n.Scan(int64(-7)))
	require.EqualValues(t, 7, must(sql.Null[uid.UID]{V: 7, Valid: true}.Value()))
}
