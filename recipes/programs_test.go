package recipes_test

import (
	"database/sql"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

// Each program that keys rows, on MariaDB.
func TestProgramsOnMariaDB(t *testing.T) {
	server := cluster.Shared(t)
	for folder, tables := range map[string][]string{
		"databasesql": {"orders", "parcels"},
		"sqlx":        {"orders"},
		"gorm":        {"orders", "parcels"},
		"ent":         {"orders", "parcels"},
		"sqlc":        {"orders", "parcels"},
	} {
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			dsn := server.Config(server.NewDatabase(t))
			dsn.MultiStatements, dsn.ParseTime = true, true
			check(t, folder, "mysql", "UID_MYSQL_DSN", dsn.FormatDSN(), tables)
		})
	}
}

func TestProgramsOnPostgres(t *testing.T) {
	t.Parallel()
	server, err := cluster.StartPostgres("recipes")
	cluster.For(t, server, err)
	check(t, "pgx", "pgx", "UID_POSTGRES_URL", server.URL(server.Addr(0)), []string{"orders"})
}

// check runs a program on an empty database, and checks the keys in its tables: all were made by its
// generator, just now, and no column makes keys itself.
func check(t *testing.T, folder, driver, variable, source string, tables []string) {
	db := must(sql.Open(driver, source))
	t.Cleanup(func() { db.Close() })
	store := must(sqlstore.New(db, sqlstore.Config{}))
	before, exe := time.Now().Truncate(time.Second), build(t, folder)
	printed := must(run(t, exe, variable+"="+source))
	after := time.Now()

	seen := map[uid.UID]bool{}
	workers := map[int64]bool{}
	for _, table := range tables {
		keys := stored(t, db, table)
		require.NotEmpty(t, keys)
		if table == "orders" {
			require.ElementsMatch(t, keys, keysOf(printed))
		}
		for _, u := range keys {
			require.False(t, seen[u])
			seen[u] = true
			parts := must(bits.Default().Parse(u))
			workers[parts.WorkerID] = true
			// A start that makes the namespace is ahead of the clock.
			require.WithinRange(t, parts.Time, before, after.Add(lease.Burn+time.Minute))
		}
	}
	require.Len(t, workers, 1)
	var own int
	require.NoError(t, db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM information_schema.columns
	WHERE table_name IN ('orders', 'parcels') AND `+ownKeys(driver)).Scan(&own))
	require.Zero(t, own)

	// The ID was given back.
	all := must(registry.Read(t.Context(), store.Registry(), 5*time.Minute))
	for _, l := range all.Leases {
		require.True(t, l.Released)
		require.True(t, workers[l.WorkerID])
	}
	require.Equal(t, folder != "sqlx", len(all.Leases) == 1)

	// Another run adds to what this one has left.
	first := len(stored(t, db, "orders"))
	must(run(t, exe, variable+"="+source))
	require.Len(t, stored(t, db, "orders"), 2*first)
}

// ownKeys returns the condition for a column whose values the database makes.
func ownKeys(driver string) string {
	if driver == "mysql" {
		return "table_schema = DATABASE() AND extra LIKE '%auto_increment%'"
	}
	return "(is_identity = 'YES' OR column_default IS NOT NULL)"
}

// stored returns the keys in a table.
func stored(t *testing.T, db *sql.DB, table string) (keys []uid.UID) {
	t.Helper()
	rows := must(db.QueryContext(t.Context(), "SELECT id FROM "+table))
	defer rows.Close()
	for rows.Next() {
		var u uid.UID
		require.NoError(t, rows.Scan(&u))
		keys = append(keys, u)
	}
	require.NoError(t, rows.Err())
	return keys
}
