package cluster

import (
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
	require.Equal(t, 1, count(t, third))

	g.Nodes[1].Kill()
	do(t, db, "INSERT INTO x VALUES ()")
	require.NoError(t, g.Nodes[1].Join())
	require.Equal(t, 2, count(t, openMySQL(t, g.Nodes[1].Addr(0))))

	require.NoError(t, g.Nodes[2].Isolate(true))
	_, err = third.Exec("INSERT INTO x VALUES ()")
	require.Error(t, err, "outside of the primary component")
	do(t, db, "INSERT INTO x VALUES ()")
	require.NoError(t, g.Nodes[2].Isolate(false))
	require.Equal(t, 3, count(t, third))

	for _, n := range g.Nodes {
		n.Kill()
	}
	require.NoError(t, g.Bootstrap())
	require.Equal(t, 3, count(t, third))
}
