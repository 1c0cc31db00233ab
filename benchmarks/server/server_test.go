package server

import (
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/benchmarks/subject"
)

// TestServers: the subjects that need a server make IDs that differ, and nothing listens
// any more when the set was stopped.
func TestServers(t *testing.T) {
	var set Set
	defer set.Stop()
	subjects := append(subject.MySQL(set.MariaDB), subject.Redis(set.Redis))
	for _, s := range subjects {
		src, err := s.Open()
		require.NoError(t, err)
		const goroutines = 4
		n := 200
		if s.Name == "mysql-segment" {
			n = 100_000 // many segments, whose ends goroutines meet at
		}
		each, errs := make([][]subject.Key, goroutines), make([]error, goroutines)
		var ended sync.WaitGroup
		for g := range goroutines {
			d := src.Drawer()
			ended.Go(func() {
				each[g] = make([]subject.Key, n)
				if errs[g] = d.Draw(1); errs[g] == nil {
					errs[g] = d.Keys(each[g])
				}
			})
		}
		ended.Wait()
		keys := make(map[subject.Key]bool)
		for g := range goroutines {
			require.NoError(t, errs[g])
			for _, k := range each[g] {
				keys[k] = true
			}
		}
		require.Len(t, keys, goroutines*n, s.Name)
		require.NotContains(t, keys, subject.Key{}, s.Name)
		require.NoError(t, src.Close())
	}

	db, err := set.MariaDB()
	require.NoError(t, err)
	var variable, size string
	require.NoError(t, db.QueryRow("SHOW VARIABLES LIKE 'innodb_buffer_pool_size'").Scan(&variable, &size))
	require.Equal(t, "134217728", size, "the settings that are named are those in force")
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
