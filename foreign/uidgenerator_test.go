package foreign_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/foreign"
)

// What parseUID says of each, that of DefaultUidGenerator.java (baidu/uid-generator, commit
// 2fcbc13) run with -Duser.timezone=UTC:
//
//	{"UID":"-7053003394352373760","timestamp":"2026-11-21 15:31:37","workerId":"5","sequence":"0"}
var asJavaReads = []foreign.Parts{
	{ID: -7053003394352373760, Time: at("2026-11-21T15:31:37Z"), Machine: 5, Sequence: 0},
	{ID: math.MaxInt64, Time: at("2024-11-20T13:24:15Z"), Machine: 4194303, Sequence: 8191},
	{ID: math.MinInt64, Time: at("2024-11-20T13:24:16Z"), Machine: 0, Sequence: 0},
	{ID: -1, Time: at("2033-05-24T10:48:31Z"), Machine: 4194303, Sequence: 8191},
	{ID: 180363646902239241, Time: at("2016-07-19T10:07:53Z"), Machine: 4, Sequence: 9},
	{ID: 0, Time: at("2016-05-19T16:00:00Z"), Machine: 0, Sequence: 0},
}

func TestUidGeneratorAsJavaReadsIt(t *testing.T) {
	original := must(foreign.ParseFormat("uidgenerator"))
	for _, want := range asJavaReads {
		require.Equal(t, want, must(original.Parse(want.ID)))
	}
	wide := must(foreign.ParseFormat("uidgenerator 29/21/13"))
	p := must(wide.Parse(5696891900414435328))
	require.Equal(t, foreign.Parts{ID: 5696891900414435328, Time: at("2026-11-21T15:52:32Z"), Machine: 5}, p)
}

// Any number under any widths: the parts make it again, with 64 bits, and up to the sign
// they are the layout's.
func TestUidGeneratorTakesApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		timeBits := rapid.IntRange(1, 40).Draw(t, "time bits")
		workerBits := rapid.IntRange(0, 63-timeBits).Draw(t, "worker bits")
		l := bits.MustLayout(bits.Config{TimeBits: timeBits, WorkerBits: workerBits,
			SequenceBits: 63 - timeBits - workerBits})
		g := must(foreign.ParseFormat("uidgenerator " + l.String()))
		id := rapid.Int64().Draw(t, "id")
		p := must(g.Parse(id))
		require.Equal(t, uint64(id),
			uint64(l.TickAt(p.Time))<<(63-timeBits)|uint64(p.Machine)<<l.SequenceBits()|uint64(p.Sequence))
		if id >= 0 {
			want := must(l.Parse(uid.UID(id)))
			require.Equal(t, foreign.Parts{ID: id, Time: want.Time, Machine: want.WorkerID, Sequence: want.Sequence}, p)
		}
		require.Equal(t, l, g.Layout())
		sum := 0
		for _, f := range g.Fields() {
			sum += f.Bits
		}
		require.Equal(t, 64, sum)
	})
}
