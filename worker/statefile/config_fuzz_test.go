package statefile

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
)

// FuzzConfig makes workers with any settings, of which no file is opened yet.
func FuzzConfig(f *testing.F) {
	f.Add("w.state", int64(0), int64(0), "", int64(3))
	f.Add("", int64(-1), int64(math.MaxInt64), "host", int64(-3))
	f.Fuzz(func(t *testing.T, path string, window, ahead int64, host string, id int64) {
		w, err := New(path, worker.FixedID(id),
			Config{Window: time.Duration(window), MaxAhead: time.Duration(ahead), Host: host})
		if logtest.Refused(t, err) {
			require.Nil(t, w)
			return
		}
		c := w.(*file).cfg
		require.Positive(t, c.Window)
		require.GreaterOrEqual(t, c.MaxAhead, c.Window+c.Window/2)
	})
}
