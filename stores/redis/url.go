package redis

import (
	"context"
	"maps"
	"net/url"

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
	client, err := newClient(u)
	if err != nil {
		return nil, err
	}
	store, err := New(client, Config{Prefix: u.Params.Get("prefix")})
	if err != nil {
		_ = client.Close()
		return nil, u.Bad("has a prefix that cannot be used")
	}
	return &scheme.Store{Registry: store.Registry(), Segments: store.Segments(), Close: client.Close}, nil
}

func newClient(u *scheme.URL) (redis.UniversalClient, error) {
	redis.SetLogger(silent{})
	params := maps.Clone(u.Params)
	params.Del("prefix")
	if len(u.Hosts) == 1 {
		one, err := redis.ParseURL(text(u, params))
		if err != nil {
			return nil, u.Bad(unreadable)
		}
		one.Username, one.Password = u.User, u.Password
		return redis.NewClient(one), nil
	}
	if u.Path != "" && u.Path != "0" {
		return nil, u.Bad("names several hosts, which are of a cluster, and a database other than 0")
	}
	params["addr"] = append(u.Hosts[1:], params["addr"]...)
	all, err := redis.ParseClusterURL(text(u, params))
	if err != nil {
		return nil, u.Bad(unreadable)
	}
	all.Username, all.Password = u.User, u.Password
	if all.TLSConfig != nil {
		all.TLSConfig.ServerName = "" // of each node its own
	}
	return redis.NewClusterClient(all), nil
}

const unreadable = "has a number of a database, or a parameter, that the client does not know or cannot read"

// text is a URL without the account, for the client to parse.
func text(u *scheme.URL, params url.Values) string {
	return u.Scheme + "://" + u.Hosts[0] + "/" + u.Path + "?" + params.Encode()
}

// silent is a logger of go-redis, which would write to standard error.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
