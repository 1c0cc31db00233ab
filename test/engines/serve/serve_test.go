package serve

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9/logging"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

// What a run has to draw.
const (
	leastUIDs    = 1_000_000 // over each protocol
	leastNumbers = 100_000
)

// TestServe draws while servers and the database are killed, and then from two servers that have one worker ID,
// where duplicates have to be found.
func TestServe(t *testing.T) {
	logging.Disable() // the client library tells of servers that are down
	command := build(t)
	db, err := cluster.StartMariaDB("serve")
	cluster.For(t, db, err)
	store := db.URL(db.Addr(0))
	t.Run("killed", func(t *testing.T) {
		createTag(t, command, store)
		servers := []*cluster.Server{
			startServer(t, "uid serve 1", command, store), startServer(t, "uid serve 2", command, store),
		}
		began := time.Now()
		var faults error
		v := while(servers, func() {
			faults = disturb(servers, db)
			for faults == nil && time.Since(began) < 40*time.Second {
				time.Sleep(100 * time.Millisecond)
			}
		})
		t.Logf("%d servers and %d databases killed in %v:\n%v", serversKilled, databasesKilled, time.Since(began), v)
		require.NoError(t, faults)
		require.NoError(t, v.err(leastUIDs, leastNumbers))
		for _, s := range servers {
			require.NoError(t, s.Stop())
			require.NotContains(t, s.Output(), "panic")
		}
	})
	t.Run("one worker ID", func(t *testing.T) {
		var servers []*cluster.Server
		for i := range 2 {
			args := []string{"--worker-id", "7", "--state", fmt.Sprint(i, ".state")}
			servers = append(servers, startServer(t, "same ID", command, store, args...))
		}
		v := while(servers, func() { time.Sleep(3 * time.Second) })
		t.Logf("%v", v)
		require.NotZero(t, v.doubleUIDs, "two servers with one worker ID issued UIDs, and no duplicate was found")
		require.Error(t, v.err(0, 0))
	})
}

// while has clients draw as long as f lasts.
func while(servers []*cluster.Server, f func()) verdict {
	done := make(chan struct{})
	var clients []*client
	var drawing sync.WaitGroup
	drawing.Go(func() { clients = draw(done, servers) })
	f()
	close(done)
	drawing.Wait()
	return judge(clients)
}
