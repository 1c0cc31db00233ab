package nap

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestSleep: when it says so, the time has passed; and Linux has such a sleep.
func TestSleep(t *testing.T) {
	for _, d := range []time.Duration{-1, 0, 1, 100 * time.Microsecond, Longest} {
		began := time.Now()
		slept := Sleep(d)
		require.Equal(t, d <= 0 || runtime.GOOS == "linux", slept, d)
		if slept {
			require.GreaterOrEqual(t, time.Since(began), d)
		}
	}
	require.False(t, Sleep(Longest+1))
}

// TestSleepOfOtherTime: in a bubble no time passes.
func TestSleepOfOtherTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		require.False(t, Sleep(Longest))
	})
}

// BenchmarkOversleep measures by how much sleeps of 300 µs are too long.
func BenchmarkOversleep(b *testing.B) {
	const d = 300 * time.Microsecond
	for name, sleep := range map[string]func(){
		"nap":   func() { Sleep(d) },
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
