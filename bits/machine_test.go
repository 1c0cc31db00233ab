package bits

import (
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

var drawSplit = rapid.Custom(drawConfig).Filter(func(c Config) bool { return len(c.Fields) > 0 })

func TestWorkerIDFromParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg := drawSplit.Draw(t, "config")
		l := must(newLayout(cfg, now))
		require.Equal(t, cfg.Fields, l.Fields())
		values := map[string]int64{}
		for _, f := range l.Fields() {
			values[f.Name] = within(t, f.Name, 1<<f.Bits-1)
		}
		id := must(l.WorkerID(values))
		u := must(l.Compose(0, id, 0))
		require.Equal(t, values, maps.Collect(must(l.Parse(u)).Machine()))

		f := rapid.SampledFrom(l.Fields()).Draw(t, "one")
		good := values[f.Name]
		for _, bad := range []int64{-1, 1 << f.Bits, math.MaxInt64, math.MinInt64} {
			values[f.Name] = bad
			id, err := l.WorkerID(values)
			refused(t, err, uid.ErrRange, f.Name)
			require.Zero(t, id)
		}
		delete(values, f.Name)
		_, err := l.WorkerID(values)
		refused(t, err, uid.ErrSyntax, f.Name)
		values[f.Name], values["Surplus"] = good, 0
		_, err = l.WorkerID(values)
		refused(t, err, uid.ErrSyntax, "Surplus")
	})
	require.ErrorIs(t, errorOf(Default().WorkerID(nil)), uid.ErrSyntax)
	require.ErrorIs(t, errorOf(Default().WorkerID(map[string]int64{"worker": 1})), uid.ErrSyntax)
}
