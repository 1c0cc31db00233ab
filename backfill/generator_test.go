package backfill_test

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/disposable"
	"github.com/uidgen/uid/worker/lease"
)

// fullText is that of ErrFull.
func fullText(first, last int64, workers int, perTick int64) string {
	ticks := fmt.Sprintf("tick %d", first)
	if last > first {
		ticks = fmt.Sprintf("ticks %d to %d", first, last)
	}
	return fmt.Sprintf("the tick is full: %s of the time %s: all %d UIDs of a tick are issued, under %d worker IDs",
		ticks, at(first).Format(time.RFC3339Nano), perTick, workers)
}

// Whatever is asked for in whatever order: no UID comes twice, each has the tick that was asked
// for or the next one with room, and a tick is full exactly when all its UIDs are out.
func TestAgainstAList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ids := []int64{5, 2, 7}[:rapid.IntRange(1, 3).Draw(rt, "workers")]
		back := rapid.SampledFrom([]time.Duration{-1, 0, 300 * time.Millisecond, time.Second, 4 * time.Second}).Draw(rt,
			"back")
		g := listed(t, func(c *backfill.Config) {
			c.From, c.To = at(100), at(120)
			if back >= 0 {
				c.Sorted, c.Back = true, back
			}
		}, append([]int64{}, ids...)...)
		perTick := int64(4 * len(ids))
		issued, used, newest := map[uid.UID]bool{}, map[int64]int64{}, int64(-1)
		take := func(u uid.UID, tick int64) {
			require.False(rt, issued[u], "twice: %d", u)
			issued[u] = true
			got, id, _ := parts(rt, u)
			require.Equal(rt, tick, got)
			require.Contains(rt, ids, id)
			used[tick]++
		}
		window := int64((max(back, 0) + time.Second - 1) / time.Second)
		for range rapid.IntRange(1, 200).Draw(rt, "calls") {
			tick := rapid.Int64Range(98, 122).Draw(rt, "tick")
			outside, late := tick < 100 || tick > 120, back >= 0 && newest-tick > window
			refused := func(err error) bool {
				switch {
				case outside:
					require.ErrorIs(rt, err, uid.ErrRange)
				case late:
					require.ErrorIs(rt, err, backfill.ErrOrder)
				}
				return outside || late
			}
			switch call := rapid.SampledFrom([]string{"at", "at", "after", "fill"}).Draw(rt, "call"); call {
			case "at", "after":
				draw, within := g.At, int64(0)
				if call == "after" {
					within = rapid.Int64Range(0, 5).Draw(rt, "within")
					draw = func(t time.Time) (uid.UID, error) {
						return g.AtOrAfter(t, time.Duration(within)*time.Second)
					}
				}
				u, err := draw(at(tick))
				if refused(err) {
					break
				}
				through, found := min(tick+within, 120), tick
				for used[found] == perTick {
					found++
				}
				if found > through {
					require.ErrorIs(rt, err, backfill.ErrFull)
					require.EqualError(rt, err, fullText(tick, through, len(ids), perTick))
					break
				}
				require.NoError(rt, err)
				take(u, found)
				newest = max(newest, tick)
			case "fill":
				dst := make([]uid.UID, rapid.IntRange(0, 6).Draw(rt, "n"))
				n, err := g.Fill(at(tick), dst)
				if refused(err) {
					require.Zero(rt, n)
					break
				}
				want := min(int64(len(dst)), perTick-used[tick])
				require.EqualValues(rt, want, n)
				if n < len(dst) {
					require.ErrorIs(rt, err, backfill.ErrFull)
				} else {
					require.NoError(rt, err)
				}
				for _, u := range dst[:n] {
					take(u, tick)
					newest = max(newest, tick)
				}
			}
		}
		require.EqualValues(rt, len(issued), g.Stats().Issued)
	})
}

// A tick's UIDs come in ascending order: those of the lowest ID first.
func TestATick(t *testing.T) {
	g := listed(t, nil, 6, 1)
	require.Equal(t, []int64{1, 6}, g.Stats().WorkerIDs)
	all, want := make([]uid.UID, 9), []uid.UID{}
	all[0] = must(g.At(at(77)))
	n, err := g.Fill(at(77), all[1:])
	require.ErrorIs(t, err, backfill.ErrFull)
	require.Equal(t, 7, n)
	for i := range int64(8) {
		want = append(want, must(seconds.Compose(77, []int64{1, 6}[i/4], i%4)))
	}
	require.Equal(t, append(want, 0), all)
	require.Equal(t, must(seconds.Parse(all[7])), must(g.ParseUID(all[7])))

	require.ErrorIs(t, errorOf(g.AtOrAfter(at(77), 999*time.Millisecond-300*time.Millisecond)), backfill.ErrFull)
	tick, _, _ := parts(t, must(g.AtOrAfter(at(77), 700*time.Millisecond)))
	require.EqualValues(t, 78, tick)
	require.Equal(t, uint64(1), g.Stats().Later)
	require.ErrorIs(t, errorOf(g.AtOrAfter(at(77), -1)), uid.ErrRange)
}

func TestTimesOfTheRun(t *testing.T) {
	g := listed(t, func(c *backfill.Config) { c.From, c.To = at(10), at(20) }, 1)
	for _, bad := range []time.Time{{}, at(9), seconds.TimeOf(10).Add(-1), seconds.TimeOf(21), at(present + 1),
		time.Unix(1<<60, 0), time.Unix(-1<<60, 0)} {
		_, err := g.At(bad)
		logtest.Error(t, err, uid.ErrRange, "is not within the run's, from 2020-01-01T00:00:10Z to before "+
			"2020-01-01T00:00:21Z")
		n, err := g.Fill(bad, make([]uid.UID, 1))
		require.ErrorIs(t, err, uid.ErrRange)
		require.Zero(t, n)
	}
	for _, good := range []time.Time{seconds.TimeOf(10), seconds.TimeOf(21).Add(-1)} {
		must(g.At(good))
	}
	require.NoError(t, g.Close())
	require.NoError(t, g.Close())
	require.ErrorIs(t, errorOf(g.At(at(15))), uid.ErrClosed)
	require.ErrorIs(t, errorOf(g.Fill(at(15), make([]uid.UID, 1))), uid.ErrClosed)
}

// Times that are sorted are forgotten, and those that need not be are all remembered.
func TestMemory(t *testing.T) {
	sorted := listed(t, func(c *backfill.Config) { c.Sorted, c.Back = true, 9500*time.Millisecond }, 1)
	all := listed(t, nil, 2)
	for tick := range int64(9000) {
		for range 4 {
			must(sorted.At(at(tick)))
			must(all.At(at(tick)))
		}
		if tick >= 10 { // the last that is remembered is full
			require.ErrorIs(t, errorOf(sorted.At(at(tick-10))), backfill.ErrFull)
		}
		if tick >= 11 {
			_, err := sorted.At(at(tick - 11))
			logtest.Error(t, err, backfill.ErrOrder, "is 11 ticks before the newest one", "allows 10")
		}
	}
	require.LessOrEqual(t, sorted.Stats().Ticks, 1024)
	require.Equal(t, 9000, all.Stats().Ticks)
}

func TestSpread(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := listed(t, nil, 1, 2)
		first := rapid.Int64Range(0, present).Draw(rt, "first")
		count := rapid.Int64Range(1, min(50, present-first+1)).Draw(rt, "count")
		n := rapid.Int64Range(0, 8*count).Draw(rt, "n")
		seen, used, before := map[uid.UID]bool{}, map[int64]int64{}, first
		for u, err := range g.Spread(at(first), at(first+count-1), n) {
			require.NoError(rt, err)
			tick, _, _ := parts(rt, u)
			require.GreaterOrEqual(rt, tick, before)
			require.Less(rt, tick, first+count)
			before, seen[u] = tick, true
			used[tick]++
		}
		require.Len(rt, seen, int(n))
		for tick := first; tick < first+count; tick++ { // evenly
			require.LessOrEqual(rt, used[tick], (n+count-1)/count)
			require.GreaterOrEqual(rt, used[tick], n/count)
		}
	})
}

func TestSpreadRefuses(t *testing.T) {
	g := listed(t, func(c *backfill.Config) { c.From, c.To = at(10), at(20) }, 1)
	for _, c := range []struct {
		from, to, n int64
		text        string
	}{
		{15, 14, 1, "1 UIDs from"}, {15, 16, -1, "-1 UIDs from"}, {9, 12, 1, "is not within the run's times"},
		{12, 21, 1, "is not within the run's times"}, {10, 20, 45, "the 11 ticks have 44"},
	} {
		calls := 0
		for u, err := range g.Spread(at(c.from), at(c.to), c.n) {
			logtest.Error(t, err, uid.ErrRange, c.text)
			require.Zero(t, u)
			calls++
		}
		require.Equal(t, 1, calls)
	}
	for range g.Spread(at(10), at(20), 44) {
		break
	}
	require.EqualValues(t, 1, g.Stats().Issued)
	var last error
	for _, err := range g.Spread(at(10), at(20), 44) {
		last = err
	}
	require.ErrorIs(t, last, backfill.ErrFull, "another call has had one of the first tick")
	require.EqualValues(t, 4, g.Stats().Issued)
}

// The largest numbers: nothing overflows.
func TestWideLayouts(t *testing.T) {
	for _, c := range []bits.Config{
		{TimeBits: 2, WorkerBits: 61, Unit: 3650 * 24 * time.Hour},
		{TimeBits: 62, WorkerBits: 1, Unit: time.Nanosecond},
	} {
		c.Epoch = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		l := bits.MustLayout(c)
		g := listed(t, func(cfg *backfill.Config) { cfg.Layout = l }, l.MaxWorkerID())
		u := must(g.AtOrAfter(at(present-1), math.MaxInt64))
		require.Equal(t, l.TickAt(at(present-1)), l.TickAt(must(l.Parse(u)).Time))
		for _, err := range g.Spread(at(present), at(present), 1) {
			if l.TickAt(at(present)) != l.TickAt(at(present-1)) {
				require.NoError(t, err)
			}
		}
	}
}

func TestGoroutines(t *testing.T) {
	g := listed(t, nil, 4, 5)
	var wg sync.WaitGroup
	var seen sync.Map
	var issued atomic.Int64
	for w := range int64(8) {
		wg.Go(func() {
			for i := range int64(1000) {
				u, err := g.At(at((i + w) % 1000))
				if _, twice := seen.LoadOrStore(u, true); err == nil && !twice {
					issued.Add(1)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 8000, issued.Load())
}

func TestConfigRefuses(t *testing.T) {
	rollback := must(bits.ParseLayout("28/4/2 fields=rollback:1,worker:3"))
	for _, tt := range []struct {
		change func(*backfill.Config)
		is     error
		text   string
	}{
		{func(c *backfill.Config) { c.Layout = rollback }, uid.ErrConfig, "rollback"},
		{func(c *backfill.Config) { c.Workers = -1 }, uid.ErrConfig, "Workers -1 is not within 1 and 8"},
		{func(c *backfill.Config) { c.Workers = 9 }, uid.ErrConfig, "Workers 9 is not within 1 and 8"},
		{func(c *backfill.Config) { c.Sorted, c.Back = true, -1 }, uid.ErrConfig, "Back -1ns"},
		{func(c *backfill.Config) { c.Back = 1 }, uid.ErrConfig, "Back 1ns"},
		{func(c *backfill.Config) { c.Apart = []lease.Store{nil} }, uid.ErrConfig, "a store that is nil"},
		{func(c *backfill.Config) { c.To = at(present).Add(1) }, uid.ErrRange,
			"is after the present, 2020-01-01T02:46:40.3Z"},
		{func(c *backfill.Config) { c.From = at(11); c.To = at(10) }, uid.ErrRange,
			"From 2020-01-01T00:00:11.3Z is after To 2020-01-01T00:00:10.3Z"},
		{func(c *backfill.Config) { c.From = seconds.Epoch().Add(-1) }, uid.ErrRange,
			"older times need a layout with an earlier epoch"},
		{func(c *backfill.Config) { c.Now = func() time.Time { return seconds.Epoch().Add(-1) } }, uid.ErrRange,
			"From 2020-01-01T00:00:00Z is after To"},
		{func(c *backfill.Config) {
			c.Now = func() time.Time { return time.Unix(1<<40, 0) }
			c.To = seconds.Expires().Add(time.Second)
		}, uid.ErrRange, "the layout"},
	} {
		cfg := backfill.Config{Layout: seconds, Logger: quiet, Now: now}
		tt.change(&cfg)
		n := &numbers{next: []int64{1}}
		refused(t, numbered(n), cfg, tt.is, tt.text)
		require.Len(t, n.next, 1, "no number is used up")
	}
	refused(t, nil, backfill.Config{}, uid.ErrConfig, "")
}

func TestDefaults(t *testing.T) {
	g := listed(t, nil, 1)
	require.Equal(t, backfill.Stats{WorkerIDs: []int64{1}, First: 0, Last: present}, g.Stats())
	// A layout whose time field is full.
	g = listed(t, func(c *backfill.Config) { c.Now = func() time.Time { return time.Unix(1<<40, 0) } }, 1)
	require.Equal(t, seconds.MaxTick(), g.Stats().Last)
	must(g.At(seconds.Expires()))
}

func TestNumbersFail(t *testing.T) {
	cfg := backfill.Config{Layout: seconds, Logger: quiet, Now: now}
	for _, tt := range []struct {
		numbers disposable.Numbers
		workers int
		is      error
	}{
		{nil, 1, uid.ErrConfig}, {&numbers{err: errPlanned}, 1, errPlanned},
		{&numbers{next: []int64{8}}, 1, uid.ErrRange},
		{&numbers{next: []int64{1}}, 2, uid.ErrNoWorkerID}, {&numbers{next: []int64{3, 3}}, 2, worker.ErrUnconfirmed},
	} {
		cfg.Workers = tt.workers
		refused(t, numbered(tt.numbers), cfg, tt.is, "")
	}
}
