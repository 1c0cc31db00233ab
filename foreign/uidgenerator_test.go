package foreign_test

import (
	"cmp"
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
	for _, want := range asJavaReads {
		require.Equal(t, want, must(foreign.UidGenerator{}.Parse(want.ID)))
	}
	wide := must(foreign.NewUidGenerator(bits.MustLayout(bits.Config{TimeBits: 29, WorkerBits: 21, SequenceBits: 13,
		Epoch: bits.MustParseLayout("uidgenerator").Epoch()})))
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
		g := must(foreign.NewUidGenerator(l))
		id := rapid.Int64().Draw(t, "id")
		p := must(g.Parse(id))
		require.Equal(t, uint64(id),
			uint64(l.TickAt(p.Time))<<(63-timeBits)|uint64(p.Machine)<<l.SequenceBits()|uint64(p.Sequence))
		if id >= 0 {
			want := must(l.Parse(uid.UID(id)))
			require.Equal(t, foreign.Parts{ID: id, Time: want.Time, Machine: want.WorkerID, Sequence: want.Sequence}, p)
		}
		require.Equal(t, g.Layout(), must(foreign.ParseFormat(g.String())).Layout())
		sum := 0
		for _, f := range g.Fields() {
			sum += f.Bits
		}
		require.Equal(t, 64, sum)
	})
}

func TestUidGeneratorRefuses(t *testing.T) {
	for _, c := range []struct {
		l    bits.Layout
		want string
	}{
		{bits.Layout{}, "not 0 bits and 0s"},
		{bits.MustParseLayout("twitter"), "not 63 bits and 1ms"},
		{bits.JavaScriptSafe(), "not 52 bits and 1s"},
	} {
		g, err := foreign.NewUidGenerator(c.l)
		require.ErrorIs(t, err, uid.ErrConfig)
		require.ErrorContains(t, err, c.want)
		require.Zero(t, g)
	}
}

// As unsigned numbers, UIDs sort by time.
func TestUidGeneratorOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u, v := rapid.Int64().Draw(t, "u"), rapid.Int64().Draw(t, "v")
		p := must(foreign.UidGenerator{}.Parse(u))
		q := must(foreign.UidGenerator{}.Parse(v))
		if order := p.Time.Compare(q.Time); order != 0 {
			require.Equal(t, order, cmp.Compare(uint64(u), uint64(v)))
		}
	})
}
