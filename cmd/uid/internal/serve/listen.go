package serve

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
)

// CheckListen refuses an address on which strangers could draw: one that is not loopback, where
// neither a token is asked for nor insecure accepts that. It reports whether the address is loopback. It
// returns errors that wrap [uid.ErrConfig].
func CheckListen(address string, token, insecure bool) (local bool, err error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false, fmt.Errorf("%w: the address %.100q: want HOST:PORT, such as 127.0.0.1:7077", uid.ErrConfig, address)
	}
	ip := net.ParseIP(host)
	local = host == "localhost" || ip != nil && ip.IsLoopback()
	if !local && !token && !insecure {
		return false, fmt.Errorf("%w: %.100q is not loopback, so others could use up numbers: ask for a token, or accept that", uid.ErrConfig, address)
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
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

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

// A limited listener answers connections beyond a limit with a farewell, and closes them.
type limited struct {
	net.Listener
	most     int64
	open     *atomic.Int64
	refused  *atomic.Int64
	farewell string // "" over TLS
	partings chan struct{}
}

func (s *Server) limit(l net.Listener, protocol int, farewell string) net.Listener {
	if s.cfg.TLS != nil {
		farewell = ""
	}
	return &limited{
		Listener: l, most: int64(s.cfg.Limits.Connections), open: &s.metrics.open[protocol], refused: &s.metrics.refused[protocol],
		farewell: farewell, partings: make(chan struct{}, 64),
	}
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.open.Add(1) <= l.most {
			return &counted{Conn: c, open: l.open}, nil
		}
		l.open.Add(-1)
		l.refused.Add(1)
		select {
		case l.partings <- struct{}{}:
			go func() {
				defer func() { <-l.partings }()
				part(c, l.farewell)
			}()
		default:
			_ = c.Close()
		}
	}
}

// part says farewell, and waits a moment for the client to read it: closing a connection with unread data
// would take the farewell back.
func part(c net.Conn, farewell string) {
	defer c.Close()
	if farewell == "" {
		return
	}
	_ = c.SetDeadline(time.Now().Add(time.Second))
	if _, err := c.Write([]byte(farewell)); err != nil {
		return
	}
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
	}
	rest := make([]byte, 4096)
	for range 16 {
		if _, err := c.Read(rest); err != nil {
			return
		}
	}
}

// A counted connection is counted until it is closed.
type counted struct {
	net.Conn
	open *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error {
	c.once.Do(func() { c.open.Add(-1) })
	return c.Conn.Close()
}
