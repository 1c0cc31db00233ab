package server

import (
	"context"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/test/engines/cluster"
)

// Redis returns a client of the server. It first installs a missing server, if apt-get can
// be used. It may be called by any number of goroutines at once.
func (s *Set) Redis() (*redis.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.redis != nil {
		return s.redis, nil
	}
	server, err := cluster.StartRedis("redis", "--appendonly=no")
	if err != nil {
		return nil, err
	}
	s.stops = append(s.stops, server.Close)
	client := redis.NewClient(&redis.Options{
		Addr: server.Addr(0), PoolSize: connections,
		DialTimeout: time.Second, DialerRetries: 1, MaxRetries: -1, DisableIdentity: true,
	})
	s.stops = append(s.stops, func() { _ = client.Close() })
	if err := client.Ping(context.Background()).Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", server.Name(), err)
	}
	s.redis = client
	return client, nil
}
