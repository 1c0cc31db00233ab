package kubernetes

import (
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/stores/kubernetes/internal/fake"
)

// What cannot be used is an error that says why, and has nothing secret.
func TestConfig(t *testing.T) {
	t.Parallel()
	noPEM := filepath.Join(t.TempDir(), orders.Secret[:1]+".pem")
	require.NoError(t, os.WriteFile(noPEM, []byte(orders.Secret), 0o600))
	for _, is := range []struct {
		says   string
		change func(*Config)
	}{
		{"not of the form https://host:port", func(c *Config) { c.URL = "cluster:6443" }},
		{"not of the form https://host:port", func(c *Config) { c.URL = "https://" }},
		{"not of the form https://host:port", func(c *Config) { c.URL = "https://cluster/\x7f" + orders.Secret }},
		{"not of the form https://host:port", func(c *Config) { c.URL = "ftp://" + orders.Secret }},
		{"not of the form https://host:port", func(c *Config) { c.URL = "https://me:" + orders.Secret + "@cluster" }},
		{"not of the form https://host:port", func(c *Config) { c.URL = "https://cluster/" + orders.Secret }},
		{"not of the form https://host:port", func(c *Config) { c.URL = "https://cluster?token=" + orders.Secret }},
		{"not of the form https://host:port", func(c *Config) { c.URL = "https://cluster#" + orders.Secret }},
		{"no TLS: a token is not sent without", func(c *Config) { c.URL = "http://cluster" }},
		{"the Namespace has 0 bytes", func(c *Config) { c.Namespace = "" }},
		{"the Namespace has 64 bytes", func(c *Config) { c.Namespace = string(make([]byte, 64)) }},
		{"the Namespace has 7 bytes", func(c *Config) { c.Namespace = "a/" + orders.Secret[:5] }},
		{"the Namespace has 4 bytes", func(c *Config) { c.Namespace = "Shop" }},
		{"a Client and a CAFile", func(c *Config) { c.CAFile = noPEM }},
		{"the CAFile cannot be read", func(c *Config) { c.Client, c.CAFile = nil, noPEM+"none" }},
		{"or has no certificate in PEM", func(c *Config) { c.Client, c.CAFile = nil, noPEM }},
		{"ClockError -1ns is not of whole microseconds from 1µs to 1h0m0s", func(c *Config) { c.ClockError = -1 }},
		{"ClockError 1.5µs is not of whole microseconds", func(c *Config) { c.ClockError = 1500 }},
		{"ClockError 1h0m0.000001s is not", func(c *Config) { c.ClockError = time.Hour + time.Microsecond }},
		{"RequestTimeout 999.999µs is below 1ms", func(c *Config) { c.RequestTimeout = time.Millisecond - 1 }},
	} {
		c := Config{URL: "https://cluster", Namespace: "shop", TokenFile: "token", Client: http.DefaultClient}
		is.change(&c)
		_, err := New(c)
		require.ErrorIs(t, err, uid.ErrConfig, is.says)
		orders.Fails(t, err, false, is.says)
	}
	for _, change := range []func(*Config){
		func(c *Config) { c.URL = "https://cluster/" },
		func(c *Config) { c.URL, c.TokenFile = "http://127.0.0.1:8001", "" },
		func(c *Config) { c.ClockError, c.RequestTimeout = time.Microsecond, time.Millisecond },
		func(c *Config) { c.ClockError, c.RequestTimeout = time.Hour, math.MaxInt64 },
		func(c *Config) { c.Namespace, c.Client = "0-9", nil },
	} {
		c := Config{URL: "https://cluster", Namespace: "shop", TokenFile: "token", Client: http.DefaultClient}
		change(&c)
		_, err := New(c)
		require.NoError(t, err)
	}
}

// In a pod the settings are those of Kubernetes. Elsewhere all that begins with the zero Config says what is missing.
func TestInCluster(t *testing.T) {
	for name, value := range map[string]string{"KUBERNETES_SERVICE_HOST": "", "KUBERNETES_SERVICE_PORT": "443"} {
		t.Setenv(name, value)
	}
	_, err := New(Config{Namespace: "shop"})
	errs := []error{err}
	_, err = cached.New(Lease("orders"), cached.Config{})
	errs = append(errs, err)
	_, err = Segment("orders", segment.Config{})
	for _, err := range append(errs, err) {
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, "KUBERNETES_SERVICE_HOST and _PORT are not set: this is no pod of a cluster")
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
	if _, err := os.Stat(account); err == nil {
		t.Skip("this is a pod")
	}
	_, err = New(Config{})
	require.ErrorContains(t, err, "no Namespace, and none of a service account: ")
	_, err = New(Config{Namespace: "shop"})
	require.ErrorContains(t, err, "the CAFile cannot be read")
	c, err := Config{Namespace: "shop", Client: http.DefaultClient}.withDefaults()
	require.NoError(t, err)
	require.Equal(t, "https://[fd00::1]:443", c.URL)
	require.Equal(t, account+"/token", c.TokenFile)
	require.Equal(t, time.Second, c.ClockError)
	require.Equal(t, 5*time.Second, c.RequestTimeout)
	c, err = Config{URL: "https://cluster", Namespace: "shop"}.withDefaults()
	require.NoError(t, err)
	require.Empty(t, c.TokenFile+c.CAFile, "another cluster does not get this one's token")
	c, err = Config{Namespace: "shop", TokenFile: "my", Client: http.DefaultClient}.withDefaults()
	require.NoError(t, err)
	require.Equal(t, "my", c.TokenFile)
}

// A URL has what Config has, over a network, with the CA of the cluster.
func TestURL(t *testing.T) {
	t.Parallel()
	s := fake.New(time.Now)
	s.Allow(orders.Secret, "shop", "get", "list", "create", "update")
	url, ca := s.Listen(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ca"), ca, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte(orders.Secret), 0o600))
	open := func(host, rest string) (*scheme.Store, error) {
		u, err := scheme.Parse("kubernetes://" + host + "/" + rest)
		if err != nil {
			return nil, err
		}
		return u.Open(t.Context(), scheme.Options{})
	}
	host, with := url[len("https://"):], "?ca="+filepath.Join(dir, "ca")+"&token-file="+filepath.Join(dir, "token")
	store, err := open(host, "shop"+with+"&clockerror=2s")
	require.NoError(t, err)
	l, err := store.Registry.Namespace("orders")
	require.NoError(t, err)
	orders.Set(t, l, func(*storage.Namespace) {})
	require.Contains(t, s.Leases("shop")["uid-orders"].Meta.Annotations[annotationState], `"clock_error":2000000`)
	require.NoError(t, store.Segments.Change(t.Context(), "orders", orders.Draw(1)))
	require.NoError(t, store.Close())

	store, err = open(host, "shop?token-file="+filepath.Join(dir, "token"))
	require.NoError(t, err)
	orders.Fails(t, store.Segments.Change(t.Context(), "orders", orders.Draw(1)), true, "certificate")
	for says, of := range map[string][2]string{
		"has a user, a password or several hosts":    {"me:" + orders.Secret + "@" + host, "shop"},
		"a password or several hosts":                {"a:1,b:2", "shop"},
		"clockerror":                                 {host, "shop?clockerror=" + orders.Secret},
		"the Namespace has 8 bytes that are no name": {host, "hunter_2"},
	} {
		_, err := open(of[0], of[1])
		require.ErrorIs(t, err, uid.ErrConfig, says)
		orders.Fails(t, err, false, says)
	}
}

// Programs put transports of their own in the place of the default one, for traces, say.
func TestDefaultTransport(t *testing.T) {
	was := http.DefaultTransport
	defer func() { http.DefaultTransport = was }()
	http.DefaultTransport = struct{ http.RoundTripper }{was}
	_, err := New(Config{URL: "https://cluster", Namespace: "shop"})
	require.NoError(t, err)
}
