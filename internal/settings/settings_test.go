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
	require.NoError(t, settings.Timeout(0))
	require.NoError(t, settings.Timeout(time.Hour))
	logtest.Error(t, settings.Timeout(-time.Second), uid.ErrConfig, "-1s: want 0 to 1h")
	logtest.Error(t, settings.Timeout(time.Hour+1), uid.ErrConfig, "1h0m0.000000001s: want 0 to 1h")
}
