package redis

import (
	"net/url"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/scheme"
)

// The parameters of a URL are those of the client, whether it names one host or several.
func TestURL(t *testing.T) {
	client := func(query, path string, hosts ...string) (redis.UniversalClient, error) {
		t.Helper()
		params, err := url.ParseQuery(query)
		require.NoError(t, err)
		u := &scheme.URL{Scheme: "rediss", User: "me", Password: "p/?#", Hosts: hosts, Path: path, Params: params,
			Driver: &scheme.Driver{Form: "one"}}
		c, err := newClient(u)
		if err == nil {
			t.Cleanup(func() { require.NoError(t, c.Close()) })
		}
		return c, err
	}
	const query = "read_timeout=7s&pool_size=3&prefix=p"
	one, err := client(query, "2", "a:1")
	require.NoError(t, err)
	o := one.(*redis.Client).Options()
	require.Equal(t, []any{"a:1", "me", "p/?#", 2, 3, 7 * time.Second, "a"}, []any{o.Addr, o.Username, o.Password, o.DB,
		o.PoolSize, o.ReadTimeout, o.TLSConfig.ServerName})

	several, err := client(query, "0", "a:1", "b:2", "c:3")
	require.NoError(t, err)
	c := several.(*redis.ClusterClient).Options()
	require.Equal(t, []any{[]string{"a:1", "b:2", "c:3"}, "me", "p/?#", 3, 7 * time.Second, ""}, []any{c.Addrs,
		c.Username, c.Password, c.PoolSize, c.ReadTimeout, c.TLSConfig.ServerName})

	for _, hosts := range [][]string{{"a:1"}, {"a:1", "b:2"}} {
		_, err = client("hunter2=1", "", hosts...)
		require.ErrorIs(t, err, uid.ErrConfig)
		require.NotContains(t, err.Error(), "hunter2")
	}
	_, err = client("", "2", "a:1", "b:2")
	require.ErrorContains(t, err, "a database other than 0")
}
