package server

import (
	"fmt"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/benchmarks/subject"
)

// tripsForThousands is how many round trips it takes to open a source, draw 5,000 numbers with one
// goroutine, and close it.
var tripsForThousands = map[string]int64{
	"mysql-auto-increment": 1 + 5000, // its table
	"mysql-hilo":           2 + 5,    // its table, its row
	"redis-incr":           5000,
	"segment-mysql-fill":   4, // reads and writes its row to take, and again to give back
}

// countsTrips: what is counted are the round trips of a subject that was used before, and not those
// by which they are counted.
func countsTrips(t *testing.T, subjects []subject.Subject) {
	for _, s := range subjects {
		before, err := s.Trips()
		require.NoError(t, err)
		again, err := s.Trips()
		require.NoError(t, err)
		require.Equal(t, before, again, s.Name)
		src, err := s.Open()
		require.NoError(t, err)
		require.NoError(t, subject.DrawerOf(src).Draw(5000))
		require.NoError(t, subject.Close(src))
		after, err := s.Trips()
		require.NoError(t, err)
		if want, known := tripsForThousands[s.Name]; known {
			require.Equal(t, want, after-before, s.Name)
			continue
		}
		require.Equal(t, subject.Ours, s.Kind)
		// Its steps are of 1,000 at least: two to six takes, the last of which is ahead of need, and giving back.
		require.GreaterOrEqual(t, after-before, int64(4+2), s.Name)
		require.LessOrEqual(t, after-before, int64(12+2), s.Name)
	}
}

// TestServers: the subjects that need a server make IDs that differ, and nothing listens
// any more when the set was stopped.
func TestServers(t *testing.T) {
	said := make(map[string]string)
	set := Set{Say: func(key string, value any) { said[key] = fmt.Sprint(value) }}
	defer set.Stop()
	subjects := subject.Served(set.MariaDB, set.Redis)
	for _, s := range subjects {
		src, err := s.Open()
		require.NoError(t, err)
		const goroutines = 4
		n := 200
		if s.Name == "mysql-hilo" || s.Kind == subject.Ours {
			n = 100_000 // many segments, whose ends goroutines meet at
		}
		keys, err := subject.Distinct(src, goroutines, n)
		require.NoError(t, err)
		require.Len(t, keys, goroutines*n, s.Name)
		require.NotContains(t, keys, subject.Key{}, s.Name)
		require.NoError(t, subject.Close(src))
	}

	countsTrips(t, subjects)

	db, err := set.MariaDB()
	require.NoError(t, err)
	var variable, size string
	require.NoError(t, db.QueryRow("SHOW VARIABLES LIKE 'innodb_buffer_pool_size'").Scan(&variable, &size))
	require.Equal(t, "134217728", size, "the settings that are named are those in force")
	require.Regexp(t, `^\d.*MariaDB.* --innodb-buffer-pool-size=128M `, said["database"])
	require.Regexp(t, `^Redis \d.* --appendonly=no$`, said["redis"])
	client, err := set.Redis()
	require.NoError(t, err)
	addr := client.Options().Addr
	c, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	require.NoError(t, c.Close())

	set.Stop()
	set.Stop()
	_, err = net.Dial("tcp", addr)
	require.Error(t, err)
	require.Error(t, db.Ping())
}
