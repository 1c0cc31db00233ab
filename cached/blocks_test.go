package cached_test

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/count"
	"github.com/uidgen/uid/internal/fake"
)

// TestBlocksKeepWhatTicksKeep draws in every way from rings whose ticks share slots, while
// reservations end and worker IDs change within blocks, reservations are withdrawn, the clock jumps
// and the generator falls idle. A bound on ticks holds as if each tick had a slot of its own.
func TestBlocksKeepWhatTicksKeep(t *testing.T) {
	drawn := 0
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			b := &blocksTrial{r: rand.New(rand.NewPCG(seed, 1))}
			b.run(t)
			drawn += len(b.seen)
		})
	}
	t.Log(drawn, "UIDs")
	require.Greater(t, drawn, 10_000)
}

type blocksTrial struct {
	r     *rand.Rand
	clock *fake.Clock
	w     *fake.Worker
	g     *cached.Generator
	lane  *cached.Lane
	lead  int64
	lag   time.Duration
	most  int // UIDs drawn in a row

	mu   sync.Mutex      // held by the worker, and to read high
	asks *rand.Rand      // the worker's
	high map[int64]int64 // the last tick that was granted under an ID

	seen    map[uid.UID]bool
	last    uid.UID   // of those that are in order
	began   time.Time // of the call
	newest  int64     // the last tick of a UID
	void    int64     // no tick below may be issued any more
	stepped bool      // the clock has jumped, so that UIDs may be late
}

// grant reserves a few ticks more, which seldom end with a block, under another ID now and then. An
// Extend, whose through is no negative one, fails now and then.
func (b *blocksTrial) grant(through int64) (uid.Reservation, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if through >= 0 && b.asks.IntN(10) == 0 {
		return uid.Reservation{}, fake.ErrDown
	}
	if b.asks.IntN(4) == 0 {
		b.w.ID = (b.w.ID + 1) % 50
	}
	var first int64
	clock := b.w.Terms.TickAt(b.clock.Now())
	if through < 0 {
		first = max(b.w.High+1, clock)
		b.w.High = first
	}
	b.w.High = max(b.w.High, through, clock) + b.asks.Int64N(12)
	b.high[b.w.ID] = b.w.High
	return uid.Reservation{WorkerID: b.w.ID, First: first, Last: b.w.High, Renew: b.w.High - b.asks.Int64N(6)}, nil
}

func (b *blocksTrial) run(t *testing.T) {
	r := b.r
	b.asks = rand.New(rand.NewPCG(r.Uint64(), 2))
	b.high, b.seen, b.newest = map[int64]int64{}, map[uid.UID]bool{}, -1
	b.clock = fake.NewClock(day.Add(time.Duration(r.IntN(64)) * time.Millisecond))
	b.w = &fake.Worker{
		OnAcquire: func(context.Context, uid.Terms) (uid.Reservation, error) { return b.grant(-1) },
		OnExtend:  func(_ context.Context, through int64) (uid.Reservation, error) { return b.grant(through) },
	}
	layout := bits.Config{TimeBits: 41, WorkerBits: 8, SequenceBits: r.IntN(4), Unit: time.Millisecond}
	cfg := cached.Config{
		Layout: bits.MustLayout(layout),
		Slots:  16 << r.IntN(3), MaxLag: time.Duration(1+r.IntN(40)) * time.Millisecond,
		RandomStart: r.IntN(2) == 0, PaddingFactor: 1 + r.IntN(99),
		Logger: slog.New(slog.DiscardHandler),
	}
	b.lead, b.lag = int64(r.IntN(30)), cfg.MaxLag
	cfg.MaxLead = max(1, time.Duration(b.lead)*time.Millisecond)
	steps := 20
	b.most = 5
	if r.IntN(8) != 0 { // waits end with naps, which take their time in a bubble, too
		cfg.OnRejectedTake, steps, b.most = uid.Fail, 200, 30
	}
	b.g = start(t, b.w, b.clock, cfg)
	b.lane = b.g.Lane()
	jumps := r.IntN(2) == 0
	for range steps {
		switch r.IntN(16) {
		case 0:
			time.Sleep(time.Duration(r.IntN(20_000)) * time.Microsecond)
		case 1:
			time.Sleep(time.Duration(r.IntN(1_000)) * time.Millisecond)
		case 2:
			if jumps {
				b.stepped = true
				b.clock.Step(time.Duration(r.IntN(100)-40) * time.Millisecond)
			}
		case 3:
			if r.IntN(4) == 0 {
				b.void = b.g.Health().Ring.Tail
				b.w.Terms.Revoke()
			}
		default:
			b.draw(t)
		}
		synctest.Wait()
	}
	require.NoError(t, b.g.Close())
	require.ErrorIs(t, errOf(b.g.GetUID()), uid.ErrClosed)
	require.Len(t, b.w.Released, 1)
	require.GreaterOrEqual(t, b.w.Released[0], b.newest)
	require.LessOrEqual(t, b.w.Released[0], b.w.High)
}

// draw draws some UIDs in one of the ways.
func (b *blocksTrial) draw(t *testing.T) {
	way, n := b.r.IntN(6), 1+b.r.IntN(b.most)
	if way == 5 {
		dst := make([]uid.UID, n)
		b.began = b.clock.Now()
		n, _ = b.g.Fill(dst)
		for _, u := range dst[:n] {
			b.check(t, u, true)
		}
		return
	}
	draw := []func() (uid.UID, error){
		b.g.GetUID, b.g.TryGetUID, func() (uid.UID, error) { return b.g.GetUIDContext(t.Context()) },
		b.lane.GetUID, b.g.Unordered().GetUID,
	}[way]
	for range n {
		b.began = b.clock.Now()
		u, err := draw()
		if err != nil {
			return
		}
		b.check(t, u, way < 3)
	}
}

func (b *blocksTrial) check(t *testing.T, u uid.UID, ordered bool) {
	p := parse(t, b.g, u)
	l := b.g.Layout()
	tick := l.TickAt(p.Time)
	b.mu.Lock()
	high, granted := b.high[p.WorkerID]
	b.mu.Unlock()
	// While no later tick is reserved, what is ready is withdrawn at the first look after MaxLag.
	late := b.lag + max(b.lag/2, time.Millisecond)
	for fault, is := range map[string]bool{
		"issued twice":   b.seen[u],
		"out of order":   ordered && u <= b.last,
		"withdrawn":      tick < b.void,
		"beyond MaxLead": tick > l.TickAt(b.clock.NeverBack(time.Time{}))+b.lead,
		"not reserved":   !granted || tick > high,
		"too far behind": !b.stepped && b.began.Truncate(time.Millisecond).Sub(p.Time) > late,
	} {
		if is {
			t.Errorf("%d %v is %s at %v; order %v, lag %v, last %d", u, p, fault, b.clock.Now(), ordered, b.lag, b.last)
		}
	}
	b.seen[u] = true
	b.newest = max(b.newest, tick)
	if ordered {
		b.last = u
	}
}

// TestCloseWithinABlock: the worker is told the last tick that was issued, not its block's.
func TestCloseWithinABlock(t *testing.T) {
	for ticks := range 10 {
		synctest.Test(t, func(t *testing.T) { // the clock stands, so that no tick is skipped
			w := &fake.Worker{}
			g := start(t, w, fake.NewClock(day), cached.Config{Layout: millis, MaxLead: cached.Unbounded, Slots: 32})
			dst := make([]uid.UID, 16*ticks+3)
			require.NoError(t, errOf(g.Fill(dst)))
			require.NoError(t, g.Close())
			require.Equal(t, []int64{millis.TickAt(parse(t, g, dst[len(dst)-1]).Time)}, w.Released)
		})
	}
}

// TestRejectedPutsOfBlocks: of a ring of 8 blocks of 4 ticks, at the end of a block 7 are free. So
// it has room for the clock's own tick if MaxLag is 28 ticks, and not if it is 29.
func TestRejectedPutsOfBlocks(t *testing.T) {
	for lag, want := range map[int64]bool{27: false, 28: false, 29: true} {
		synctest.Test(t, func(t *testing.T) {
			begin := millis.TickAt(day) | 3
			var tick atomic.Int64
			tick.Store(begin)
			g := start(t, &fake.Worker{}, nil, cached.Config{
				Layout: millis, Slots: 32, MaxLag: time.Duration(lag) * time.Millisecond,
				Now: func() time.Time { return millis.TimeOf(tick.Load()) },
			})
			for range 2 {
				require.Equal(t, begin, millis.TickAt(parse(t, g, next(t, g.GetUID)).Time))
				synctest.Wait() // or else the refiller could see the clock first, and skip ticks
				tick.Store(begin + lag)
			}
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
			require.Equal(t, want, g.Health().Counts[count.RejectedPuts] > 0, "MaxLag of %d ticks", lag)
		})
	}
}

// TestUsableWhileAWorkerChangesInABlock: ticks under another worker ID wait until those of their
// block are used up. Until then none is lost or late, and none is passed over.
func TestUsableWhileAWorkerChangesInABlock(t *testing.T) {
	for end := range int64(8) {
		synctest.Test(t, func(t *testing.T) {
			begin := millis.TickAt(day)
			w := fake.Giving(uid.Reservation{WorkerID: 1, First: begin, Last: begin + end, Renew: begin})
			filled := make(chan struct{})
			w.OnExtend = func(context.Context, int64) (uid.Reservation, error) {
				<-filled
				return uid.Reservation{WorkerID: 2, First: begin, Last: begin + 100, Renew: begin + 100}, nil
			}
			g := start(t, w, fake.NewClock(day), cached.Config{Layout: millis, MaxLead: cached.Unbounded, Slots: 32})
			close(filled)
			synctest.Wait()
			for i := range 16 * 60 {
				p := parse(t, g, next(t, g.TryGetUID))
				tick := begin + int64(i/16)
				id := int64(1)
				if tick > begin+end {
					id = 2
				}
				got := [3]int64{millis.TickAt(p.Time), p.WorkerID, p.Sequence}
				require.Equal(t, [3]int64{tick, id, int64(i % 16)}, got)
			}
			require.Zero(t, g.Health().Counts[count.Lost])
		})
	}
}
