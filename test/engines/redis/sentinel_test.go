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

	"github.com/uidgen/uid/internal/proxy"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/engines/watch"
	"github.com/uidgen/uid/worker/lease"
)

// Sentinel promotes a replica that lacks the last acquisitions and renewals. Owners find it by
// themselves.
func TestSentinel(t *testing.T) {
	ctx := t.Context()
	primary := kinds[0].server(t)
	link, err := proxy.Listen("127.0.0.1:0", primary.Addr(0))
	require.NoError(t, err)
	t.Cleanup(link.Close)
	_, port, _ := strings.Cut(link.Addr(), ":")
	replica := kinds[0].server(t, "--replicaof=127.0.0.1 "+port)

	path, err := cluster.Find("redis-server", "redis-server", "/usr/bin", "/usr/local/bin")
	require.NoError(t, err)
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
		return err == nil && len(replicas) == 1 && replicas[0]["flags"] == "slave" && replicas[0]["master-link-status"] == "ok"
	}, time.Minute, 100*time.Millisecond)

	lossy, err := store(t, client(t, primary.Addr(0))).Segments().Inspect(ctx)
	require.NoError(t, err)
	require.Contains(t, strings.Join(lossy, "\n"), "Sentinel watches the server")

	open := func() lease.Store {
		c := goredis.NewFailoverClient(&goredis.FailoverOptions{MasterName: "main", SentinelAddrs: []string{sentinel.Addr(0)}, Password: secret})
		t.Cleanup(func() { _ = c.Close() })
		return leases(t, c, "orders")
	}
	w := watch.New(t)
	require.NoError(t, lease.Found(ctx, open(), lease.Founding{Layout: w.Layout}))
	cfg := lease.Config{
		Window: time.Second, TTL: 1500 * time.Millisecond, MaxClockSkew: 50 * time.Millisecond, Timeout: time.Minute,
	}
	w.Start(t, 5, cfg, open)
	require.NoError(t, client(t, primary.Addr(0)).Wait(ctx, 1, time.Minute).Err())
	link.Refuse(true)
	w.Start(t, 5, cfg, open) // these acquisitions will be lost
	w.Await(t, 2000)
	primary.Kill()
	w.Start(t, 5, cfg, open) // these wait until a primary is there, and get the same IDs
	w.Await(t, 2000)
	w.End()

	master, err := asked.GetMasterAddrByName(ctx, "main").Result()
	require.NoError(t, err)
	require.Equal(t, replica.Addr(0), strings.Join(master, ":"))
	issued, twice, first := w.Seen()
	require.Zero(t, twice, "of %d UIDs; the first of owners %v", issued, first)
	require.NotZero(t, w.Lost.Load(), "no lease was lost: nothing was tried")
	t.Logf("%d UIDs; %d acquisitions, %d takeovers, %d losses of a lease",
		issued, w.Acquired.Load(), w.TakenOver.Load(), w.Lost.Load())
}
