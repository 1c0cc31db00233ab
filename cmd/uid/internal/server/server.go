// Package server answers for UIDs and for the numbers of tags over HTTP and over the Redis
// protocol. It is the server of the command's uid serve.
//
// Two rules keep an answer from being given twice, or from being read as another number:
//
//   - No answer may be cached: each says Cache-Control: no-store.
//   - An answer that is cut off shows: each has a Content-Length, or an end of its own.
//
// A number that was drawn and could not be sent is skipped, never offered again.
//
// The reader of the Redis protocol is our own: the libraries at hand allocate what a client
// announces, or fail on a length near 2^63, before a client has shown its token.
package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uidgen/uid"
)

// UIDs makes UIDs; a cached.Generator does.
type UIDs interface {
	TryGetUID() (uid.UID, error)
	GetUIDContext(ctx context.Context) (uid.UID, error)
	FillContext(ctx context.Context, dst []uid.UID) (int, error)
	ParseUID(u uid.UID) (uid.Parts, error)
}

// MaxBatch is how many UIDs, or numbers, one request gets at most.
const MaxBatch = 10_000

// Config has the settings of a Server. Those that may be nil say so.
type Config struct {
	UIDs     UIDs
	Segments *Segments

	// UIDKey is the key of the Redis protocol under which INCR returns UIDs. All other keys are
	// tags.
	UIDKey string

	// Ready returns why the server is to get no requests now, nil if it may.
	Ready func() error
	// Metrics has metrics beside the server's own.
	Metrics prometheus.Gatherer
	// Page answers below PagePath. Nil answers nothing there.
	Page http.Handler

	// Token is what clients must show; nil asks for nothing.
	Token *Token
	// LocalOnly says that the server listens on loopback and asks for no token. Then it answers
	// only requests whose Host is this machine, so that no web page can reach it under a name of its own.
	LocalOnly bool
	// TLS is for both listeners; nil speaks plainly.
	TLS *tls.Config

	MaxConns       int64         // of each protocol at once; 2^20 at most count
	RequestTimeout time.Duration // of waiting for a UID or a number

	// Access gets a record of each request and of each connection of the Redis protocol. Nil gets none.
	Access *slog.Logger
	// Logger gets what an operator wants to know.
	Logger *slog.Logger
	// Version is what clients are told of the program.
	Version string
}

// The other limits of time.
const (
	strangerTime = 10 * time.Second // from when a connection begins to when it shows the token
	headerTime   = 5 * time.Second  // a request's header
	readTime     = 10 * time.Second // a request, or a command
	writeTime    = 10 * time.Second // an answer, beside RequestTimeout
	idleTime     = 2 * time.Minute  // between requests
)

const (
	maxHeader  = 8 << 10 // bytes of a request's line and header; net/http allows 4 kB more
	maxURL     = 2048    // bytes of a request's path and query
	maxBody    = 4 << 10 // bytes of a POST's body, which is ignored
	maxArgs    = 16      // of a command
	maxArg     = 1024    // bytes of an argument, and of a line
	maxGuesses = 5       // wrong tokens on one connection of the Redis protocol
)

func unprintable(r rune) bool { return r <= ' ' || r > '~' }

// A Server answers requests. Make it with New. It serves once.
type Server struct {
	cfg     Config
	all     []route
	metrics metrics

	web      http.Server
	draining atomic.Bool

	// The Redis protocol's.
	ended    sync.WaitGroup // the goroutines of connections
	mu       sync.Mutex     // of what follows
	conns    map[*conn]struct{}
	listener net.Listener
	stop     atomic.Bool // connections are to end; it is set under mu
}

// connKey is the key of a request's connection in its context.
type connKey struct{}

// connOf returns a request's connection, nil in tests without one.
func connOf(r *http.Request) net.Conn {
	c, _ := r.Context().Value(connKey{}).(net.Conn)
	return c
}

// New returns a server. It returns an error that wraps [uid.ErrConfig], with the numbers, when a setting
// cannot be used.
func New(cfg Config) (*Server, error) {
	if n := len(cfg.UIDKey); n < 1 || n > maxArg || strings.ContainsFunc(cfg.UIDKey, unprintable) {
		return nil, fmt.Errorf("serve: %w: the key for UIDs has %d bytes, want 1 to %d printable ones",
			uid.ErrConfig, n, maxArg)
	}
	s := &Server{cfg: cfg, metrics: newMetrics(), conns: map[*conn]struct{}{}}
	s.all = s.routes()
	s.web = http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		DisableGeneralOptionsHandler: true,
		WriteTimeout:                 cfg.RequestTimeout + writeTime,
		MaxHeaderBytes:               maxHeader,
		TLSConfig:                    cfg.TLS,
		// Operators need not read, by default, of broken connections.
		ErrorLog: slog.NewLogLogger(cfg.Logger.Handler(), slog.LevelDebug),
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		},
	}
	return s, nil
}

// Serve answers on two listeners, of which either may be nil, until Drain or until one fails; then it
// returns that error, wrapped, and has closed both.
func (s *Server) Serve(web, redis net.Listener) error {
	failed := make(chan error, 2)
	serving := 0
	if web != nil {
		serving++
		go func() { failed <- s.serveHTTP(web) }()
	}
	if redis != nil {
		serving++
		go func() { failed <- s.serveRESP(redis) }()
	}
	var first error
	for range serving {
		if err := <-failed; err != nil && !errors.Is(err, http.ErrServerClosed) && first == nil {
			first = fmt.Errorf("serve: %w", err)
			closeListener(web)
			closeListener(redis)
		}
	}
	return first
}

func closeListener(l net.Listener) {
	if l != nil {
		_ = l.Close()
	}
}

func (s *Server) serveHTTP(l net.Listener) error {
	l = s.limit(l, overHTTP)
	if s.cfg.TLS != nil {
		return s.web.ServeTLS(l, "", "")
	}
	return s.web.Serve(l)
}

// ready returns why the server is to get no requests now.
func (s *Server) ready() error {
	if s.draining.Load() {
		return fmt.Errorf("%w: the server is about to stop", uid.ErrClosed)
	}
	return s.cfg.Ready()
}

// StopReady makes /readyz say that the server is to get no requests any more; it still answers all.
func (s *Server) StopReady() { s.draining.Store(true) }

// Drain closes the listeners, and waits for the requests that have begun; connections that are idle it
// closes. When ctx ends it closes all others, too, and returns ctx's error.
func (s *Server) Drain(ctx context.Context) error {
	s.draining.Store(true)
	web := make(chan error, 1)
	go func() {
		err := s.web.Shutdown(ctx)
		if err != nil {
			_ = s.web.Close()
		}
		web <- err
	}()
	return errors.Join(s.drainRESP(ctx), <-web)
}
