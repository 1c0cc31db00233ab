package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
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

// The lengths of a token.
const minToken, maxToken = 16, 512

// A Token is a secret that clients share with the server. It keeps only its hash. All methods may be
// called by any number of goroutines at once.
type Token struct {
	hash atomic.Pointer[[sha256.Size]byte]
}

// Set changes the token, for what is compared from now on. It returns an error that wraps
// [uid.ErrConfig], and does not repeat the text, when that is no token: 16 to 512 printable ASCII
// characters without spaces.
func (t *Token) Set(text string) error {
	switch {
	case len(text) < minToken || len(text) > maxToken:
		return fmt.Errorf("%w: the token has %d bytes, want %d to %d", uid.ErrConfig, len(text), minToken, maxToken)
	case strings.ContainsFunc(text, unprintable):
		return fmt.Errorf("%w: the token has a character that is no printable ASCII, or a space", uid.ErrConfig)
	}
	hash := sha256.Sum256([]byte(text))
	t.hash.Store(&hash)
	return nil
}

// Is reports whether a text is the token, in a time that does not tell how much of it is right.
func (t *Token) Is(text string) bool {
	hash := sha256.Sum256([]byte(text))
	return subtle.ConstantTimeCompare(hash[:], t.hash.Load()[:]) == 1
}

// shows reports whether a request shows the token: as a bearer, or as the password of any user, for
// browsers.
func (t *Token) shows(r *http.Request) bool {
	if t == nil {
		return true
	}
	header := r.Header.Values("Authorization")
	if len(header) != 1 {
		return false
	}
	if scheme, text, ok := strings.Cut(header[0], " "); ok && strings.EqualFold(scheme, "Bearer") {
		return t.Is(text)
	}
	_, password, ok := r.BasicAuth()
	return ok && t.Is(password)
}

// silent is how long after a full listener was logged it is logged again.
const silent = time.Minute

// A limited listener has so many connections at once, and closes what comes beyond. Where a token is asked for,
// a connection has strangerTime to show it.
type limited struct {
	net.Listener
	slots   chan struct{} // one for each connection
	token   bool
	told    time.Time // of a full listener; of the goroutine that accepts
	metrics *connections
	log     *slog.Logger
	name    string // of the protocol
}

// A guest is a connection that was accepted.
type guest struct {
	net.Conn
	host  *limited
	ended sync.Once
	timer *time.Timer // until the token has to be shown; nil where none is asked for
}

func (s *Server) limit(l net.Listener, protocol int) net.Listener {
	return &limited{
		Listener: l, slots: make(chan struct{}, min(s.cfg.MaxConns, 1<<20)), token: s.cfg.Token != nil,
		metrics: &s.metrics.connections[protocol], log: s.cfg.Logger, name: protocols[protocol],
	}
}

func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		select {
		case l.slots <- struct{}{}:
			g := &guest{Conn: c, host: l}
			if l.token {
				g.timer = time.AfterFunc(strangerTime, func() { _ = c.Close() })
			}
			l.count()
			return g, nil
		default:
			_ = c.Close()
			l.metrics.refused.Inc()
			if time.Since(l.told) > silent {
				l.told = time.Now()
				l.log.Warn("uid: all connections are in use, and more are refused",
					"protocol", l.name, "limit", cap(l.slots))
			}
		}
	}
}

func (l *limited) count() { l.metrics.open.Set(float64(len(l.slots))) }

func (g *guest) Close() error {
	g.ended.Do(func() {
		if g.timer != nil {
			g.timer.Stop()
		}
		<-g.host.slots
		g.host.count()
	})
	return g.Conn.Close()
}

// admit lets a connection stay, since the token was shown on it. In tests there may be none.
func admit(c net.Conn) {
	if secure, is := c.(*tls.Conn); is {
		c = secure.NetConn()
	}
	if g, is := c.(*guest); is && g.timer != nil {
		g.timer.Stop()
	}
}
