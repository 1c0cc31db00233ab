package server

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
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

// DefaultUIDKey is the key of the Redis protocol that stands for UIDs.
const DefaultUIDKey = "uid"

// Config is what a Server needs. Only UIDs and Segments have no default.
type Config struct {
	UIDs     UIDs
	Segments *Segments

	// UIDKey is the key of the Redis protocol under which INCR returns UIDs. All other keys are
	// tags. The default is DefaultUIDKey.
	UIDKey string

	// Ready returns why the server is to get no requests now, nil if it may. Nil is always ready.
	Ready func() error
	// Metrics has metrics beside the server's own. Nil has none.
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

	MaxConns       int           // of each protocol at once; the default is 1024
	RequestTimeout time.Duration // of waiting for a UID or a number; the default is 5 s

	// Access gets a record of each request and of each connection of the Redis protocol. Nil gets none.
	Access *slog.Logger
	// Logger gets what an operator wants to know. Nil is slog.Default().
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
	maxHeader  = 8 << 10 // bytes of a request's line and header, as far as net/http keeps to it
	maxURL     = 2048    // bytes of a request's path and query
	maxBody    = 4 << 10 // bytes of a POST's body, which is ignored
	maxArgs    = 16      // of a command
	maxArg     = 1024    // bytes of an argument, and of a line
	maxGuesses = 5       // wrong tokens on one connection of the Redis protocol
)

func (c Config) withDefaults() (Config, error) {
	if c.UIDs == nil || c.Segments == nil {
		return c, fmt.Errorf("%w: a server needs UIDs and Segments", uid.ErrConfig)
	}
	if c.MaxConns < 0 || c.RequestTimeout < 0 {
		return c, fmt.Errorf("%w: neither %d connections nor a timeout of %s can be", uid.ErrConfig, c.MaxConns,
			c.RequestTimeout)
	}
	c.MaxConns, c.RequestTimeout = cmp.Or(c.MaxConns, 1024), cmp.Or(c.RequestTimeout, 5*time.Second)
	c.UIDKey = cmp.Or(c.UIDKey, DefaultUIDKey)
	if len(c.UIDKey) > maxArg || strings.ContainsFunc(c.UIDKey, unprintable) {
		return c, fmt.Errorf("%w: the key for UIDs has %d bytes, want 1 to %d printable ones",
			uid.ErrConfig, len(c.UIDKey), maxArg)
	}
	if c.Ready == nil {
		c.Ready = func() error { return nil }
	}
	if c.Metrics == nil {
		c.Metrics = prometheus.Gatherers{}
	}
	c.Logger = settings.Logger(c.Logger)
	return c, nil
}

func unprintable(r rune) bool { return r <= ' ' || r > '~' }
