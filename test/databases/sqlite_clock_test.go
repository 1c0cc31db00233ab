package databases_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
)

// SQLite's time is the machine's, cut to milliseconds: a time that has not come yet would
// end leases early.
func TestSQLiteClock(t *testing.T) {
	t.Parallel()
	db, err := sqlx.Open("sqlite", filepath.Join(t.TempDir(), "uid.db"))
	require.NoError(t, err)
	defer db.Close()
	for range 2000 {
		var now database.Micros
		before := time.Now().Truncate(time.Millisecond)
		require.NoError(t, db.Get(&now, database.SQLite.Clock()))
		after := time.Now()
		require.False(t, now.Time().Before(before), "%v, before %v", now.Time(), before)
		require.False(t, now.Time().After(after), "%v, after %v", now.Time(), after)
	}
}
