package cluster

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sqlServer is a server of any kind of SQL.
type sqlServer interface {
	Close()
	Addr(int) string
	Version() (string, error)
	Kill()
	Stop() error
	Restart() error
}

var sqlKinds = map[string]struct {
	start func(string) (sqlServer, error)
	pair  func(string, ...string) (*Pair, error)
	open  func(t *testing.T, addr string) *sql.DB
}{
	"postgres": {func(n string) (sqlServer, error) { return StartPostgres(n) }, StartPostgresPair, openPostgres},
	"mariadb":  {func(n string) (sqlServer, error) { return StartMariaDB(n) }, StartMariaDBPair, openMySQL},
	"mysql9":   {func(n string) (sqlServer, error) { return StartMySQL9(n) }, StartMySQL9Pair, openMySQL},
}

func openPostgres(t *testing.T, addr string) *sql.DB {
	db, err := sql.Open("pgx", (*Postgres)(nil).URL(addr))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func openMySQL(t *testing.T, addr string) *sql.DB {
	db, err := Connect((*MySQL)(nil).Source(addr), Quiet)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db.DB
}

func TestSQL(t *testing.T) {
	for name, kind := range sqlKinds {
		t.Run(name, func(t *testing.T) {
			s, err := kind.start(name)
			For(t, s, err)
			version, err := s.Version()
			require.NoError(t, err)
			t.Log(version)
			db := kind.open(t, s.Addr(0))
			do(t, db, "CREATE TABLE x (id BIGINT)")
			for i, end := range []func(){s.Kill, func() { require.NoError(t, s.Stop()) }, s.Kill} {
				do(t, db, "INSERT INTO x VALUES (1)")
				end()
				require.Error(t, db.Ping())
				require.NoError(t, s.Restart())
				require.Equal(t, i+1, count(t, db))
			}
		})
	}
}

func TestPair(t *testing.T) {
	for name, kind := range sqlKinds {
		t.Run(name, func(t *testing.T) {
			p, err := kind.pair(name)
			For(t, p, err)
			do(t, kind.open(t, p.Addr()), "CREATE TABLE x (id BIGINT)")
			for i := range 2 {
				if i > 0 {
					require.NoError(t, p.Rejoin())
				}
				db := kind.open(t, p.Addr())
				do(t, db, "INSERT INTO x VALUES (1)")
				require.NoError(t, p.CatchUp())
				p.Lag(true)
				do(t, db, "INSERT INTO x VALUES (2)")
				p.Lag(false)
				require.NoError(t, p.CatchUp())
				do(t, db, "DELETE FROM x WHERE id = 2")
				require.NoError(t, p.CatchUp())
				p.Lag(true)
				do(t, db, "INSERT INTO x VALUES (2)")
				require.NoError(t, p.Failover())
				require.Equal(t, i+1, count(t, kind.open(t, p.Addr())), "the last commit is lost")
			}
		})
	}
}

func do(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	_, err := db.Exec(statement)
	require.NoError(t, err, statement)
}

func count(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM x").Scan(&n))
	return n
}
