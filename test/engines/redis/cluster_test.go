package redis_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

// TestCluster runs the suite on a Redis Cluster of three servers. The suite's namespaces are on
// all of them.
func TestCluster(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		ctx := t.Context()
		all, nodes := k.cluster(t)
		storetest.Run(t, storetest.Config{Histories: 5}, func(t *testing.T) storetest.Subject {
			for _, c := range nodes {
				require.NoError(t, c.FlushAll(ctx).Err())
			}
			return storetest.Subject{Steps: true,
				Open:            func(namespace string) (lease.Store, error) { return leases(t, all, namespace), nil },
				RemoveNamespace: func(name string) error { return all.Del(ctx, "uid:{"+name+"}:namespace").Err() },
				Secret:          secret,
			}
		})
		s := store(t, all)
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			l := leases(t, all, name)
			named := func(n *storage.Namespace, _ storage.Clock) error { n.Layout = "x"; return nil }
			require.NoError(t, l.Init(ctx, named))
		}
		names, _, err := s.Registry().Namespaces(ctx)
		require.NoError(t, err)
		require.Subset(t, names, []string{"a", "b", "c", "d", "e"})

		// A client of one server finds some of them elsewhere.
		elsewhere := 0
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			_, err := leases(t, nodes[0], name).Inspect(context.Background())
			if err != nil {
				elsewhere++
				require.ErrorContains(t, err, "MOVED")
				require.True(t, retry.IsTransient(err))
			}
		}
		require.NotZero(t, elsewhere)
	})
}

// cluster starts a Redis Cluster of three servers. It returns a client of it, and one of each.
func (k kind) cluster(t *testing.T) (all *goredis.ClusterClient, nodes []*goredis.Client) {
	t.Helper()
	ctx := t.Context()
	var servers []*cluster.Redis
	var addrs []string
	const last = 16383
	for i := range 3 {
		s, err := k.start(fmt.Sprint(k.name, i), "--requirepass="+secret, "--cluster-enabled=yes",
			"--cluster-node-timeout=2000")
		cluster.For(t, s, err)
		c := client(t, s.Addr(0))
		require.NoError(t, c.ClusterAddSlotsRange(ctx, i*last/3+min(i, 1), (i+1)*last/3).Err())
		servers, addrs, nodes = append(servers, s), append(addrs, s.Addr(0)), append(nodes, c)
	}
	for _, other := range servers[1:] {
		require.NoError(t, servers[0].Meet(ctx, other))
	}
	for _, c := range nodes {
		require.Eventually(t, func() bool {
			info, err := c.ClusterInfo(ctx).Result()
			return err == nil &&
				strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_known_nodes:3")
		}, time.Minute, 50*time.Millisecond)
	}
	all = goredis.NewClusterClient(&goredis.ClusterOptions{Addrs: addrs, Password: secret})
	t.Cleanup(func() { _ = all.Close() })
	return all, nodes
}
