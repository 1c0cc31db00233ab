package worker

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
)

// FuzzSources reads IDs from texts that others have set.
func FuzzSources(f *testing.F) {
	f.Add("web-12.shop.svc.cluster.local", int64(1<<22-1))
	f.Add("12", int64(11))
	f.Add("-99999999999999999999", int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, text string, most int64) {
		id, err := OrdinalID(text)(most)
		require.True(t, logtest.Refused(t, err) || 0 <= id && id <= most)
		id, err = parseID("the text", text, most)
		require.True(t, logtest.Refused(t, err) || 0 <= id && id <= most)
	})
}
