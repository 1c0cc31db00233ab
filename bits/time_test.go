package bits

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestExpires(t *testing.T) {
	for _, c := range []struct {
		l    Layout
		want string
	}{
		{Default(), "2034-07-04T21:24:15Z"},
		{uidGenerator, "2024-11-20T13:24:15Z"},
		{twitter, "2080-07-10T17:30:30.208Z"},
		{JavaScriptSafe(), "2298-03-16T12:56:31Z"},
		{redis, "2095-09-07T15:47:35.551Z"},
	} {
		require.Equal(t, c.want, stamp(c.l.Expires()))
		require.Equal(t, c.l.MaxTick(), c.l.TickAt(c.l.Expires()))
		require.Equal(t, c.l.MaxTick(), c.l.TickAt(c.l.Expires().Add(c.l.Unit()-1)))
		require.Equal(t, c.l.MaxTick()+1, c.l.TickAt(c.l.Expires().Add(c.l.Unit())))
	}
}

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

		// Times of at most 250 years around the epoch, where every unit is exact.
		at = l.Epoch().Add(time.Duration(rapid.Int64Range(-250*int64(365*day), 250*int64(365*day)).Draw(t, "offset")))
		floor := new(big.Int).Sub(nanoseconds(at), nanoseconds(l.Epoch()))
		floor.Div(floor, big.NewInt(int64(l.Unit()))) // Euclidean: rounds down
		require.Equal(t, floor.String(), big.NewInt(l.TickAt(at)).String())
		require.False(t, l.TimeOf(l.TickAt(at)).After(at))
		require.Equal(t, time.UTC, l.TimeOf(tick).Location())
	})
}
