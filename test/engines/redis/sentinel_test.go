package redis_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

// When Sentinel promotes a replica, a store on its client goes on there.
func TestSentinel(t *testing.T) {
	ctx := t.Context()
	primary := kinds[0].server(t)
	_, port, _ := strings.Cut(primary.Addr(0), ":")
	replica := kinds[0].server(t, "--replicaof=127.0.0.1 "+port)

	path := must(cluster.Find("redis-server", "redis-server", "/usr/bin", "/usr/local/bin"))
	sentinel, err := cluster.New("sentinel", 1)
	cluster.For(t, sentinel, err)
	require.NoError(t, os.WriteFile(sentinel.Path("sentinel.conf"), fmt.Appendf(nil, `port %d
bind 127.0.0.1
sentinel monitor main 127.0.0.1 %d 1
sentinel auth-pass main %s
sentinel down-after-milliseconds main 2000
sentinel failover-timeout main 10000
`, sentinel.Port(0), primary.Port(0), secret), 0o600))
	asked := goredis.NewSentinelClient(&goredis.Options{Addr: sentinel.Addr(0)})
	t.Cleanup(func() { _ = asked.Close() })
	require.NoError(t, sentinel.Start(cluster.Program{
		Path: path, Args: []string{sentinel.Path("sentinel.conf"), "--sentinel"},
		Ready: func(ctx context.Context) error { return asked.Ping(ctx).Err() },
	}))
	require.Eventually(t, func() bool {
		replicas, err := asked.Replicas(ctx, "main").Result()
		return err == nil && len(replicas) == 1 &&
			replicas[0]["flags"] == "slave" && replicas[0]["master-link-status"] == "ok"
	}, time.Minute, 100*time.Millisecond)

	lossy := must(store(t, client(t, primary.Addr(0))).Segments().Inspect(ctx))
	require.Contains(t, strings.Join(lossy, "\n"), "Sentinel watches the server")

	c := goredis.NewFailoverClient(&goredis.FailoverOptions{MasterName: "main",
		SentinelAddrs: []string{sentinel.Addr(0)}, Password: secret})
	t.Cleanup(func() { _ = c.Close() })
	rows := store(t, c).Segments()
	require.NoError(t, rows.Change(ctx, "orders", draw(10)))
	require.NoError(t, client(t, primary.Addr(0)).Wait(ctx, 1, time.Minute).Err())
	primary.Kill()
	takes := func() bool { return rows.Change(ctx, "orders", draw(10)) == nil }
	require.Eventually(t, takes, time.Minute, 100*time.Millisecond)
	require.EqualValues(t, 20, must(store(t, client(t, replica.Addr(0))).Segments().Rows(ctx, "", 1))[0].Next)
}
