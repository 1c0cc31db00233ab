package cluster

import (
	"context"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

func openRedis(t *testing.T, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	require.NoError(t, err)
	c := redis.NewClient(o)
	t.Cleanup(func() { c.Close() })
	return c
}

func TestRedis(t *testing.T) {
	kinds := map[string]struct {
		start func(string, ...string) (*Redis, error)
		pair  func(string, ...string) (*Pair, error)
	}{"redis": {StartRedis, StartRedisPair}, "valkey": {StartValkey, StartValkeyPair}}
	ctx := context.Background()
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			s, err := kind.start(name, "--requirepass=word")
			For(t, s, err)
			version, err := s.Version()
			require.NoError(t, err)
			t.Log(version)
			c := openRedis(t, s.URL(s.Addr(0)))
			for i, end := range []func(){s.Kill, func() { require.NoError(t, s.Stop()) }, s.Kill} {
				require.Equal(t, int64(i+1), c.Incr(ctx, "x").Val())
				end()
				require.Error(t, c.Ping(ctx).Err())
				require.NoError(t, s.Restart())
			}
		})
		t.Run(name+" pair", func(t *testing.T) {
			p, err := kind.pair(name, "--requirepass=word")
			For(t, p, err)
			for i := range int64(2) {
				if i > 0 {
					require.NoError(t, p.Rejoin())
				}
				c := openRedis(t, p.URL(p.Addr()))
				require.Equal(t, i+1, c.Incr(ctx, "x").Val())
				require.NoError(t, p.CatchUp())
				p.Lag(true)
				require.NoError(t, c.Incr(ctx, "x").Err())
				require.NoError(t, p.Failover())
				require.Equal(t, i+1, openRedis(t, p.URL(p.Addr())).IncrBy(ctx, "x", 0).Val(), "the last write is lost")
			}
		})
	}
}
