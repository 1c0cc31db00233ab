package segment_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/segment"
)

// TestDense has many goroutines draw in all ways from segments that are used up all the time.
func TestDense(t *testing.T) {
	for _, steps := range []segment.Config{{MaxStep: 1}, {MaxStep: 7}, {MinStep: 9, MaxStep: 100}, {MinStep: 5000}} {
		h := newHouse()
		g := h.start(t, steps)
		var all tally
		all.add(conformance.Draw(t, g, 8, 100)...)
		dst := make([]uid.UID, 6000)
		require.NoError(t, errOf(g.Fill(dst)))
		all.add(dst...)
		all.requireDense(t)
		s := g.Health()
		require.EqualValues(t, all.most, s.Counts[telemetry.Issued])
		require.EqualValues(t, all.most, s.Numbers.Drawn)
		require.EqualValues(t, s.Counts[telemetry.NumbersTaken], s.Counts[telemetry.Issued]+uint64(s.Buffered))
		require.NoError(t, g.Close())
		require.Equal(t, all.most+1, h.Row("a").Next, "nothing is skipped")
	}
}

// TestAhead draws a million numbers a second from a store that takes 20 ms.
func TestAhead(t *testing.T) {
	bubble(t, segment.Config{MinStep: 50000, MaxStep: 1e6}, func(t *testing.T, h *house, g *segment.Generator) {
		h.takes = 20 * time.Millisecond
		next(t, g)
		dst := make([]uid.UID, 100)
		for range 20000 { // for two seconds
			began := time.Now()
			n := must(g.Fill(dst))
			require.Equal(t, len(dst), n)
			require.Zero(t, time.Since(began), "a call has waited")
			time.Sleep(100 * time.Microsecond)
		}
		s := g.Health()
		require.EqualValues(t, 1, s.Counts[telemetry.RejectedTakes], "but for the first one")
		require.EqualValues(t, 1e6, s.Numbers.Step)
		require.Less(t, s.Counts[telemetry.Segments], uint64(12))
		require.InDelta(t, s.Buffered, s.Numbers.Lasts.Seconds()*1e6, 1e5)
	})
}

func TestStepAdapts(t *testing.T) {
	cfg := segment.Config{MinStep: 10, MaxStep: 100, Lasting: time.Minute}
	bubble(t, cfg, func(t *testing.T, _ *house, g *segment.Generator) {
		step := func() int64 {
			synctest.Wait()
			return g.Health().Numbers.Step
		}
		draw := func(n int) {
			for range n {
				next(t, g)
				synctest.Wait()
			}
		}
		draw(1)
		require.EqualValues(t, 10, step())
		draw(1) // a tenth is used
		require.EqualValues(t, 20, step(), "used up at once")
		draw(8 + 2)
		require.EqualValues(t, 20, step())
		time.Sleep(90 * time.Second)
		draw(1)
		require.EqualValues(t, 20, step(), "within once and twice Lasting")
		time.Sleep(121 * time.Second)
		draw(20)
		require.EqualValues(t, 10, step(), "longer than twice Lasting")
		for range 10 {
			time.Sleep(time.Hour)
			draw(10)
		}
		require.EqualValues(t, 10, step(), "MinStep")
		require.NoError(t, errOf(g.Fill(make([]uid.UID, 1000))))
		require.EqualValues(t, 100, step(), "MaxStep")
	})
}

func TestStarvedStepsGrowFaster(t *testing.T) {
	bubble(t, segment.Config{MinStep: 10, MaxStep: 1000}, func(t *testing.T, h *house, g *segment.Generator) {
		h.takes = time.Second
		for range 21 { // waits twice: at first, and for numbers after the first 10
			next(t, g)
		}
		synctest.Wait()
		require.EqualValues(t, 20*8, g.Health().Numbers.Step)
	})
}

func TestRowsStep(t *testing.T) {
	h := newHouse()
	h.SetRow(storage.Segment{Tag: "a", Next: 1, Step: 5000})
	g := h.start(t, segment.Config{MaxStep: 10})
	require.EqualValues(t, 1, next(t, g))
	require.EqualValues(t, 5001, h.Row("a").Next, "a row's own step has its way")
}

func TestBounds(t *testing.T) {
	h := newHouse()
	g := h.start(t, segment.Config{First: 100, Last: 105, MinStep: 4})
	requireNext(t, g, 100, 105)
	for range 2 {
		logtest.Error(t, errOf(g.GetUID()), uid.ErrExhausted, "106", "105")
		require.ErrorIs(t, errOf(g.TryGetUID()), uid.ErrExhausted)
	}
	n, err := g.Fill(make([]uid.UID, 3))
	require.ErrorIs(t, err, uid.ErrExhausted)
	require.Zero(t, n)
	require.EqualValues(t, 106, h.Row("a").Next)

	const most = math.MaxInt64 - 1
	h.SetRow(storage.Segment{Tag: "a", Next: most - 2, Step: storage.MaxStep})
	g = h.start(t, segment.Config{})
	requireNext(t, g, most-2, most)
	require.ErrorIs(t, errOf(g.GetUID()), uid.ErrExhausted)
	require.Equal(t, int64(math.MaxInt64), h.Row("a").Next)
}

// TestEditedByHand has a person change the row.
func TestEditedByHand(t *testing.T) {
	for _, row := range []storage.Segment{{Next: -5, Step: 1}, {Next: 7, Step: 0}, {Next: 7, Step: -1},
		{Next: 7, Step: storage.MaxStep + 1}} {
		h := newHouse()
		row.Tag = "a"
		h.SetRow(row)
		g := h.start(t, segment.Config{})
		_, err := g.GetUID()
		require.ErrorIs(t, err, uid.ErrNoReservation)
		require.ErrorIs(t, err, uid.ErrRange)
		require.True(t, row.Equal(new(h.Row("a"))), "nothing is changed")
	}
	h := newHouse()
	g := h.start(t, segment.Config{MaxStep: 2})
	require.EqualValues(t, 1, next(t, g))
	// In one statement, as UPDATE does: the generator takes its next segment at the same time.
	require.NoError(t, h.client.Change(t.Context(), "a", func(row *storage.Segment) error {
		row.Next = 1000
		return nil
	}))
	for n := int64(0); n < 1000; n = next(t, g) { // those in hand first
	}
}

func TestRefusals(t *testing.T) {
	h := newHouse()
	for _, c := range []struct {
		cfg  segment.Config
		text string
	}{
		{segment.Config{First: -1}, "First -1"},
		{segment.Config{First: math.MaxInt64}, "First 9223372036854775807"},
		{segment.Config{First: 10, Last: 9}, "Last 9: want First, 10"},
		{segment.Config{Last: -1}, "Last -1"},
		{segment.Config{Last: math.MaxInt64}, "Last 9223372036854775807"},
		{segment.Config{MinStep: -1}, "MinStep -1"},
		{segment.Config{MinStep: storage.MaxStep + 1}, "MinStep 2147483648"},
		{segment.Config{MaxStep: -1}, "MaxStep -1"},
		{segment.Config{MaxStep: storage.MaxStep + 1}, "MaxStep 2147483648"},
		{segment.Config{MinStep: 10, MaxStep: 9}, "MinStep 10 is above MaxStep 9"},
		{segment.Config{Total: -1}, "Total -1"},
		{segment.Config{Lasting: -1}, "Lasting -1ns"},
		{segment.Config{Timeout: -1}, "Timeout -1ns"},
	} {
		logtest.Error(t, errOf(segment.New(h, "a", c.cfg)), uid.ErrConfig, c.text)
		require.ErrorContains(t, errOf(segment.NewRegistry(h, c.cfg)), c.text)
		require.Panics(t, func() { segment.MustNew(h, "a", c.cfg) })
	}
	require.ErrorIs(t, errOf(segment.New(nil, "a", segment.Config{})), uid.ErrConfig)
	require.ErrorIs(t, errOf(segment.NewRegistry(nil, segment.Config{})), uid.ErrConfig)
	require.Zero(t, h.calls.Load())
}

func TestNoTag(t *testing.T) {
	h := newHouse()
	g, err := segment.New(h, "b", segment.Config{Logger: h.log.Logger()})
	require.NoError(t, err)
	_, err = g.GetUID()
	require.ErrorIs(t, err, segment.ErrNoTag)
	logtest.Error(t, err, uid.ErrNoReservation, `"b"`)
	require.True(t, new(h.Row("b")).Fresh, "no row is made")
	require.NoError(t, g.Close())
}

func TestLossyStore(t *testing.T) {
	bubble(t, segment.Config{}, func(t *testing.T, h *house, g *segment.Generator) {
		h.lossy.Store(new("nothing is ever written to the disk"))
		require.EqualError(t, errOf(segment.New(h, "a", segment.Config{})),
			`segment: tag "a": the store can lose numbers that it has given out, and would then give them out again: `+
				"the house: nothing is ever written to the disk. Change that, or accept it with LossyStore", "at once")
		h.strange.Store(true) // one that cannot hold the rows is refused as well
		require.ErrorIs(t, errOf(segment.New(h, "a", segment.Config{})), uid.ErrConfig)
		h.strange.Store(false)

		time.Sleep(2 * time.Hour) // what was seen is outdated
		for range 2 {
			logtest.Error(t, errOf(g.GetUID()), uid.ErrLossy, *h.lossy.Load())
			require.Zero(t, h.calls.Load())
			time.Sleep(time.Minute)
		}
		require.Equal(t, 1,
			h.log.Count(`level=ERROR msg="uid: the store is refused as it is, and no numbers are left: calls fail"`),
			h.log.String())
		require.Equal(t, 1, h.log.Count("msg="))
		require.EqualValues(t, 1, next(t, h.start(t, segment.Config{LossyStore: true})))
		h.lossy.Store(nil)
		time.Sleep(time.Minute)
		next(t, g)
	})
}

func TestRejection(t *testing.T) {
	h := newHouse()
	var seen []uid.Rejection
	_, err := h.start(t, segment.Config{OnRejectedTake: func(r uid.Rejection) error {
		seen = append(seen, r)
		return r.Err
	}}).GetUID()
	require.ErrorContains(t, err, `1000 numbers of tag "a"`)
	require.Len(t, seen, 1)
	require.Zero(t, seen[0].Wait)
}

// TestNoGoroutine has many tags that were drawn from.
func TestNoGoroutine(t *testing.T) {
	h := newHouse()
	r := must(segment.NewRegistry(h, segment.Config{Create: true}))
	before := runtime.NumGoroutine()
	for i := range 1000 {
		require.NoError(t, errOf(r.GetUID(fmt.Sprint("tag", i))))
	}
	for began := time.Now(); runtime.NumGoroutine() > before; runtime.Gosched() {
		require.Less(t, time.Since(began), time.Minute, "%d goroutines, not %d", runtime.NumGoroutine(), before)
	}
	require.NoError(t, r.Close())
}
