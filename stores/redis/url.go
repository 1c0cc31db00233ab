package redis

import (
	"context"
	"maps"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/internal/scheme"
)

// Package connect opens redis:// and rediss:// URLs, the latter with TLS, of Redis and Valkey. Their
// parameters are those of go-redis, and prefix, which begins all keys. Several hosts are of one Redis Cluster.
func init() {
	scheme.Register(scheme.Driver{
		Schemes: []string{"redis", "rediss"},
		Form:    "rediss://user:password@host:6379/0",
		Port:    "6379",
		Open:    openURL,
	})
}

func openURL(_ context.Context, u *scheme.URL, _ scheme.Options) (*scheme.Store, error) {
	prefix, params := u.Params.Get("prefix"), maps.Clone(u.Params)
	params.Del("prefix")
	options, err := redis.ParseURL(u.Scheme + "://" + u.Hosts[0] + "/" + u.Path + "?" + params.Encode())
	if err != nil {
		return nil, u.Bad("has a number of a database, or a parameter, that the client does not know or cannot read")
	}
	options.Username, options.Password = u.User, u.Password
	redis.SetLogger(silent{})
	var client redis.UniversalClient
	if len(u.Hosts) == 1 {
		client = redis.NewClient(options)
	} else if options.DB != 0 {
		return nil, u.Bad("names several hosts, which are of a cluster, and a database other than 0")
	} else {
		client = redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: u.Hosts, Username: u.User, Password: u.Password, TLSConfig: options.TLSConfig,
			DialTimeout: options.DialTimeout, ReadTimeout: options.ReadTimeout, WriteTimeout: options.WriteTimeout,
			MaxRetries: options.MaxRetries,
		})
	}
	store, err := New(client, Config{Prefix: prefix})
	if err != nil {
		_ = client.Close()
		return nil, u.Bad("has a prefix that cannot be used")
	}
	return &scheme.Store{Registry: store.Registry(), Segments: store.Segments(), Close: client.Close}, nil
}

// silent is a logger of go-redis, which would write to standard error.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
