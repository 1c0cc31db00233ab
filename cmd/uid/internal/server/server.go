package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/uidgen/uid"
)

// A Server answers requests. Make it with New. It serves once.
type Server struct {
	cfg     Config
	all     []route
	page    route
	metrics metrics

	web      http.Server
	draining atomic.Bool

	// The Redis protocol's.
	ended    sync.WaitGroup // the goroutines of connections
	mu       sync.Mutex     // of what follows
	conns    map[*conn]struct{}
	listener net.Listener
	stop     bool // connections are to end
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
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	s := &Server{cfg: cfg, metrics: newMetrics(), conns: map[*conn]struct{}{}}
	s.all = s.routes()
	s.page = route{path: PagePath, methods: getHead, anyway: true,
		handle: func(w http.ResponseWriter, r *http.Request) error {
			cfg.Page.ServeHTTP(w, r)
			return nil
		}}
	s.web = http.Server{
		Handler:           s,
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		DisableGeneralOptionsHandler: true,
		WriteTimeout:                 cfg.RequestTimeout + writeTime,
		MaxHeaderBytes:               maxHeader,
		TLSConfig:                    cfg.TLS,
		// What strangers do to the connection is nothing for an operator to read by default.
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
