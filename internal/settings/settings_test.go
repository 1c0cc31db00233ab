package settings_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
)

func TestLogger(t *testing.T) {
	require.Same(t, slog.Default(), settings.Logger(nil))
	own := slog.New(slog.DiscardHandler)
	require.Same(t, own, settings.Logger(own))
}

func TestClock(t *testing.T) {
	require.WithinDuration(t, time.Now(), settings.Clock(nil)(), time.Hour)
	own := func() time.Time { return time.Unix(42, 0) }
	require.EqualValues(t, 42, settings.Clock(own)().Unix())
}

func TestTimeout(t *testing.T) {
	for configured, want := range map[time.Duration]time.Duration{0: 30 * time.Second, 1: 1, time.Hour: time.Hour} {
		got, err := settings.Timeout(configured)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := settings.Timeout(-time.Second)
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "-1s")
}
