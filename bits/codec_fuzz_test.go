package bits

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// FuzzCodec composes and parses numbers of any size under layouts of any widths.
func FuzzCodec(f *testing.F) {
	f.Add(28, 22, 13, int64(28017463), int64(1), int64(4095), int64(962672698415128576))
	f.Add(63, 0, 0, int64(-1), int64(0), int64(0), int64(-1))
	f.Add(1, 31, 31, int64(1), int64(1)<<31, int64(1)<<31-1, int64(1)<<62)
	f.Fuzz(func(t *testing.T, tb, wb, sb int, tick, worker, sequence, any int64) {
		l, err := build(Config{TimeBits: tb, WorkerBits: wb, SequenceBits: sb, Unit: time.Nanosecond})
		if err != nil {
			require.Zero(t, l)
			return
		}
		fits := func(n int64, bits int) bool { return n >= 0 && n>>bits == 0 }
		u, err := l.Compose(tick, worker, sequence)
		if fits(tick, tb) && fits(worker, wb) && fits(sequence, sb) {
			require.NoError(t, err)
			p := must(l.Parse(u))
			require.Equal(t, [3]int64{tick, worker, sequence}, [3]int64{l.TickAt(p.Time), p.WorkerID, p.Sequence})
			require.True(t, p.Time.Equal(l.TimeOf(tick)))
			first := must(l.First(p.Time))
			_, last, err := l.Range(p.Time, p.Time.Add(1))
			require.NoError(t, err)
			require.True(t, first <= u && u <= last)
		} else {
			require.ErrorIs(t, err, uid.ErrRange)
			require.Zero(t, u)
		}

		p, err := l.Parse(uid.UID(any))
		if !fits(any, tb+wb+sb) {
			require.ErrorIs(t, err, uid.ErrRange)
			require.Zero(t, p)
			return
		}
		require.NoError(t, err)
		require.Equal(t, p.UID, must(l.Compose(l.TickAt(p.Time), p.WorkerID, p.Sequence)))
	})
}
