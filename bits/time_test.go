package bits

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// nanoseconds is a time as a number that knows no overflow.
func nanoseconds(at time.Time) *big.Int {
	n := big.NewInt(at.Unix())
	return n.Mul(n, big.NewInt(1e9)).Add(n, big.NewInt(int64(at.Nanosecond())))
}

func TestTicksAndTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		tick := within(t, "tick", l.MaxTick())
		at := l.TimeOf(tick)
		want := new(big.Int).Mul(big.NewInt(tick), big.NewInt(int64(l.Unit())))
		require.Equal(t, want.Add(want, nanoseconds(l.Epoch())).String(), nanoseconds(at).String())
		require.Equal(t, time.UTC, at.Location())
	})
}
