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
	for want, sources := range map[error][]any{
		uid.ErrRange: {int64(-1), int64(math.MinInt64), uint64(math.MaxInt64) + 1, uint64(math.MaxUint64),
			"9223372036854775808", []byte("9223372036854775808")},
		uid.ErrSyntax: {"-1", []byte("1.0"), []byte{}, "", nil, []byte(nil), 1.0, true, time.Time{}},
	} {
		for _, src := range sources {
			u := uid.UID(42)
			require.ErrorIs(t, u.Scan(src), want, "%#v", src)
			require.EqualValues(t, 42, u, "%#v", src)
		}
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
