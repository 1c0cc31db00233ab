package databases_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/test/engines"
)

// A session that cannot learn when its server was started knows no history, nor does one in the server's first two
// seconds.
func TestHistoryOfASession(t *testing.T) {
	t.Parallel()
	if !engines.Asked("mysql") {
		t.Skip("no MariaDB")
	}
	db := engines.NewMySQL(t).Open(t)
	tenantOf(t, db)
	conn := must(db.Connx(t.Context()))
	defer conn.Close()
	history := func(set string) string {
		must(conn.ExecContext(t.Context(), set))
		var o database.Origin
		query := "SELECT " + database.MySQL.OriginColumns("WORKER_LEASE")
		require.NoError(t, conn.QueryRowContext(t.Context(), query).Scan(o.Fields()...))
		return o.History()
	}
	const since = ", @uid_since = ' since some time'"
	require.NotEmpty(t, history("SET TIMESTAMP = 1800000000, @uid_started = 1799999998"+since))
	require.Empty(t, history("SET @uid_started = 1799999999"+since))
	require.Empty(t, history("SET @uid_started = 0"+since))
}
