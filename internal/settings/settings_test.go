package settings_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/settings"
)

func TestTimeout(t *testing.T) {
	for configured, want := range map[time.Duration]time.Duration{0: 30 * time.Second, 1: 1, time.Hour: time.Hour} {
		got, err := settings.Timeout(configured)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := settings.Timeout(-time.Second)
	logtest.Error(t, err, uid.ErrConfig, "-1s")
}
