package subject

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/segment"
	redisstore "github.com/uidgen/uid/stores/redis"
)

// onRedis returns package segment on Redis, and a counter kept there.
func onRedis(client func() (*redis.Client, error)) []Subject {
	trips := reads(client)
	store := sync.OnceValues(func() (segment.Store, error) {
		c, err := client()
		if err != nil {
			return nil, err
		}
		s, err := redisstore.New(c, redisstore.Config{})
		if err != nil {
			return nil, err
		}
		return s.Segments(), nil
	})
	return []Subject{
		{
			Name: "segment-redis", Label: "uid segment on Redis, GetUID", Kind: Ours, Bits: 63, Module: ours,
			Engine: Redis, Trips: trips,
			Open: func() (Source, error) { g, err := openSegment(store, segment.Config{}); return segments{g}, err },
		},
		{
			Name: "redis-incr", Label: "Redis, INCR", Kind: Server, Bits: 63, Shared: true, Engine: Redis, Trips: trips,
			Open: func() (Source, error) {
				c, err := client()
				next := func() (uint64, error) { return c.Incr(context.Background(), "bench").Uint64() }
				return asked{next}, err
			},
		},
	}
}

// reads returns a function that counts how often the server has read from a connection, less
// where that was to count: once for each round trip. Commands would be too many, since those
// of a script count, too.
func reads(client func() (*redis.Client, error)) func() (int64, error) {
	var own atomic.Int64
	return func() (int64, error) {
		c, err := client()
		if err != nil {
			return 0, err
		}
		info, err := c.InfoMap(context.Background(), "stats").Result()
		if err != nil {
			return 0, fmt.Errorf("count the round trips: %w", err)
		}
		n, err := strconv.ParseInt(info["Stats"]["total_reads_processed"], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("count the round trips: %w", err)
		}
		return n - own.Add(1), nil
	}
}
