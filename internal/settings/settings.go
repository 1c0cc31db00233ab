// Package settings holds what the zero values of settings mean that several configurations
// have: each of them says so in the same words.
package settings

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
)

// Logger returns the configured logger, or slog.Default for nil.
func Logger(configured *slog.Logger) *slog.Logger {
	if configured == nil {
		return slog.Default()
	}
	return configured
}

// Clock returns the configured clock, or time.Now for nil.
func Clock(configured func() time.Time) func() time.Time {
	if configured == nil {
		return time.Now
	}
	return configured
}

// Timeout returns the configured Timeout, or retry.DefaultTimeout for 0. It returns
// [uid.ErrConfig] for a negative one.
func Timeout(configured time.Duration) (time.Duration, error) {
	switch {
	case configured < 0:
		return 0, fmt.Errorf("%w: Timeout %v is negative", uid.ErrConfig, configured)
	case configured == 0:
		return retry.DefaultTimeout, nil
	}
	return configured, nil
}
