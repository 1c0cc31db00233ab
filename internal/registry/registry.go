package registry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/settings"
)

// Config holds the settings of a [Registry]. The zero value works.
type Config struct {
	// Timeout bounds each call of the store, all attempts together. The default, for 0, is
	// 30 s. A negative one is refused.
	Timeout time.Duration

	// Logger gets a Warn record when the store is not available at first. The default, for
	// nil, is slog.Default at the time of New.
	Logger *slog.Logger
}

// A Registry looks after the worker IDs of a [Store]. Only Init creates anything; each method
// reads and writes only what it says.
//
// Calls of the store that fail and may pass are tried again until the configured timeout or the
// end of the context; other failures are returned.
//
// Make it with [New]. All methods may be called by any number of goroutines at once, while
// workers are at work.
type Registry struct {
	store   Store
	timeout time.Duration
	log     *slog.Logger
}

// New returns a registry of the store. It returns [uid.ErrConfig] when a setting cannot be used.
// It does not touch the store.
func New(store Store, cfg Config) (*Registry, error) {
	if store == nil {
		return nil, fmt.Errorf("%w: no store", uid.ErrConfig)
	}
	if err := settings.Timeout(cfg.Timeout); err != nil {
		return nil, err
	}
	return &Registry{store: store, timeout: cfg.Timeout, log: settings.Logger(cfg.Logger)}, nil
}

// do calls attempt until it succeeds, fails for good, or the time is up.
func (r *Registry) do(ctx context.Context, doing string, attempt func(context.Context) error) error {
	if err := retry.Do(ctx, r.timeout, r.log, attempt); err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// The errors of a Registry.
var (
	// ErrNoLease is returned by Release when the namespace has no row of that worker ID.
	ErrNoLease = errors.New("no such lease")

	// ErrLive is returned by Release when the lease has not run out yet and force is not set.
	ErrLive = errors.New("the lease is live")
)
