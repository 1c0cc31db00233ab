package kubernetes

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/lazy"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

// Config holds the settings of [New]. The zero value works in a pod.
type Config struct {
	// URL is the API server's: https://10.0.0.1:6443. The default is that of the pod's cluster.
	URL string

	// CAFile is a PEM file with the authority that has signed the API server's certificate. The default is that of the
	// service account in a pod; with a URL, the system's authorities.
	CAFile string

	// TokenFile has the token that goes with each request. It is read anew for each, since Kubernetes renews it. The
	// default is that of the service account in a pod; with a URL there is none.
	TokenFile string

	// Namespace is the Kubernetes namespace that holds the objects, the same for all clients. The default is the pod's.
	Namespace string

	// Client sends the requests instead, with a transport that knows the API server's authority, say. CAFile is not
	// for it.
	Client *http.Client

	// ClockError bounds how far the clock of any client may be off true time, in whole microseconds from 1 µs to an
	// hour. The default is 1 s, which NTP keeps. A namespace remembers it, and refuses a client that has another one.
	// With a worse clock an owner can lose its ID for nothing, or take one early, but no tick comes twice.
	ClockError time.Duration

	// RequestTimeout bounds each request. The default is 5 s; at least 1 ms.
	RequestTimeout time.Duration

	// Now is the clock. The default is time.Now.
	Now func() time.Time
}

const account, maxClockError = "/var/run/secrets/kubernetes.io/serviceaccount", time.Hour

var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func (c Config) withDefaults() (Config, error) {
	bad := func(format string, args ...any) (Config, error) {
		return c, fmt.Errorf("%w: "+format, append([]any{uid.ErrConfig}, args...)...)
	}
	if c.URL == "" {
		host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
		name, err := os.ReadFile(account + "/namespace")
		switch {
		case host == "" || port == "":
			return bad("no URL, and KUBERNETES_SERVICE_HOST and _PORT are not set: this is no pod of a cluster")
		case err != nil && c.Namespace == "":
			return bad("no Namespace, and none of a service account: %w", err)
		case c.Client == nil:
			c.CAFile = cmp.Or(c.CAFile, account+"/ca.crt")
		}
		c.URL, c.TokenFile = "https://"+net.JoinHostPort(host, port), cmp.Or(c.TokenFile, account+"/token")
		c.Namespace = cmp.Or(c.Namespace, strings.TrimSpace(string(name)))
	}
	c.ClockError, c.Now = cmp.Or(c.ClockError, time.Second), settings.Clock(c.Now)
	c.RequestTimeout = cmp.Or(c.RequestTimeout, 5*time.Second)
	// The errors do not repeat a URL, which may have a password, or what may be one in the wrong place.
	at, err := url.Parse(c.URL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" || at.User != nil ||
		strings.Trim(at.Path, "/")+at.RawQuery+at.Fragment != "":
		return bad("the URL is not of the form https://host:port")
	case c.TokenFile != "" && at.Scheme == "http":
		return bad("the URL has no TLS: a token is not sent without")
	case !label.MatchString(c.Namespace):
		return bad("the Namespace has %d bytes that are no name of a Kubernetes namespace: at most 63 of a-z, 0-9, -",
			len(c.Namespace))
	case c.Client != nil && c.CAFile != "":
		return bad("a Client and a CAFile: the Client has to know its authorities")
	case c.ClockError < time.Microsecond || c.ClockError > maxClockError || c.ClockError%time.Microsecond != 0:
		return bad("ClockError %v is not of whole microseconds from 1µs to %v", c.ClockError, maxClockError)
	case c.RequestTimeout < time.Millisecond:
		return bad("RequestTimeout %v is below 1ms", c.RequestTimeout)
	case c.Client == nil:
		c.Client, err = client(c.CAFile)
	}
	c.URL = at.Scheme + "://" + at.Host
	return c, err
}

// client returns one that notices when its connection is dead, and asks for no gzip: the API server would need half as
// much time again for a list.
func client(caFile string) (*http.Client, error) {
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		secure.RootCAs = x509.NewCertPool()
		if err != nil || !secure.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%w: the CAFile cannot be read, or has no certificate in PEM", uid.ErrConfig)
		}
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure,
		ForceAttemptHTTP2: true, DisableCompression: true,
		IdleConnTimeout: time.Minute, TLSHandshakeTimeout: time.Minute,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second}}}, nil
}

// New returns a store in a Kubernetes namespace. It reads the CAFile, and sends nothing. It returns [uid.ErrConfig]
// when a setting cannot be used, or there is none and this is no pod.
func New(cfg Config) (*stores.Store, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return stores.New(&driver{cfg: cfg}), nil
}

// Lease returns a worker that leases a worker ID of a namespace in the cluster of this pod, with the default [Config]
// and at most one lease.Config. Making a generator on it returns the errors of [New], [stores.Store.Leases] and
// [lease.New].
func Lease(namespace string, cfg ...lease.Config) uid.Worker {
	return lazy.Lease(cfg, func() (lease.Store, error) {
		store, err := New(Config{})
		if err != nil {
			return nil, err
		}
		return store.Leases(namespace)
	})
}

// Segment returns a generator of dense numbers of a tag in the cluster of this pod, with the default [Config], and the
// errors of [New] and [segment.New].
func Segment(tag string, cfg segment.Config) (*segment.Generator, error) {
	store, err := New(Config{})
	if err != nil {
		return nil, err
	}
	return segment.New(store.Segments(), tag, cfg)
}
