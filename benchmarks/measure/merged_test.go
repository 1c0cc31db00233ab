package measure

import (
	"bytes"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"pgregory.net/rapid"
)

// TestMerged: merged calls are those of one histogram that was there all the time.
func TestMerged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rounds := rapid.SliceOfN(rapid.SliceOfN(rapid.Int64Range(1, longest), 1, 50), 1, 5).Draw(t, "rounds")
		all, m := hdrhistogram.New(1, longest, 3), make(merged)
		for _, calls := range rounds {
			h := hdrhistogram.New(1, longest, 3)
			for _, v := range calls {
				require.NoError(t, h.RecordValue(v))
				require.NoError(t, all.RecordValue(v))
			}
			m.add(h)
		}
		got, err := m.histogram()
		require.NoError(t, err)
		require.Equal(t, all.TotalCount(), got.TotalCount())
		require.Equal(t, percentiles(all), percentiles(got))
	})
}

// TestMergedSeesAStall: one round in ten stalls for a fiftieth of its calls.
func TestMergedSeesAStall(t *testing.T) {
	m := make(merged)
	for round := range 10 {
		h := hdrhistogram.New(1, longest, 3)
		require.NoError(t, h.RecordValues(50, 980))
		slow := int64(50)
		if round == 3 {
			slow = 1e6
		}
		require.NoError(t, h.RecordValues(slow, 20))
		m.add(h)
	}
	h, err := m.histogram()
	require.NoError(t, err)
	require.EqualValues(t, 50, h.ValueAtPercentile(99))
	require.Greater(t, h.ValueAtPercentile(99.9), int64(900_000))
}

// TestMergedIsRecorded: after the last round, and of all calls.
func TestMergedIsRecorded(t *testing.T) {
	p := Smoke()
	p.Rounds = 3
	var out bytes.Buffer
	r := NewRecorder(benchfmt.NewWriter(&out), nil)
	for _, task := range latency(p, nil) { // the timer alone
		require.NoError(t, task.Run(r))
	}
	var rounds, all, calls int
	in := benchfmt.NewReader(&out, "out")
	for in.Scan() {
		result, ok := in.Result().(*benchfmt.Result)
		require.True(t, ok)
		base, _ := result.Name.Parts()
		if string(base) == "Latency"+MergedSuffix {
			all++
			calls -= result.Iters
		} else {
			require.True(t, strings.HasPrefix(string(base), "Latency"))
			rounds++
			calls += result.Iters
		}
	}
	require.NoError(t, in.Err())
	require.Equal(t, rounds, 3*all)
	require.Positive(t, all)
	require.Zero(t, calls, "a call was lost or counted twice")
}
