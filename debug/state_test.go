package debug

import (
	"crypto/rand"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// small has ticks of a second with 16 UIDs. (Layouts are made outside of synctest bubbles.)
var small = bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 10, SequenceBits: 4})

// The rates are what was drawn, over the time in which it was; one average stands for the time in
// which nobody looked; a viewer gets the points that it does not have.
func TestRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		g := cached.MustNew(worker.Static(7, "TestRates"), cached.Config{Layout: bits.Default(), Now: clock.Now})
		defer g.Close()
		draw := func(n int) {
			must(g.Fill(make([]uid.UID, n)))
		}
		h := newPage(t, Config{Generators: []Generator{shown("a", g)}, Now: clock.Now})
		s := get[state](t, h, "/state")
		require.Equal(t, []any{-1.0, 0, "0"}, []any{s.All[0].Rate, len(s.All[0].Points), s.All[0].Issued})

		draw(100)
		time.Sleep(2 * time.Second)
		s = get[state](t, h, "/state")
		require.Equal(t, 50.0, s.All[0].Rate)
		require.Equal(t, "100", s.All[0].Issued)
		require.Len(t, s.All[0].Points, 1)
		require.Equal(t, 1, s.Next)

		// Samples between two steps change no rate; another viewer sees the same.
		draw(300)
		time.Sleep(every)
		require.Equal(t, 50.0, get[state](t, h, "/state").All[0].Rate)
		require.Equal(t, "400", get[state](t, h, "/state").All[0].Issued)
		time.Sleep(every)
		s = get[state](t, h, fmt.Sprintf("/state?since=%d", s.Next))
		require.Equal(t, 300.0, s.All[0].Rate)
		require.Len(t, s.All[0].Points, 1, "the other one is there")
		require.Len(t, get[state](t, h, "/state").All[0].Points, 2)

		// Nobody looks for 100 s.
		draw(5000)
		time.Sleep(100 * time.Second)
		s = get[state](t, h, "/state")
		p := s.All[0].Points[2]
		require.Equal(t, []float64{100e3, 50}, []float64{p[1] - p[0], p[2]})

		// The history is bounded.
		for range kept + 10 {
			time.Sleep(step)
			s = get[state](t, h, "/state")
		}
		require.Len(t, s.All[0].Points, kept)
		require.Equal(t, 3+kept+10, s.Next)
		require.Empty(t, get[state](t, h, fmt.Sprintf("/state?since=%d", s.Next)).All[0].Points)
		require.Empty(t, get[state](t, h, "/state?since=2147483647").All[0].Points, "of another process")

		// A clock that goes back spoils nothing.
		clock.Step(-time.Hour)
		get[state](t, h, "/state")
		draw(7)
		time.Sleep(step)
		require.Equal(t, 7.0, get[state](t, h, "/state").All[0].Rate)
	})
}

// All viewers share a sample for half a second.
func TestSamplesAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := 0
		h := newPage(t, Config{Workers: always(overview(time.Now()))})
		h.tracks = []*track{{source: source{read: func() reading { reads++; return reading{counted: true} }}}}
		for range 100 {
			for range 10 {
				get[state](t, h, "/state")
			}
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		require.Equal(t, 19, reads, "and one by New")
	})
}

// The reservation's bar runs down from when the reservation was seen first.
func TestReservationRunsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
		w := &fake.Worker{ID: 7, Window: 60, Now: clock.Now}
		g := cached.MustNew(w, cached.Config{Layout: small, Now: clock.Now, MaxLead: time.Nanosecond})
		defer g.Close()
		h := newPage(t, Config{Generators: []Generator{shown("a", g)}, Now: clock.Now})
		first := get[state](t, h, "/state").All[0].Reserved
		require.False(t, first.Endless)
		require.Equal(t, clock.Now().UnixMilli(), first.From.MS)
		time.Sleep(20 * time.Second)
		first.Lasts -= 20_000
		require.Equal(t, first, get[state](t, h, "/state").All[0].Reserved)
		time.Sleep(20 * time.Second) // and renewed meanwhile
		second := get[state](t, h, "/state").All[0].Reserved
		require.Greater(t, second.Until.MS, first.Until.MS)
		require.Equal(t, clock.Now().UnixMilli(), second.From.MS)

		w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
		v := get[state](t, h, "/state").All[0]
		for v.Failing == nil && v.Ready {
			time.Sleep(time.Second)
			v = get[state](t, h, "/state").All[0]
		}
		require.Equal(t, fake.ErrDown.Error(), v.Failing.Text)
		require.True(t, v.Ready)
		require.False(t, v.Reserved.UsedUp)
		time.Sleep(2 * time.Minute)
		v = get[state](t, h, "/state").All[0]
		require.False(t, v.Ready)
		require.True(t, v.Reserved.UsedUp)
		require.Equal(t, "error", v.Reasons[0].Level)
	})
}

// Each kind of generator shows what it has; closed ones, too.
func TestKinds(t *testing.T) {
	plain := uncached.MustNew(worker.Static(9, rand.Text()), uncached.Config{})
	numbers := segment.MustNew(segmenttest.NewMemory().Client(), "invoice", segment.Config{Create: true})
	ring := cached.MustNew(worker.Static(8, rand.Text()), cached.Config{
		Layout: small, Slots: 4, MaxLead: cached.Unbounded,
		Now: fake.NewFrozenClock(time.Now()).Now, // no tick ends meanwhile
	})
	all := []uid.Generator{ring, plain, numbers}
	generators := []Generator{shown("ring", ring), shown("plain", plain), shown("numbers", numbers)}
	h := newPage(t, Config{Now: time.Now, Generators: generators})
	for _, g := range all {
		must(g.GetUID())
	}
	h.sampled = time.Time{}
	s := get[state](t, h, "/state")
	require.Equal(t, []string{"cached", "uncached", "segment"}, []string{s.All[0].Kind, s.All[1].Kind, s.All[2].Kind})

	r := s.All[0]
	require.Equal(t, "1", r.Issued)
	require.Equal(t, "8", r.WorkerID)
	require.Equal(t, []any{int64(4), "16", "64", "1", "63", true},
		[]any{r.Ring.Slots, r.Ring.PerTick, r.Ring.Capacity, r.Ring.Used, r.Ring.Buffered, r.Ring.Usable})
	require.EqualValues(t, 4, r.Ring.Ready)
	require.Equal(t, 15.0/16, r.Ring.Front)
	require.Equal(t, -1.0, r.Bounds.MaxLead)
	require.Equal(t, 1000.0, r.Bounds.MaxLag)
	require.True(t, r.Reserved.Endless)
	require.Equal(t, small.Expires().Format(time.RFC3339), r.Expires.Text)
	require.Equal(t, small.String(), r.Layout)
	require.True(t, r.Ready)

	require.Equal(t, "9", s.All[1].WorkerID)
	require.Positive(t, s.All[1].Reserved.Lasts)
	require.Empty(t, s.All[1].Issued, "it does not count them")
	require.Nil(t, s.All[1].Ring)
	n := s.All[2]
	require.Equal(t, []any{"1", "invoice", "1", "999", "1000"},
		[]any{n.Issued, n.Segment.Tag, n.Segment.Newest, n.Segment.Buffered, n.Segment.Step})
	require.Empty(t, n.Layout)

	for _, g := range all {
		require.NoError(t, g.Close())
	}
	h.sampled = time.Time{}
	for _, v := range get[state](t, h, "/state").All {
		require.False(t, v.Ready, v.Name)
		require.Nil(t, v.Reserved, v.Name)
		if v.Ring != nil {
			require.Zero(t, v.Ring.Ready)
			require.Equal(t, "0", v.Ring.Buffered)
		}
	}
}

// A generator's lease is the one of its worker ID and layout, if that is clear.
func TestLeaseOfAGenerator(t *testing.T) {
	g := newCached(t, 7)
	for _, c := range []struct {
		namespace string
		leases    []lease
		want      string
	}{
		{"", []lease{{"orders", 7, "a"}, {"orders", 8, "b"}}, "a"},
		{"", []lease{{"orders", 7, "a"}, {"bills", 7, "b"}}, ""},
		{"bills", []lease{{"orders", 7, "a"}, {"bills", 7, "b"}}, "b"},
		{"bills", []lease{{"orders", 7, "a"}}, ""},
	} {
		generators := []Generator{{Name: "a", Generator: g, Namespace: c.namespace}}
		h := newPage(t, Config{Generators: generators, Workers: always(overview(time.Now(), c.leases...))})
		got := await(t, h, "up").All[0].Lease
		if c.want == "" {
			require.Nil(t, got)
		} else {
			require.Equal(t, c.want, got.Holder)
		}
	}
	o := overview(time.Now(), lease{"orders", 7, "a"})
	o.Leases[0].Layout = bits.MustParseLayout("twitter").String()
	h := newPage(t, Config{Generators: []Generator{{Name: "a", Generator: g}}, Workers: always(o)})
	require.Nil(t, await(t, h, "up").All[0].Lease, "of another layout")
}
