package bits

import (
	"fmt"
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
)

// must returns what a call returns that does not fail.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// errorOf returns the error of a call.
func errorOf[V any](_ V, err error) error { return err }

// refused requires an error of a kind, with a text.
func refused(t require.TestingT, err, is error, text string) {
	require.ErrorIs(t, err, is)
	require.ErrorContains(t, err, text)
}

// now is the present of most tests, early enough to be past on any clock.
var now = time.Date(2026, 2, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// someUnits are lengths of a tick from the shortest to more than a lifetime.
var someUnits = []time.Duration{
	0, time.Nanosecond, 2 * time.Nanosecond, time.Microsecond, time.Millisecond, 8 * time.Millisecond,
	10 * time.Millisecond, 500 * time.Millisecond, time.Second, 7 * time.Second, time.Minute, time.Hour,
	24 * time.Hour, 100 * 365 * 24 * time.Hour,
}

// drawConfig draws any Config that NewLayout takes.
func drawConfig(t *rapid.T) Config {
	var c Config
	c.Unit = rapid.SampledFrom(someUnits).Draw(t, "unit")
	// The end has to be within what a time.Time can hold: 2^62 s is, 2^63 s is not.
	most := 63
	if sec := int64(max(c.Unit, time.Second) / time.Second); c.Unit == 0 || c.Unit >= time.Second {
		most = new(big.Int).Div(big.NewInt(1<<62), big.NewInt(sec)).BitLen() - 1
	}
	c.TimeBits = rapid.IntRange(1, most).Draw(t, "time bits")
	c.WorkerBits = rapid.IntRange(0, 63-c.TimeBits).Draw(t, "worker bits")
	c.SequenceBits = rapid.IntRange(0, 63-c.TimeBits-c.WorkerBits).Draw(t, "sequence bits")
	if rapid.Bool().Draw(t, "own epoch") {
		zone := time.FixedZone("", rapid.IntRange(-12, 12).Draw(t, "zone")*3600)
		c.Epoch = time.Unix(rapid.Int64Range(0, now.Unix()-1).Draw(t, "epoch"),
			rapid.Int64Range(0, 999999999).Draw(t, "ns")).In(zone)
	}
	if c.WorkerBits > 0 && rapid.Bool().Draw(t, "split") {
		left := c.WorkerBits
		name := rapid.StringMatching(`[a-z][a-z0-9_-]{0,15}`)
		names := rapid.SliceOfNDistinct(name, 1, min(8, left), rapid.ID[string]).Draw(t, "names")
		for i, name := range names {
			n := left
			if others := len(names) - 1 - i; others > 0 {
				n = rapid.IntRange(1, left-others).Draw(t, "part")
			}
			c.Fields = append(c.Fields, uid.Field{Name: name, Bits: n})
			left -= n
		}
	}
	return c
}

func drawLayout(t *rapid.T) Layout {
	return must(newLayout(drawConfig(t), now))
}

// within draws from 0 to most, the ends and their neighbours often.
func within(t *rapid.T, name string, most int64) int64 {
	switch rapid.IntRange(0, 4).Draw(t, name+" kind") {
	case 0:
		return 0
	case 1:
		return most
	case 2:
		return min(1, most)
	case 3:
		return max(0, most-1)
	}
	return rapid.Int64Range(0, most).Draw(t, name)
}

// A UID is (tick·2^W + worker)·2^S + sequence, and is taken apart again; what does not fit is refused.
func checkCodec(t *rapid.T) {
	cfg := drawConfig(t)
	l := must(newLayout(cfg, now))
	most := [3]int64{l.MaxTick(), l.MaxWorkerID(), l.MaxSequence()}
	what := [3]string{"tick", "worker ID", "sequence"}
	var n [3]int64
	for i := range n {
		n[i] = within(t, what[i], most[i])
	}
	u := must(l.Compose(n[0], n[1], n[2]))
	want := big.NewInt(n[0])
	want.Lsh(want, uint(cfg.WorkerBits)).Add(want, big.NewInt(n[1]))
	want.Lsh(want, uint(cfg.SequenceBits)).Add(want, big.NewInt(n[2]))
	require.Equal(t, want.String(), u.String())

	p := must(l.Parse(u))
	require.Equal(t, uid.Parts{UID: u, Time: l.TimeOf(n[0]), WorkerID: n[1], Sequence: n[2], Fields: l.fields}, p)
	require.Equal(t, n[0], must(l.Tick(u)))
	require.Equal(t, n[0], l.TickAt(p.Time))

	// beside returns numbers that are not within 0 and most.
	beside := func(name string, most, good int64) []int64 {
		bad := []int64{-1, math.MinInt64, -good - 1}
		if most < math.MaxInt64 {
			bad = append(bad, most+1, math.MaxInt64, rapid.Int64Range(most+1, math.MaxInt64).Draw(t, name+" beyond"))
		}
		return bad
	}
	for i := range n {
		for _, bad := range beside(what[i], most[i], n[i]) {
			args := n
			args[i] = bad
			u, err := l.Compose(args[0], args[1], args[2])
			refused(t, err, uid.ErrRange, fmt.Sprintf("%s %d is not within 0 and %d", what[i], bad, most[i]))
			require.Zero(t, u)
		}
	}
	largest := must(l.Compose(most[0], most[1], most[2]))
	for _, bad := range beside("uid", int64(largest), int64(u)) {
		text := fmt.Sprintf("%d is below 0", bad)
		if bad > 0 {
			text = fmt.Sprintf("%d is above %d", bad, largest)
		}
		p, err := l.Parse(uid.UID(bad))
		refused(t, err, uid.ErrRange, text)
		require.Zero(t, p)
	}
}

func TestCodec(t *testing.T) { rapid.Check(t, checkCodec) }

func FuzzCodec(f *testing.F) { f.Fuzz(rapid.MakeFuzz(checkCodec)) }

// UIDs that must never come out otherwise.
func TestFrozenVectors(t *testing.T) {
	split := mustBuild(Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12, Unit: time.Millisecond,
		Epoch:  twitter.epoch,
		Fields: []uid.Field{{Name: "datacenter", Bits: 5}, {Name: "worker", Bits: 5}}})
	for _, v := range []struct {
		l                 Layout
		u                 uid.UID
		tick, worker, seq int64
		time              string
	}{
		{uidGeneratorReadme, 180363646902239241, 10498546, 4, 9, "2017-01-19T04:15:46Z"},
		{uidGenerator, 180363646902239241, 5249273, 4, 9, "2016-07-19T10:07:53Z"},
		{uidGenerator, math.MaxInt64, 1<<28 - 1, 1<<22 - 1, 1<<13 - 1, "2024-11-20T13:24:15Z"},
		{Default(), 0, 0, 0, 0, "2026-01-01T00:00:00Z"},
		{Default(), 1 << 35, 1, 0, 0, "2026-01-01T00:00:01Z"},
		{Default(), 180363646902239241, 5249273, 4, 9, "2026-03-02T18:07:53Z"},
		{Default(), math.MaxInt64, 1<<28 - 1, 1<<22 - 1, 1<<13 - 1, "2034-07-04T21:24:15Z"},
		{twitter, 1541815603606036480, 367597485448, 378, 0, "2022-06-28T16:07:40.105Z"},
		{split, 1541815603606036480, 367597485448, 378, 0, "2022-06-28T16:07:40.105Z"},
		{twitter, math.MaxInt64, 1<<41 - 1, 1<<10 - 1, 1<<12 - 1, "2080-07-10T17:30:30.208Z"},
		{JavaScriptSafe(), 2752090406937, 5249195, 14, 25, "2026-03-02T18:06:35Z"},
		{JavaScriptSafe(), 1<<52 - 1, 1<<33 - 1, 1<<4 - 1, 1<<15 - 1, "2298-03-16T12:56:31Z"},
		{redis, 5981966696448054276, 1426212000000, 53, 4, "2071-03-13T02:00:00Z"},
		{mustBuild(Config{TimeBits: 41, WorkerBits: 12, SequenceBits: 10, Unit: time.Millisecond,
			Epoch: time.Unix(0, 0)}),
			5981966696448054276, 1426212000000, 53, 4, "2015-03-13T02:00:00Z"},
	} {
		require.Equal(t, v.u, must(v.l.Compose(v.tick, v.worker, v.seq)), "%v", v)
		p := must(v.l.Parse(v.u))
		at := must(time.Parse(time.RFC3339Nano, v.time))
		require.Equal(t, uid.Parts{UID: v.u, Time: at, WorkerID: v.worker, Sequence: v.seq, Fields: v.l.fields}, p)
		require.Equal(t, v.tick, v.l.TickAt(at))
		require.Equal(t, at, must(v.l.Time(v.u)))
	}
	for _, u := range []uid.UID{-1, 1 << 52} {
		_, err := JavaScriptSafe().Time(u)
		require.ErrorIs(t, err, uid.ErrRange)
	}
}

// A clock that has yet to be set refuses no layout of today, so that programs can make theirs
// when they start. (Whether generators start is Expiry's.)
func TestNewLayoutWithoutAClock(t *testing.T) {
	cfg := Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13}
	require.Equal(t, Default(), must(newLayout(cfg, time.Unix(0, 0))))
	cfg.Epoch = Default().Epoch().Add(1)
	_, err := newLayout(cfg, time.Unix(0, 0))
	refused(t, err, uid.ErrConfig, "2026-01-01T00:00:00.000000001Z is after the present, 1970-01-01T00:00:00Z")
}

func TestNewLayoutRefuses(t *testing.T) {
	ok := Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13}
	must(newLayout(ok, now))
	for _, c := range []struct {
		change func(*Config)
		text   string // numbers that the error has to name
	}{
		{func(c *Config) { c.TimeBits = 0 }, "0/22/13 bits"},
		{func(c *Config) { c.TimeBits = -1 }, "-1/22/13 bits"},
		{func(c *Config) { c.WorkerBits = -1 }, "28/-1/13 bits"},
		{func(c *Config) { c.SequenceBits = -1 }, "28/22/-1 bits"},
		{func(c *Config) { c.TimeBits++ }, "29/22/13 bits of time, worker and sequence add up to more than 63"},
		{func(c *Config) { c.WorkerBits++ }, "28/23/13 bits"},
		{func(c *Config) { c.SequenceBits++ }, "28/22/14 bits"},
		{func(c *Config) { c.TimeBits, c.WorkerBits, c.SequenceBits = math.MaxInt, math.MaxInt, 2 },
			"add up to more than 63"},
		{func(c *Config) { c.WorkerBits = math.MaxInt }, "add up to more than 63"},
		{func(c *Config) { c.SequenceBits = math.MaxInt - 1 }, "add up to more than 63"},
		{func(c *Config) { c.TimeBits, c.WorkerBits, c.SequenceBits = 64, 0, 0 }, "64/0/0"},
		{func(c *Config) { c.SequenceBits, c.WorkerBits = math.MinInt, math.MaxInt }, "bits"},
		{func(c *Config) { c.Unit = -time.Second }, "-1s"},
		{func(c *Config) { c.Unit = -1 }, "-1ns"},
		{func(c *Config) { c.Unit = 3 }, "3ns"},
		{func(c *Config) { c.Unit = 300 * time.Millisecond }, "300ms"},
		{func(c *Config) { c.Unit = 1500 * time.Millisecond }, "1.5s"},
		{func(c *Config) { c.Unit = math.MaxInt64 }, "2562047h47m16"},
		{func(c *Config) { c.Epoch = time.Unix(-1, 999999999) }, "1969-12-31T23:59:59.999999999Z is before 1970"},
		{func(c *Config) { c.Epoch = time.Unix(-1<<62, 0) }, "before 1970"},
		{func(c *Config) { c.Epoch = now.Add(1) },
			"2026-02-01T12:00:00.000000001Z is after the present, 2026-02-01T12:00:00Z"},
		{func(c *Config) { c.TimeBits, c.WorkerBits, c.SequenceBits = 63, 0, 0 },
			"63 bits of 1s from 2026-01-01T00:00:00Z"},
		{func(c *Config) { c.Epoch, c.TimeBits, c.WorkerBits, c.SequenceBits = time.Unix(0, 0), 63, 0, 0 },
			"63 bits of 1s"},
		{func(c *Config) { c.Unit, c.TimeBits, c.WorkerBits, c.SequenceBits = 2*time.Second, 62, 0, 0 },
			"62 bits of 2s"},
		{func(c *Config) { c.Unit, c.TimeBits = 9e9*time.Second, 31; c.WorkerBits = 0 }, "31 bits of"},
		{func(c *Config) { c.Fields = []uid.Field{{Name: "a", Bits: 10}, {Name: "b", Bits: 11}} },
			"a:10,b:11 have 21 bits, the worker ID has 22"},
		{func(c *Config) { c.Fields = []uid.Field{{Name: "a", Bits: 10}, {Name: "b", Bits: 13}} },
			"a:10,b:13 have 23 bits, the worker ID has 22"},
		{func(c *Config) { c.Fields = []uid.Field{{Name: "a", Bits: 22}, {Name: "b", Bits: 0}} }, `"b"`},
	} {
		cfg := ok
		c.change(&cfg)
		l, err := newLayout(cfg, now)
		require.ErrorIs(t, err, uid.ErrConfig, "%+v", cfg)
		require.ErrorContains(t, err, c.text)
		require.True(t, l.IsZero())
		if cfg.Epoch.Before(now) {
			require.Panics(t, func() { MustLayout(cfg) })
		}
	}
	cfg := ok
	cfg.Fields = []uid.Field{{Name: "A", Bits: 22}}
	require.ErrorIs(t, errorOf(newLayout(cfg, now)), uid.ErrSyntax)
}

// At the very limits.
func TestNewLayoutAccepts(t *testing.T) {
	for _, c := range []Config{
		{TimeBits: 1},
		{TimeBits: 1, WorkerBits: 62},
		{TimeBits: 1, SequenceBits: 62},
		{TimeBits: 62},
		{TimeBits: 63, Unit: time.Millisecond},
		{TimeBits: 63, Unit: time.Nanosecond},
		{TimeBits: 63, Unit: 500 * time.Millisecond, Epoch: now},
		{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: time.Unix(0, 0)},
		{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: now},
		{TimeBits: 30, Unit: 8e9 * time.Second, Epoch: now},
	} {
		l := must(newLayout(c, now))
		require.True(t, l.Expires().After(l.Epoch()), "the end did not wrap")
		require.True(t, l.end().After(l.Expires()), "the end did not wrap")
	}
	// The longest unit of 2^30 ticks whose end a time.Time, which counts its seconds
	// from year 1, can hold; and one second more.
	for _, epoch := range []time.Time{time.Unix(0, 0), now} {
		longest := (math.MaxInt64 - 62135596800 - epoch.Unix() - 1) >> 30
		cfg := Config{TimeBits: 30, Unit: time.Duration(longest) * time.Second, Epoch: epoch}
		l := must(newLayout(cfg, now))
		require.True(t, l.end().After(l.Expires()) && l.Expires().After(epoch))
		require.Equal(t, l.MaxTick(), l.TickAt(l.Expires()))
		cfg.Unit += time.Second
		require.ErrorIs(t, errorOf(newLayout(cfg, now)), uid.ErrConfig)
	}

	cfg := Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13, Epoch: time.Unix(1463673600, 0)}
	require.Equal(t, uidGenerator, must(NewLayout(cfg)))
	require.Panics(t, func() { MustLayout(Config{TimeBits: 64}) })
	require.ErrorIs(t, errorOf(NewLayout(Config{TimeBits: 28, Epoch: time.Now().Add(time.Hour)})), uid.ErrConfig)
}

func TestAccessors(t *testing.T) {
	epoch := time.Date(2020, 1, 1, 3, 0, 0, 5e8, time.FixedZone("", 3*3600))
	fields := []uid.Field{{Name: "datacenter", Bits: 3}, {Name: "worker", Bits: 6}}
	cfg := Config{TimeBits: 39, WorkerBits: 9, SequenceBits: 8, Unit: 10 * time.Millisecond, Epoch: epoch,
		Fields: fields}
	l := MustLayout(cfg)
	fields[0].Name = "changed" // is no longer the layout's
	require.Equal(t, []int{39, 9, 8}, []int{l.TimeBits(), l.WorkerBits(), l.SequenceBits()})
	require.Equal(t, []int64{1<<39 - 1, 511, 255}, []int64{l.MaxTick(), l.MaxWorkerID(), l.MaxSequence()})
	require.Equal(t, time.Date(2020, 1, 1, 0, 0, 0, 5e8, time.UTC), l.Epoch())
	require.Equal(t, 10*time.Millisecond, l.Unit())
	require.Equal(t, []uid.Field{{Name: "datacenter", Bits: 3}, {Name: "worker", Bits: 6}}, l.Fields())
	require.Equal(t, uid.Terms{
		Layout: "39/9/8 unit=10ms epoch=2020-01-01T00:00:00.5Z fields=datacenter:3,worker:6",
		Epoch:  l.Epoch(), Unit: 10 * time.Millisecond, MaxTick: 1<<39 - 1, MaxWorkerID: 511,
	}, func() uid.Terms { t := l.Terms(); t.Revoke = nil; return t }())
	require.Nil(t, l.Terms().Revoke)
	require.Equal(t, l.TickAt(now), l.Terms().TickAt(now))

	withMonotonic := MustLayout(Config{TimeBits: 28, Epoch: time.Now()})
	require.NotContains(t, withMonotonic.Epoch().String(), "m=")
}

func TestZeroLayoutHoldsNothing(t *testing.T) {
	var l Layout
	require.True(t, l.IsZero())
	require.False(t, Default().IsZero())
	_, err := l.Compose(0, 0, 0)
	refused(t, err, uid.ErrRange, "zero Layout")
	for _, u := range []uid.UID{0, 1, -1, math.MaxInt64} {
		_, err = l.Parse(u)
		refused(t, err, uid.ErrRange, "zero Layout")
	}
	require.ErrorIs(t, errorOf(l.First(now)), uid.ErrRange)
	require.Error(t, errorOf(l.WorkerID(nil)))
	require.EqualValues(t, -1, l.MaxTick())
	require.EqualValues(t, -1, l.MaxWorkerID())
	require.EqualValues(t, -1, l.MaxSequence())
	require.Equal(t, "0/0/0", l.String())
	require.Zero(t, l.Expires())
}

func TestNoAllocations(t *testing.T) {
	for _, l := range []Layout{Default(), twitter, mustBuild(Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 12,
		Fields: []uid.Field{{Name: "a", Bits: 5}, {Name: "b", Bits: 5}}})} {
		require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = l.Compose(1e6, 7, 8) }))
		require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = l.Parse(1 << 40) }))
		require.Zero(t, testing.AllocsPerRun(100, func() { _, _ = l.First(now) }))
		require.Zero(t, testing.AllocsPerRun(100, func() { _ = l.TickAt(now) }))
	}
}

func BenchmarkCompose(b *testing.B) {
	b.ReportAllocs()
	l, tick := Default(), int64(0)
	for b.Loop() {
		tick++
		must(l.Compose(tick&(1<<28-1), 7, 8))
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for name, l := range named {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				must(l.Parse(2752090406937))
			}
		})
	}
}
