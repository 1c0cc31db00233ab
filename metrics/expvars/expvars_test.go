package expvars_test

import (
	"encoding/json"
	"expvar"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/expvars"
	"github.com/uidgen/uid/metrics/internal/measure"
)

var names atomic.Int64

// newName returns a name that no test has published before: variables stay for ever.
func newName() string { return fmt.Sprint("test-", names.Add(1)) }

// The variable has exactly the samples of the set, at each reading those of that moment.
func TestPublish(t *testing.T) {
	var s metrics.Set
	name := newName()
	require.NoError(t, expvars.Publish(name, &s))
	require.Equal(t, "{}", expvar.Get(name).String())
	for name, g := range fake.Reporters() {
		require.NoError(t, s.Add(name, g))
	}
	var read map[string]map[string]float64
	require.NoError(t, json.Unmarshal([]byte(expvar.Get(name).String()), &read))
	require.Len(t, read, 3)
	n := 0
	for _, values := range read {
		n += len(values)
	}
	require.Len(t, s.Samples(), n)
	for _, v := range s.Samples() {
		require.Equal(t, v.Value, read[v.Generator][measure.All()[v.Metric].Prometheus()])
	}
}

func TestPublishRefuses(t *testing.T) {
	var s metrics.Set
	name := newName()
	require.ErrorIs(t, expvars.Publish(name, nil), uid.ErrConfig)
	require.NoError(t, expvars.Publish(name, &s))
	require.ErrorIs(t, expvars.Publish(name, &s), uid.ErrConfig)
	require.ErrorIs(t, expvars.Publish("memstats", &s), uid.ErrConfig)
}
