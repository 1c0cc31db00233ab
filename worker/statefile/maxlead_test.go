package statefile_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

// Nobody is to use ticks that a later start would refuse.
func TestMaxLeadBeyondMaxAhead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	w, err := statefile.New(path, worker.FixedID(1), statefile.Config{Logger: (&logtest.Records{}).Logger()})
	require.NoError(t, err)
	_, err = cached.New(w, cached.Config{MaxLead: time.Hour})
	logtest.Error(t, err, uid.ErrConfig, "MaxLead 1h0m0s is more than MaxAhead 15m0s")
	g, err := cached.New(w, cached.Config{})
	require.NoError(t, err)
	require.NoError(t, g.Close())
}
