package main

import (
	"context"
	"strings"

	goredis "github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/stores/redis"
)

// redisEngine stands for Valkey, too. The parameters of its URLs are those of go-redis, and
// prefix, which begins all keys. Several hosts are of one Redis Cluster.
var redisEngine = engine{
	schemes: []string{"redis", "rediss"},
	form:    "rediss://user:password@host:6379/0", // rediss is with TLS
	port:    "6379",
	open: func(_ context.Context, u *storeURL, s settings) (*workerStore, error) {
		prefix := u.params.Get("prefix")
		u.params.Del("prefix")
		place, _, _ := strings.Cut(u.raw, "?")
		scheme, rest, _ := strings.Cut(place, "://")
		_, rest, _ = strings.Cut(rest[strings.LastIndexByte(rest, '@')+1:], "/") // behind the hosts
		options, err := goredis.ParseURL(scheme + "://" + u.hosts[0] + "/" + rest + "?" + u.params.Encode())
		if err != nil {
			return nil, u.bad("has a number of a database, or a parameter, that the client does not know or cannot read")
		}
		options.Username, options.Password = u.user, u.password
		goredis.SetLogger(silent{})
		var client goredis.UniversalClient
		if len(u.hosts) == 1 {
			client = goredis.NewClient(options)
		} else if options.DB != 0 {
			return nil, u.bad("names several hosts, which are of a cluster, and a database other than 0")
		} else {
			client = goredis.NewClusterClient(&goredis.ClusterOptions{
				Addrs: u.hosts, Username: u.user, Password: u.password, TLSConfig: options.TLSConfig,
				DialTimeout: options.DialTimeout, ReadTimeout: options.ReadTimeout, WriteTimeout: options.WriteTimeout, MaxRetries: options.MaxRetries,
			})
		}
		store, err := redis.New(client, redis.Config{Prefix: prefix})
		if err != nil {
			_ = client.Close()
			return nil, u.bad("has a prefix that cannot be used")
		}
		return &workerStore{all: store, segments: store.Segments(), close: func() { _ = client.Close() }}, nil
	},
}

// silent is a logger of go-redis, which would write to standard error.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
