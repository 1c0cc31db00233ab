package cluster

import (
	"database/sql"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGalera(t *testing.T) {
	g, err := StartGalera("galera")
	For(t, g, err)
	db := openMySQL(t, g.Nodes[0].Addr(0))
	do(t, db, "CREATE TABLE x (id INT AUTO_INCREMENT PRIMARY KEY)")
	do(t, db, "INSERT INTO x VALUES ()")
	third := openMySQL(t, g.Nodes[2].Addr(0))
	require.Equal(t, 1, committed(t, third))

	g.Nodes[1].Kill()
	do(t, db, "INSERT INTO x VALUES ()")
	require.NoError(t, g.Nodes[1].Join())
	require.Equal(t, 2, committed(t, openMySQL(t, g.Nodes[1].Addr(0))))

	require.NoError(t, g.Nodes[2].Isolate(true))
	_, err = third.Exec("INSERT INTO x VALUES ()")
	require.Error(t, err, "outside of the primary component")
	do(t, db, "INSERT INTO x VALUES ()")
	require.NoError(t, g.Nodes[2].Isolate(false))
	require.Equal(t, 3, committed(t, third))

	for _, n := range g.Nodes {
		n.Kill()
	}
	require.NoError(t, g.Bootstrap())
	require.Equal(t, 3, committed(t, third))
}

// committed is count of what all nodes have committed, for which a node waits.
func committed(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	require.NoError(t, db.QueryRow("SET STATEMENT wsrep_sync_wait=1 FOR SELECT COUNT(*) FROM x").Scan(&n))
	return n
}
