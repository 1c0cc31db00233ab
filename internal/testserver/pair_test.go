package testserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func number(t *testing.T, s *Server, what string) (n int) {
	t.Helper()
	require.NoError(t, s.Open(t, "").Get(&n, what))
	return n
}

// A failover keeps what the replica had, and loses what it had not, though the
// primary had acknowledged it.
func TestPair(t *testing.T) {
	p := NewPair(t, Config{})
	db, err := p.Primary.CreateDatabase()
	require.NoError(t, err)
	require.NoError(t, p.Primary.exec("CREATE TABLE "+db+".x (id INT)"))
	for round := range 3 {
		require.NoError(t, p.Primary.exec("INSERT INTO "+db+".x VALUES (1)"))
		require.NoError(t, p.CatchUp())
		require.Equal(t, round+1, number(t, p.Replica, "SELECT COUNT(*) FROM "+db+".x"))
		require.Equal(t, 1, number(t, p.Replica, "SELECT @@read_only"))

		require.NoError(t, p.Pause())
		require.NoError(t, p.Primary.exec("INSERT INTO "+db+".x VALUES (2)"))
		if round == 0 { // it is only late
			require.NoError(t, p.Resume())
			require.NoError(t, p.CatchUp())
			require.NoError(t, p.Primary.exec("DELETE FROM "+db+".x WHERE id = 2"))
			require.NoError(t, p.CatchUp())
			require.NoError(t, p.Pause())
			require.NoError(t, p.Primary.exec("INSERT INTO "+db+".x VALUES (2)"))
		}
		old := p.Primary
		require.NoError(t, p.Failover())
		require.False(t, old.run.running())
		require.NoDirExists(t, old.run.dir)
		require.Nil(t, p.Replica)
		require.Equal(t, round+1, number(t, p.Primary, "SELECT COUNT(*) FROM "+db+".x"))
		require.Zero(t, number(t, p.Primary, "SELECT @@read_only"))
		require.NoError(t, p.Rejoin())
	}
}

func TestPairStartsNot(t *testing.T) {
	_, err := StartPair(Config{Args: []string{"--nonsense"}})
	require.ErrorContains(t, err, "ended at its start")
}
