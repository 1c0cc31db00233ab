package measure

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"github.com/uidgen/uid/benchmarks/subject"
)

// staged is a machine on which each attempt takes 100 ms and waits as long as it says.
func staged(waited ...time.Duration) (v supervisor, attempts *int) {
	attempts = new(int)
	var sum time.Duration
	now := time.Unix(0, 0)
	reads := 0
	v.read = func() (waits, error) {
		if reads++; reads%2 == 0 {
			sum += waited[reads/2-1]
			return waits{"a": sum, "begun since": time.Hour}, nil
		}
		return waits{"a": sum, "ended": time.Hour}, nil
	}
	v.now = func() time.Time { now = now.Add(100 * time.Millisecond); return now }
	return v, attempts
}

func said(repeats, waited float64) []benchfmt.Value {
	return []benchfmt.Value{value(repeats, RepeatsUnit), value(waited, WaitedUnit)}
}

// TestRepeats: a round that lacked processor time is measured again, and that is said.
func TestRepeats(t *testing.T) {
	const ms = time.Millisecond
	for name, c := range map[string]struct {
		procs    int
		waited   []time.Duration
		attempts int
		said     []benchfmt.Value
	}{
		"none":                    {1, []time.Duration{0}, 1, said(0, 0)},
		"little":                  {1, []time.Duration{10 * ms}, 1, said(0, 0.1)},
		"too long":                {1, []time.Duration{11 * ms, 2 * ms}, 2, said(1, 0.02)},
		"of two processors":       {2, []time.Duration{20 * ms}, 1, said(0, 0.1)},
		"always, which is said":   {1, []time.Duration{50 * ms, 50 * ms, 50 * ms, 40 * ms}, 4, said(3, 0.4)},
		"two of two, for so long": {2, []time.Duration{30 * ms, 30 * ms, 0}, 3, said(2, 0)},
	} {
		v, attempts := staged(c.waited...)
		got, err := v.run(subject.Subject{}, c.procs, func() error { *attempts++; return nil })
		require.NoError(t, err)
		require.Equal(t, c.attempts, *attempts, name)
		require.Equal(t, c.said, got, name)
	}
	v, attempts := staged(time.Second)
	got, err := v.run(subject.Subject{Engine: subject.Redis}, 1, func() error { *attempts++; return nil })
	require.NoError(t, err)
	require.Nil(t, got, "who shares the processors with a server waits for it")
	require.Equal(t, 1, *attempts)
	_, err = v.run(subject.Subject{}, 1, func() error { return errCounted })
	require.ErrorIs(t, err, errCounted)
}

// TestReadWaits: times only grow.
func TestReadWaits(t *testing.T) {
	before, err := readWaits()
	require.NoError(t, err)
	after, err := readWaits()
	require.NoError(t, err)
	require.GreaterOrEqual(t, after.since(before), time.Duration(0))
	require.Zero(t, waits{"a": 5}.since(waits{"b": 3}))
	require.EqualValues(t, 2, waits{"a": 5, "c": 1}.since(waits{"a": 3}))
}
