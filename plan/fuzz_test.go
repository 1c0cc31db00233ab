package plan

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// FuzzLayouts asks for anything, and holds the layouts that come against what was asked for.
func FuzzLayouts(f *testing.F) {
	f.Add(1e5, 1e7, int64(200), 2.0, 30.0, false, int64(0), int64(0))
	f.Add(1.0, 0.0, int64(1), 0.0, 250.0, true, int64(time.Hour), int64(1))
	f.Add(-1.0, 1e300, int64(-1), 1e7, 1e-300, true, int64(-1), int64(-1))
	f.Fuzz(func(t *testing.T, rate, burst float64, workers int64, restarts, years float64, js bool, lead, hold int64) {
		need := Need{Rate: rate, Burst: burst, Workers: workers, RestartsPerDay: restarts, Years: years, JSSafe: js,
			MaxLead: time.Duration(lead), Hold: time.Duration(hold)}
		options, err := layouts(need, now)
		if err != nil {
			require.ErrorIs(t, err, uid.ErrConfig)
			require.Empty(t, options)
			return
		}
		for _, o := range options {
			l := o.Layout
			require.GreaterOrEqual(t, float64(l.MaxSequence()+1)/l.Unit().Seconds(), rate)
			require.GreaterOrEqual(t, l.MaxWorkerID()+1, workers)
			if js {
				require.LessOrEqual(t, l.TimeBits()+l.WorkerBits()+l.SequenceBits(), 53)
			}
		}
	})
}
