package cli

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWords(t *testing.T) {
	const day = 24 * time.Hour
	for d, want := range map[time.Duration]string{
		0:                               "0s",
		time.Microsecond:                "0s",
		1500 * time.Millisecond:         "1.5s",
		10 * time.Second:                "10s",
		time.Minute:                     "1m",
		10 * time.Minute:                "10m",
		10*time.Minute + time.Second:    "10m1s",
		20*time.Minute + 10*time.Second: "20m10s",
		time.Hour:                       "1h",
		10*time.Hour + 20*time.Minute:   "10h20m",
		time.Hour + 10*time.Second:      "1h0m10s",
		47*time.Hour + 30*time.Minute:   "47h30m",
		2 * day:                         "2.0 days",
		700 * day:                       "700.0 days",
		3 * 8766 * time.Hour:            "3.0 years",
		math.MaxInt64:                   "292.3 years",
	} {
		require.Equal(t, want, Words(d))
	}
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 999: "999", 1000: "1,000", 65536: "65,536", 4194304: "4,194,304", 1e15: "1,000,000,000,000,000",
		0.5: "0.5", 136.5333: "137", 33.333: "33.3", 1e30: "1e+30",
	} {
		require.Equal(t, want, Number(n).Text)
	}
}
