package uid_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tick"
	"pgregory.net/rapid"
)

func TestTickAt(t *testing.T) {
	nanoseconds := func(at time.Time) *big.Int {
		n := new(big.Int).Mul(big.NewInt(at.Unix()), big.NewInt(1e9))
		return n.Add(n, big.NewInt(int64(at.Nanosecond())))
	}
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]time.Duration{1, 250, time.Microsecond, time.Millisecond, 10 * time.Millisecond,
			500 * time.Millisecond, time.Second, 3 * time.Second, time.Minute, 24 * time.Hour}).Draw(t, "unit")
		// As far from each other as a count of units fits 64 bits.
		reach := int64(math.MaxInt64/2) / int64(max(1, time.Second/unit)) >> 4
		draw := func(name string) time.Time {
			s, ns := rapid.Int64Range(-reach, reach), rapid.Int64Range(0, 999999999)
			return time.Unix(s.Draw(t, name), ns.Draw(t, name+" ns"))
		}
		epoch, at := draw("epoch"), draw("at")
		want := new(big.Int).Sub(nanoseconds(at), nanoseconds(epoch))
		want.Div(want, big.NewInt(int64(unit))) // Euclidean: rounds down
		require.Equal(t, want.String(), big.NewInt(tick.At(epoch, unit, at)).String())
		require.Equal(t, tick.At(epoch, unit, at), uid.Terms{Epoch: epoch, Unit: unit}.TickAt(at))
	})
}
