// Package settings has the rules for settings that several configurations have: what their zero values mean, what is
// refused, and how handlers are called. Each configuration says so in the same words.
package settings

import (
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/uidgen/uid"
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

// longestTimeout is so long that nobody needs more, and short enough for multiples of it.
const longestTimeout = time.Hour

// Timeout returns [uid.ErrConfig] for a Timeout below 0 or above an hour. What 0 stands for is package retry's.
func Timeout(configured time.Duration) error {
	if configured < 0 || configured > longestTimeout {
		return fmt.Errorf("%w: Timeout %v: want 0 to %v", uid.ErrConfig, configured, longestTimeout)
	}
	return nil
}

// HostName returns the operating system's host name, or [uid.ErrConfig] when it has none.
func HostName() (string, error) {
	name, err := os.Hostname()
	if err != nil || name == "" {
		return "", fmt.Errorf("%w: the operating system tells no host name (%v)", uid.ErrConfig, err)
	}
	return name, nil
}
