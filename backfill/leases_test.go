package backfill_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/backfill"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// Live owners, runs that end or are killed, and an operator who removes rows and puts them back: no tick of a
// worker ID is in two hands.
func TestRunsBesideLiveOwners(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStore(rt, lease.Range{})
		type key struct{ id, tick int64 }
		owners := map[key]int{}
		owner := 0
		mark := func(id, tick int64, who int) {
			k := key{id, tick}
			if before, found := owners[k]; found && before != who {
				rt.Fatalf("tick %d of worker ID %d is %d's and %d's", tick, id, before, who)
			}
			owners[k] = who
		}
		type liveOne struct {
			uid.Worker
			uid.Reservation
			who  int
			last int64
		}
		type runOne struct {
			*backfill.Generator
			who int
		}
		var lives []*liveOne
		var runs []runOne
		terms := seconds.Terms()
		terms.Revoke = func() {}
		away := map[int64]storage.Lease{}
		pick := func(n int) int {
			if n == 0 {
				rt.Skip("there is none")
			}
			return rapid.IntRange(0, n-1).Draw(rt, "which")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"time passes": func(rt *rapid.T) {
				s.Step(rapid.SampledFrom([]time.Duration{time.Second, time.Minute, 20 * time.Minute,
					10 * 24 * time.Hour}).Draw(rt, "for"))
			},
			"a live process starts": func(rt *rapid.T) {
				w := must(lease.New(s.Store(orders), lease.Config{Logger: quiet, Now: s.Now}))
				r, err := w.Acquire(context.Background(), terms)
				if err != nil {
					require.ErrorIs(rt, err, uid.ErrNoWorkerID)
					return
				}
				owner++
				lives = append(lives, &liveOne{w, r, owner, -1})
			},
			"a live process issues": func(rt *rapid.T) {
				w := lives[pick(len(lives))]
				for tick := max(w.First, s.tick()); tick <= min(w.Reservation.Last, s.tick()+20); tick++ {
					mark(w.WorkerID, tick, w.who)
					w.last = tick
				}
			},
			"a live process renews": func(rt *rapid.T) {
				w := lives[pick(len(lives))]
				if r, err := w.Extend(context.Background(), s.tick()); err == nil {
					w.Reservation = r
				}
			},
			"a live process ends": func(rt *rapid.T) {
				i := pick(len(lives))
				require.NoError(rt, lives[i].Release(context.Background(), lives[i].last))
				lives = slices.Delete(lives, i, i+1)
			},
			"a run starts": func(rt *rapid.T) {
				last := s.tick() - rapid.Int64Range(0, s.tick()).Draw(rt, "before")
				first := last - min(last, rapid.Int64Range(0, 40).Draw(rt, "length"))
				g, err := backfill.New(s.source(), s.config(first, last))
				if err != nil {
					require.ErrorIs(rt, err, uid.ErrNoWorkerID)
					return
				}
				owner++
				runs = append(runs, runOne{g, owner})
			},
			"a run issues": func(rt *rapid.T) {
				g := runs[pick(len(runs))]
				st := g.Stats()
				for range 10 {
					u, err := g.At(at(rapid.Int64Range(st.First, st.Last).Draw(rt, "tick")))
					if err == nil {
						tick, id, _ := parts(rt, u)
						mark(id, tick, g.who)
					}
				}
			},
			"a run ends": func(rt *rapid.T) {
				i := pick(len(runs))
				require.NoError(rt, runs[i].Close())
				runs = slices.Delete(runs, i, i+1)
			},
			"rows vanish": func(*rapid.T) {
				for id := range int64(8) {
					if row, found := s.Row(orders, id); found {
						away[id] = row
						s.RemoveRow(orders, id)
					}
				}
			},
			"rows that vanished are put back": func(*rapid.T) {
				for id, row := range away {
					if _, found := s.Row(orders, id); !found {
						s.SetRow(orders, row)
					}
				}
				clear(away)
			},
		})
	})
}

// A run reserves its ticks in one write, before it issues any; Close gives back what it did not use.
func TestWhatARunWrites(t *testing.T) {
	s := newStore(t, lease.Range{First: 5, Last: 7})
	g := s.run(t, 100, 200)
	row, found := s.Row(orders, 5)
	require.True(t, found)
	require.EqualValues(t, 200, row.High)
	require.True(t, strings.HasPrefix(row.Holder, "backfill "))
	require.Equal(t, seconds.String(), row.Layout)
	require.Equal(t, row.Acquired, row.Until)
	for _, tick := range []int64{100, 150, 120} {
		must(g.At(at(tick)))
	}
	require.NoError(t, g.Close())
	require.EqualValues(t, 150, s.high(t, 5))
	s.Step(time.Second)

	// The rest is another run's; what was issued is not.
	require.Equal(t, []int64{5}, s.run(t, 151, 300).Stats().WorkerIDs)
	second := s.run(t, 150, 300)
	require.Equal(t, []int64{6}, second.Stats().WorkerIDs)
	require.NoError(t, second.Close()) // which has issued nothing
	require.EqualValues(t, -1, s.high(t, 6))
	require.EqualValues(t, 300, s.high(t, 5))
}

// Each worker ID goes back to the last tick that was issued under it.
func TestRunOfTwoIDs(t *testing.T) {
	s := newStore(t, lease.Range{})
	cfg := s.config(100, 200)
	cfg.Workers = 2
	g := must(backfill.New(s.source(), cfg))
	for range 5 {
		must(g.At(at(110)))
	}
	must(g.At(at(120)))
	require.NoError(t, g.Close())
	require.EqualValues(t, 120, s.high(t, 0))
	require.EqualValues(t, 110, s.high(t, 1))

	// An ID that was taken before the next one failed is given back.
	cfg.Workers = 8
	s.live(t)
	refused(t, s.source(), cfg, uid.ErrNoWorkerID, "")
	for id := range int64(8) {
		if row, found := s.Row(orders, id); found {
			require.True(t, row.High < 200 || row.High >= present, "%+v", row)
		}
	}
}

func TestRefusedRows(t *testing.T) {
	test := func(name string, body func(t *testing.T, s store)) {
		t.Run(name, func(t *testing.T) { body(t, newStore(t, lease.Range{First: 0, Last: 1})) })
	}
	test("used after the beginning", func(t *testing.T, s store) {
		for id := range int64(2) {
			s.SetRow(orders, storage.Lease{WorkerID: id, High: 500 + id, Until: at(600), Layout: seconds.String()})
		}
		refused(t, s.source(), s.config(500, 700), uid.ErrNoWorkerID, "were used after the run begins, with tick 500, "+
			"as worker ID 0 was up to tick 500")
		require.Equal(t, []int64{0}, s.run(t, 501, 700).Stats().WorkerIDs)
	})
	test("used in the first tick", func(t *testing.T, s store) { // an ID without a row is better
		s.SetRow(orders, storage.Lease{WorkerID: 0, High: 500, Until: at(600), Layout: seconds.String()})
		require.Equal(t, []int64{1}, s.run(t, 500, 700).Stats().WorkerIDs)
	})
	test("leased", func(t *testing.T, s store) {
		for id := range int64(2) {
			s.SetRow(orders, storage.Lease{WorkerID: id, High: 5, Nonce: "x", Until: at(present + 1),
				Layout: seconds.String()})
		}
		refused(t, s.source(), s.config(500, 700), uid.ErrNoWorkerID, "leased or in quarantine")
	})
	test("floor", func(t *testing.T, s store) {
		ns, _ := s.Namespace(orders)
		ns.Floor = 500
		s.SetNamespace(orders, ns)
		refused(t, s.source(), s.config(500, 700), uid.ErrNoWorkerID,
			"the namespace's floor is tick 500, the run begins with tick 500")
		require.NoError(t, s.run(t, 501, 700).Close())
		require.EqualValues(t, 500, s.high(t, 0), "High does not go below the floor")
	})
	test("lost", func(t *testing.T, s store) { // nobody knows who is at work
		require.NoError(t, lease.Found(t.Context(), s.Store("lost"), lease.Founding{Layout: seconds, Lost: true}))
		refused(t, leased(s.Store("lost")), s.config(0, 10), uid.ErrNoWorkerID, "")
	})
	test("layout", func(t *testing.T, s store) {
		cfg := s.config(100, 200)
		cfg.Layout = bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 4, SequenceBits: 2, Epoch: seconds.Epoch()})
		refused(t, s.source(), cfg, worker.ErrLayout, "")
	})
	test("no namespace", func(t *testing.T, s store) {
		refused(t, leased(s.Store("none")), s.config(0, 10), worker.ErrNoNamespace, "")
	})
	test("clock", func(t *testing.T, s store) {
		cfg := s.config(0, present+3)
		cfg.Now = func() time.Time { return at(present + 3) }
		refused(t, s.source(), cfg, worker.ErrClock, "")
		cfg.To = at(present + 2) // what clocks may differ by
		must(backfill.New(s.source(), cfg))
	})
	test("not durable", func(t *testing.T, _ store) {
		m := storetest.NewMemory(storetest.MemoryConfig{Now: now, Lossy: []string{"it forgets"}})
		client := m.Store(orders)
		require.NoError(t, lease.Found(t.Context(), client, lease.Founding{Layout: seconds}))
		cfg := backfill.Config{Layout: seconds, Logger: quiet, Now: now}
		refused(t, leased(client), cfg, uid.ErrConfig, "set Losses to Never")
		never := backfill.FromLeases(client, backfill.LeaseConfig{Losses: lease.Never})
		refused(t, never, cfg, uid.ErrConfig, "it forgets")
		_, found := m.Row(orders, 0)
		require.False(t, found)
		must(backfill.New(backfill.FromLeases(client, backfill.LeaseConfig{Losses: lease.NeverUnchecked}), cfg))
	})
	test("settings", func(t *testing.T, s store) {
		for _, cfg := range []backfill.LeaseConfig{{Timeout: -1}, {Holder: strings.Repeat("x", 129)},
			{Holder: "\xff"}} {
			require.Error(t, errorOf(backfill.New(backfill.FromLeases(s.Store(orders), cfg), s.config(0, 1))))
		}
		refused(t, leased(nil), s.config(0, 1), uid.ErrConfig, "")
	})
}

// An attempt whose reply is lost may have reserved ticks: the next one takes another ID.
func TestLostReplies(t *testing.T) {
	for _, fault := range []storetest.Fault{storetest.Refuse, storetest.LoseWrite, storetest.LoseReply,
		storetest.Delay} {
		t.Run(fault.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStore(t, lease.Range{})
				client := s.Store(orders)
				client.Fault(fault, fault)
				g := must(backfill.New(leased(client), s.config(0, 10)))
				id := g.Stats().WorkerIDs[0]
				require.EqualValues(t, map[bool]int64{true: 2, false: 0}[fault == storetest.LoseReply], id)
				s.Deliver()
				require.EqualValues(t, 10, s.high(t, id))
				require.Len(t, g.Stats().WorkerIDs, 1)
				must(g.At(at(3)))
				client.Fault(fault)
				require.NoError(t, g.Close())
				s.Deliver()
				require.EqualValues(t, 3, s.high(t, id))
			})
		})
	}
}

func TestApart(t *testing.T) {
	s := newStore(t, lease.Range{First: 0, Last: 3})
	require.NoError(t, s.found("imports", lease.Range{First: 4, Last: 7}))
	require.NoError(t, s.found("narrow", lease.Range{First: 3, Last: 4}))
	require.NoError(t, s.found("all", lease.Range{}))
	other := bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 3, SequenceBits: 3, Epoch: seconds.Epoch()})
	require.NoError(t, lease.Found(t.Context(), s.Store("other"), lease.Founding{Layout: other}))
	apart := func(names ...string) error {
		cfg := s.config(0, 100)
		for _, name := range names {
			cfg.Apart = append(cfg.Apart, s.Store(name))
		}
		g, err := backfill.New(leased(s.Store("imports")), cfg)
		if err == nil {
			require.NoError(t, g.Close())
		}
		s.Step(time.Second)
		return err
	}
	require.NoError(t, apart(orders))
	for _, tt := range []struct {
		names []string
		is    error
		text  string
	}{
		{[]string{"all"}, uid.ErrRange, `worker ID 4 of the run is one that namespace "all" in memory has: all`},
		{[]string{orders, "narrow"}, uid.ErrRange,
			`worker ID 4 of the run is one that namespace "narrow" in memory has: 3 to 4`},
		{[]string{"imports"}, uid.ErrRange, "4 to 7"},
		{[]string{"other"}, worker.ErrLayout, "UIDs of two layouts can be equal"},
		{[]string{"none"}, worker.ErrNoNamespace, `"none"`},
	} {
		logtest.Error(t, apart(tt.names...), tt.is, tt.text)
		row, _ := s.Row("imports", 4)
		require.EqualValues(t, -1, row.High, "the ticks are given back")
	}
}

// A wrongStore offers the row of another ID than the one that is wanted.
type wrongStore struct {
	lease.Store
	id int64
}

func (s wrongStore) Take(ctx context.Context, w storage.Wanted,
	decide func(*storage.Namespace, *storage.Lease, storage.Clock) error) error {
	return s.Store.Take(ctx, w, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		row.WorkerID = s.id
		return decide(ns, row, now)
	})
}

func TestAnIDOutsideOfTheNamespace(t *testing.T) {
	s := newStore(t, lease.Range{First: 3, Last: 5})
	for id, good := range map[int64]bool{2: false, 3: true, 5: true, 6: false} {
		source := leased(wrongStore{s.Store(orders), id})
		if good {
			must(backfill.New(source, s.config(0, 10)))
		} else {
			refused(t, source, s.config(0, 10), uid.ErrRange, "wanted is one of 3 to 5")
		}
	}
}
