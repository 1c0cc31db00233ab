package redis_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	goredis "github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
)

func TestSegments(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		s := k.server(t)
		fresh := func(t *testing.T) segmenttest.Subject { return segments(t, s) }
		segmenttest.Run(t, segmenttest.Config{Histories: 10}, fresh)
	})
}

// segments returns an empty store of segments on a running server.
func segments(t *testing.T, s *cluster.Redis) segmenttest.Subject {
	admin := client(t, s.Addr(0))
	require.NoError(t, admin.FlushAll(context.Background()).Err())
	var mu sync.Mutex
	proxies := map[segment.Store]*harness.Proxy{}
	return segmenttest.Subject{
		Open: func() (segment.Store, error) {
			p, err := harness.Listen("127.0.0.1:0", s.Addr(0))
			require.NoError(t, err)
			t.Cleanup(p.Close)
			rows := store(t, client(t, p.Addr())).Segments()
			mu.Lock()
			defer mu.Unlock()
			proxies[rows] = p
			return rows, nil
		},
		Fault: func(client segment.Store, f segmenttest.Fault) bool {
			mu.Lock()
			p := proxies[client]
			mu.Unlock()
			return lay(t, admin, p, f)
		},
		Foreign: foreign(admin),
		Lower:   lower(admin),
		Backup:  backup(t, s),
		Secret:  secret,
	}
}

// foreign draws numbers as any program may.
func foreign(c goredis.UniversalClient) func(tag string, n int64) (first int64, err error) {
	return func(tag string, n int64) (first int64, err error) {
		last, err := c.IncrBy(context.Background(), "uid:segment:{"+tag+"}", n).Result()
		return last - n + 1, err
	}
}

// lower sets a counter as people may, or removes it.
func lower(c goredis.UniversalClient) func(tag string, next int64) error {
	return func(tag string, next int64) error {
		counter := "uid:segment:{" + tag + "}"
		if next < 0 {
			return c.Del(context.Background(), counter).Err()
		}
		return c.Set(context.Background(), counter, next-1, 0).Err()
	}
}

// The tags of a Redis Cluster are on all its servers, and in one index.
func TestSegmentsOfCluster(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		all, nodes := k.cluster(t)
		segmenttest.Run(t, segmenttest.Config{Histories: 5}, func(t *testing.T) segmenttest.Subject {
			for _, c := range nodes {
				require.NoError(t, c.FlushAll(t.Context()).Err())
			}
			return segmenttest.Subject{
				Open:    func() (segment.Store, error) { return store(t, all).Segments(), nil },
				Foreign: foreign(all),
				Lower:   lower(all),
				Secret:  secret,
			}
		})
		for _, c := range nodes {
			require.NoError(t, c.FlushAll(t.Context()).Err())
		}
		s := store(t, all).Segments()
		var want []string
		for i := range 30 {
			want = append(want, fmt.Sprintf("t%02d", i))
			require.NoError(t, s.Change(t.Context(), want[i], draw(1)))
		}
		var tags []string
		for _, r := range must(s.Rows(t.Context(), "", 100)) {
			tags = append(tags, r.Tag)
		}
		require.Equal(t, want, tags)
		for _, c := range nodes {
			require.Positive(t, must(c.DBSize(t.Context()).Result()), "all tags are elsewhere")
		}
		require.Contains(t, strings.Join(must(s.Inspect(t.Context())), "\n"), "Redis Cluster")
	})
}

func draw(n int64) func(*storage.Segment) error {
	return func(r *storage.Segment) error {
		r.Step, r.Next = max(r.Step, 1), r.Next+n
		return nil
	}
}

// Inspect finds nothing only on a server that syncs before it answers, and stands alone.
func TestInspectSegments(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		for says, options := range map[string][]string{
			"":                                 {"--appendfsync=always"},
			"appendfsync is everysec":          {"--appendfsync=everysec"},
			"appendfsync is no":                {"--appendfsync=no"},
			"no-appendfsync-on-rewrite is yes": {"--appendfsync=always", "--no-appendfsync-on-rewrite=yes"},
			"no append-only file":              {"--appendonly=no"},
			"drops counters when 100000000": {
				"--appendfsync=always", "--maxmemory=100000000", "--maxmemory-policy=allkeys-lru",
			},
			"of a Redis Cluster": {"--appendfsync=always", "--cluster-enabled=yes"},
		} {
			s := k.server(t, options...)
			c := client(t, s.Addr(0))
			if strings.Contains(says, "Cluster") {
				require.NoError(t, c.ClusterAddSlotsRange(t.Context(), 0, 16383).Err())
				require.Eventually(t, func() bool {
					info, err := c.ClusterInfo(t.Context()).Result()
					return err == nil && strings.Contains(info, "cluster_state:ok")
				}, time.Minute, 50*time.Millisecond)
			}
			lossy := must(store(t, c).Segments().Inspect(t.Context()))
			if says == "" {
				require.Empty(t, lossy)
			} else {
				require.Len(t, lossy, 1, lossy)
				require.Contains(t, lossy[0], says)
			}
			s.Close()
		}
	})
}

// An account for one tag draws its numbers; what it may not ask counts as lossy.
func TestSegmentRights(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		s := k.server(t, "--appendfsync=always")
		admin := client(t, s.Addr(0))
		account := func(rules ...any) segment.Store {
			keys := []any{"~uid:segment:{orders}*", "~uid:segments"}
			rules = slices.Concat([]any{"acl", "setuser", "uid", "reset", "on", ">" + secret}, keys, rules)
			// As documented.
			for _, c := range strings.Fields("+eval +evalsha +info +time +get +mset +zadd +zrangebylex") {
				rules = append(rules, c)
			}
			require.NoError(t, admin.Do(t.Context(), rules...).Err())
			return store(t, client(t, s.Addr(0), func(o *goredis.Options) { o.Username = "uid" })).Segments()
		}
		one := account("+config|get", "+pubsub|numsub", "allchannels")
		require.Empty(t, must(one.Inspect(t.Context())))

		one = account()
		lossy := must(one.Inspect(t.Context()))
		require.Len(t, lossy, 2, lossy)
		require.NotContains(t, fmt.Sprint(lossy), secret)
		require.NoError(t, one.Change(t.Context(), "orders", draw(10)))
		require.Len(t, must(one.Rows(t.Context(), "", 10)), 1)
		err := one.Change(t.Context(), "invoices", draw(10))
		require.ErrorContains(t, err, "NOPERM")
		require.False(t, retry.IsTransient(err))
	})
}
