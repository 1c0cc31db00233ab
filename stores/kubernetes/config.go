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
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/stores"
)

// Config holds the settings of [New]. The zero value works in a pod: it goes by the environment, and by the files that
// Kubernetes mounts for the pod's service account.
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

const (
	account       = "/var/run/secrets/kubernetes.io/serviceaccount"
	maxClockError = time.Hour
)

var label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)

func (c Config) withDefaults() (Config, error) {
	if c.URL == "" {
		host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
		if host == "" || port == "" {
			return c, fmt.Errorf("%w: no URL of an API server, and KUBERNETES_SERVICE_HOST and _PORT are not set: "+
				"this is no pod of a cluster", uid.ErrConfig)
		}
		c.URL = "https://" + net.JoinHostPort(host, port)
		c.TokenFile = cmp.Or(c.TokenFile, filepath.Join(account, "token"))
		if c.Client == nil {
			c.CAFile = cmp.Or(c.CAFile, filepath.Join(account, "ca.crt"))
		}
		if c.Namespace == "" {
			name, err := os.ReadFile(filepath.Join(account, "namespace"))
			if err != nil {
				return c, fmt.Errorf("%w: no Namespace, and none of a service account: %w", uid.ErrConfig, err)
			}
			c.Namespace = strings.TrimSpace(string(name))
		}
	}
	c.ClockError, c.Now = cmp.Or(c.ClockError, time.Second), settings.Clock(c.Now)
	c.RequestTimeout = cmp.Or(c.RequestTimeout, 5*time.Second)
	// The errors do not repeat a URL, which may have a password, or what may be one in the wrong place.
	at, err := url.Parse(c.URL)
	switch {
	case err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" || at.User != nil ||
		strings.Trim(at.Path, "/")+at.RawQuery+at.Fragment != "":
		return c, fmt.Errorf("%w: the URL is not of the form https://host:port", uid.ErrConfig)
	case c.TokenFile != "" && at.Scheme == "http":
		return c, fmt.Errorf("%w: the URL has no TLS: a token is not sent without", uid.ErrConfig)
	case !label.MatchString(c.Namespace):
		return c, fmt.Errorf("%w: the Namespace has %d bytes that are no name of a Kubernetes namespace: at most 63 of "+
			"a-z, 0-9 and -", uid.ErrConfig, len(c.Namespace))
	case c.Client != nil && c.CAFile != "":
		return c, fmt.Errorf("%w: a Client and a CAFile: the Client has to know its authorities", uid.ErrConfig)
	case c.ClockError < time.Microsecond || c.ClockError > maxClockError || c.ClockError%time.Microsecond != 0:
		return c, fmt.Errorf("%w: ClockError %v is not of whole microseconds from 1µs to %v", uid.ErrConfig,
			c.ClockError, maxClockError)
	case c.RequestTimeout < time.Millisecond:
		return c, fmt.Errorf("%w: RequestTimeout %v is below 1ms", uid.ErrConfig, c.RequestTimeout)
	}
	c.URL = at.Scheme + "://" + at.Host
	if c.Client == nil {
		c.Client, err = client(c.CAFile)
	}
	return c, err
}

// client returns one that notices when its connection is dead, and asks for no gzip: the API server would need half as
// much time again for a list.
func client(caFile string) (*http.Client, error) {
	secure := &tls.Config{MinVersion: tls.VersionTLS12}
	if caFile != "" {
		pem, err := os.ReadFile(caFile)
		if err != nil {
			return nil, fmt.Errorf("%w: the CAFile cannot be read: %w", uid.ErrConfig, err)
		}
		if secure.RootCAs = x509.NewCertPool(); !secure.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%w: the CAFile has no certificate in PEM", uid.ErrConfig)
		}
	}
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: secure, ForceAttemptHTTP2: true, DisableCompression: true,
		TLSHandshakeTimeout: 5 * time.Second, IdleConnTimeout: 90 * time.Second,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 5 * time.Second, PingTimeout: 5 * time.Second},
	}}, nil
}

// New returns a store in a Kubernetes namespace. It reads the CAFile, and sends nothing. It returns [uid.ErrConfig] when
// a setting cannot be used, or there is none and this is no pod.
func New(cfg Config) (*stores.Store, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	return stores.New(&driver{cfg: cfg}), nil
}
