package server

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync/atomic"

	"github.com/uidgen/uid"
)

// CheckListen refuses an address on which strangers could draw: one that is not loopback, where
// neither a token is asked for nor insecure accepts that. It reports whether the address is loopback. It
// returns errors that wrap [uid.ErrConfig].
func CheckListen(address string, token, insecure bool) (local bool, err error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%w: the address %.100q: want HOST:PORT, such as 127.0.0.1:7077",
			uid.ErrConfig, address)
	}
	local = loopback(host)
	if !local && !token && !insecure {
		return false, fmt.Errorf("%w: %.100q is not loopback, so others could use up numbers: "+
			"ask for a token, or accept that", uid.ErrConfig, address)
	}
	return local, nil
}

// isLocal reports whether the Host of a request names this machine as itself.
func isLocal(hostport string) bool {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	if n := len(host); n > 2 && host[0] == '[' && host[n-1] == ']' {
		host = host[1 : n-1]
	}
	return loopback(host)
}

func loopback(host string) bool { return host == "localhost" || net.ParseIP(host).IsLoopback() }

// A Certificate is a TLS certificate that can be read again. All methods may be called by any number
// of goroutines at once.
type Certificate struct {
	cert, key string
	loaded    atomic.Pointer[tls.Certificate]
}

// NewCertificate reads a certificate and its key from PEM files.
func NewCertificate(cert, key string) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key}
	return c, c.Reload()
}

// Reload reads the files again. If they cannot be used, it returns an error that wraps
// [uid.ErrConfig], and what was read before stays in use.
func (c *Certificate) Reload() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		if missing, is := errors.AsType[*os.PathError](err); is {
			return fmt.Errorf("%w: the certificate: %w", uid.ErrConfig, missing)
		}
		return fmt.Errorf("%w: %s and %s are no PEM files of a certificate and its key", uid.ErrConfig, c.cert, c.key)
	}
	c.loaded.Store(&pair)
	return nil
}

// Config returns the configuration for Config.TLS.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.loaded.Load(), nil },
	}
}
