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
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/segment/segmenttest"
	"github.com/uidgen/uid/stores/redis"
	"github.com/uidgen/uid/test/engines/cluster"
)

func TestSegments(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		s := k.shared(t)
		segmenttest.Run(t, segmenttest.Config{Histories: 10}, func(t *testing.T) segmenttest.Subject { return segments(t, s) })
	})
}

// segments returns an empty store of segments on a running server.
func segments(t *testing.T, s *cluster.Redis) segmenttest.Subject {
	admin := client(t, s.Addr(0))
	require.NoError(t, admin.FlushAll(context.Background()).Err())
	var w wire
	return segmenttest.Subject{
		Open: func() (segment.Store, error) {
			return w.open(t, s, func(s *redis.Store) any { return s.Segments() }).(segment.Store), nil
		},
		Fault:   func(client segment.Store, f segmenttest.Fault) bool { return lay(t, admin, w.of(client), f) },
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
		rows, err := s.Rows(t.Context(), "", 100)
		require.NoError(t, err)
		for _, r := range rows {
			tags = append(tags, r.Tag)
		}
		require.Equal(t, want, tags)
		for _, c := range nodes {
			n, err := c.DBSize(t.Context()).Result()
			require.NoError(t, err)
			require.Positive(t, n, "all tags are elsewhere")
		}
		lossy, err := s.Inspect(t.Context())
		require.NoError(t, err)
		require.Contains(t, strings.Join(lossy, "\n"), "Redis Cluster")
	})
}

func draw(n int64) func(*segment.Row) error {
	return func(r *segment.Row) error {
		r.Step, r.Next = max(r.Step, 1), r.Next+n
		return nil
	}
}

// A replica that lacks the last draws is promoted. Inspect has said so, and a row without its
// takers tells those who drew.
func TestSegmentsFailover(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		p, err := k.pair(k.name, "--requirepass="+secret, "--appendfsync=always")
		require.NoError(t, err)
		t.Cleanup(p.Close)
		take := func(r *segment.Row) error {
			r.Takers = append(r.Takers, segment.Taker{Nonce: fmt.Sprint("n", r.Next), Last: r.Next + 9})
			return draw(10)(r)
		}
		s := store(t, client(t, p.Addr())).Segments()
		require.NoError(t, s.Change(t.Context(), "orders", take))
		require.NoError(t, p.CatchUp())
		lossy, err := s.Inspect(t.Context())
		require.NoError(t, err)
		require.Len(t, lossy, 1, lossy)
		require.Contains(t, lossy[0], "replicas (1)")
		p.Lag(true)
		require.NoError(t, s.Change(t.Context(), "orders", take)) // lost
		require.NoError(t, p.Failover())
		s = store(t, client(t, p.Addr())).Segments()
		rows, err := s.Rows(t.Context(), "", 10)
		require.NoError(t, err)
		require.EqualValues(t, 10, rows[0].Next)
		require.Equal(t, []segment.Taker{{Nonce: "n0", Last: 9}}, rows[0].Takers)
	})
}

// Inspect finds nothing only on a server that syncs before it answers, and stands alone.
func TestInspectSegments(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		whole := k.server(t, "--appendfsync=always")
		loses := func(s *cluster.Redis, says ...string) {
			t.Helper()
			lossy, err := store(t, client(t, s.Addr(0))).Segments().Inspect(t.Context())
			require.NoError(t, err)
			require.Len(t, lossy, len(says), lossy)
			for i := range says {
				require.Contains(t, lossy[i], says[i])
			}
		}
		loses(whole)
		c := client(t, whole.Addr(0))
		for _, set := range []struct{ name, value, back, says string }{
			{"appendfsync", "everysec", "always", "appendfsync is everysec"},
			{"appendfsync", "no", "always", "appendfsync is no"},
			{"no-appendfsync-on-rewrite", "yes", "no", "no-appendfsync-on-rewrite is yes"},
		} {
			require.NoError(t, c.ConfigSet(t.Context(), set.name, set.value).Err())
			loses(whole, set.says)
			require.NoError(t, c.ConfigSet(t.Context(), set.name, set.back).Err())
			loses(whole)
		}
		require.NoError(t, c.ConfigSet(t.Context(), "maxmemory-policy", "allkeys-lru").Err())
		require.NoError(t, c.ConfigSet(t.Context(), "maxmemory", "100000000").Err())
		loses(whole, "drops counters when 100000000")
		loses(k.server(t, "--appendonly=no"), "no append-only file")

		one := k.server(t, "--appendfsync=always", "--cluster-enabled=yes")
		c = client(t, one.Addr(0))
		require.NoError(t, c.ClusterAddSlotsRange(t.Context(), 0, 16383).Err())
		require.Eventually(t, func() bool {
			info, err := c.ClusterInfo(t.Context()).Result()
			return err == nil && strings.Contains(info, "cluster_state:ok")
		}, time.Minute, 50*time.Millisecond)
		loses(one, "of a Redis Cluster")
	})
}

// An account for one tag draws its numbers; what it may not ask counts as lossy.
func TestSegmentRights(t *testing.T) {
	onEach(t, func(t *testing.T, k kind) {
		s := k.server(t, "--appendfsync=always")
		admin := client(t, s.Addr(0))
		account := func(rules ...any) *redis.Segments {
			rules = append([]any{"acl", "setuser", "uid", "reset", "on", ">" + secret, "~uid:segment:{orders}*", "~uid:segments"}, rules...)
			for _, c := range strings.Fields("+eval +evalsha +info +time +get +mset +zadd +zrangebylex") { // as documented
				rules = append(rules, c)
			}
			require.NoError(t, admin.Do(t.Context(), rules...).Err())
			return store(t, client(t, s.Addr(0), func(o *goredis.Options) { o.Username = "uid" })).Segments()
		}
		one := account("+config|get", "+pubsub|numsub", "allchannels")
		lossy, err := one.Inspect(t.Context())
		require.NoError(t, err)
		require.Empty(t, lossy)

		one = account()
		lossy, err = one.Inspect(t.Context())
		require.NoError(t, err)
		require.Len(t, lossy, 2, lossy)
		require.NotContains(t, fmt.Sprint(lossy), secret)
		require.NoError(t, one.Change(t.Context(), "orders", draw(10)))
		rows, err := one.Rows(t.Context(), "", 10)
		require.NoError(t, err)
		require.Len(t, rows, 1)
		err = one.Change(t.Context(), "invoices", draw(10))
		require.ErrorContains(t, err, "NOPERM")
		require.False(t, retry.IsTransient(err))
	})
}
