package queue

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNap: when it says so, the time has passed; and Linux has such a sleep.
func TestNap(t *testing.T) {
	for _, d := range []time.Duration{-1, 0, 1, 100 * time.Microsecond, LongestNap} {
		began := time.Now()
		slept := Nap(d)
		require.Equal(t, d <= 0 || runtime.GOOS == "linux", slept, d)
		if slept {
			require.GreaterOrEqual(t, time.Since(began), d)
		}
	}
	require.False(t, Nap(LongestNap+1))
}

// TestNapOfOtherTime: in a bubble no time passes.
func TestNapOfOtherTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		require.False(t, Nap(LongestNap))
	})
}

// BenchmarkOversleep measures by how much sleeps of 300 µs are too long.
func BenchmarkOversleep(b *testing.B) {
	const d = 300 * time.Microsecond
	for name, sleep := range map[string]func(){
		"nap":   func() { Nap(d) },
		"timer": func() { time.Sleep(d) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				sleep()
			}
			b.ReportMetric(float64(b.Elapsed()/time.Duration(b.N)-d)/1e3, "µs-over")
		})
	}
}
