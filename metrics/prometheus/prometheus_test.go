package prometheus_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/metrics"
	"github.com/uidgen/uid/metrics/internal/measure"
	"github.com/uidgen/uid/metrics/prometheus"
)

var update = flag.Bool("update", false, "write testdata/exposition.txt anew")

const golden = "testdata/exposition.txt"

func newSet(t *testing.T) *metrics.Set {
	s := &metrics.Set{}
	for name, g := range fake.Reporters() {
		require.NoError(t, s.Add(name, g))
	}
	return s
}

// What a scrape gets, to the letter.
func TestExposition(t *testing.T) {
	registry := client.NewPedanticRegistry()
	require.NoError(t, registry.Register(prometheus.NewCollector(newSet(t))))
	if *update {
		require.NoError(t, client.WriteToTextfile(golden, registry))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(string(want))))
	problems, err := testutil.GatherAndLint(registry)
	require.NoError(t, err)
	require.Empty(t, problems)
}

// Every metric is described, and a scrape has as many series as the set has samples.
func TestCollector(t *testing.T) {
	s := newSet(t)
	c := prometheus.NewCollector(s)
	descs := make(chan *client.Desc, 1000)
	c.Describe(descs)
	require.Len(t, descs, len(measure.All()))
	s.Remove("orders")
	require.Equal(t, len(s.Samples()), testutil.CollectAndCount(c))
}
