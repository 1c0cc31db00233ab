package health_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
)

// FuzzHealth: what was read is written and read again without loss, whoever wrote it.
func FuzzHealth(f *testing.F) {
	for _, r := range fake.Reporters() {
		text, err := json.Marshal(r.Health())
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var h, again health.Health
		if json.Unmarshal(text, &h) != nil {
			return
		}
		written, err := json.Marshal(h)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(written, &again))
		rewritten, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(rewritten))
	})
}
