package engines

import (
	"context"
	"io"
	"net/url"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/stores/redis"
	"github.com/uidgen/uid/test/engines/cluster"
)

// Redis is the machine's Redis, with more options of cluster.StartRedis.
func Redis(options ...string) Engine {
	return likeRedis("redis", cluster.StartRedis, cluster.StartRedisPair, options)
}

// Valkey is Valkey of Debian sid, likewise.
func Valkey(options ...string) Engine {
	e := likeRedis("valkey", cluster.StartValkey, cluster.StartValkeyPair, options)
	e.Optional = true
	return e
}

func likeRedis(name string, start func(string, ...string) (*cluster.Redis, error), pair func(string, ...string) (*cluster.Pair, error), options []string) Engine {
	return Engine{
		Name: name,
		Start: func() (*Deployment, error) {
			r, err := start(name, options...)
			if err != nil {
				return nil, err
			}
			return One(r, r.Addr(0), r.URL, r.Version, r.Close), nil
		},
		Pair: func() (*cluster.Pair, error) { return pair(name+" pair", options...) },
	}
}

func openRedis(_ context.Context, u *url.URL) (Store, io.Closer, error) {
	o, err := goredis.ParseURL(u.String())
	if err != nil {
		return Store{}, nil, err
	}
	o.DialTimeout = time.Second
	c := goredis.NewClient(o)
	s, err := redis.New(c, redis.Config{})
	if err != nil {
		_ = c.Close()
		return Store{}, nil, err
	}
	return Store{s, s.Segments()}, c, nil
}
