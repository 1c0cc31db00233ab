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
	db := must(sqlx.Open("sqlite", filepath.Join(t.TempDir(), "uid.db")))
	defer db.Close()
	for range 2000 {
		before := time.Now().Truncate(time.Millisecond)
		now := one[database.Micros](t, db, database.SQLite.Clock()).Time()
		require.WithinRange(t, now, before, time.Now())
	}
}
