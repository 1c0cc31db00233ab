package conformance

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/presets"
)

// A Subject is a kind of generator that issues ticks under a worker ID.
type Subject struct {
	Name string // its package's, with which errors begin
	New  func(uid.Worker, Config) (Generator, error)
	// More are further ways to draw, nil for none. Their UIDs need not be in order.
	More func(Generator) []func() (uid.UID, error)
	// GoesOn says that calls are served while the clock is behind.
	GoesOn bool
}

// A Parser splits UIDs by its own layout.
type Parser interface {
	ParseUID(u uid.UID) (uid.Parts, error)
}

// A Generator is one on a worker.
type Generator interface {
	uid.Generator
	Parser
	health.Reporter
}

// Config is what all kinds can be told.
type Config struct {
	Layout      bits.Layout
	After       uid.UID
	RandomStart bool
	Expiry      bits.Expiry
	Logger      *slog.Logger
	Now         func() time.Time
	// Lead is how far ahead of the clock UIDs may be, for kinds that allow it: less than a tick if it is 0.
	Lead time.Duration
}

// Day is when clocks start: on a boundary of every unit in these tests.
var Day = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// Layouts are made here, outside of synctest bubbles, where it is the year 2000 and every epoch in the future.
var (
	// Sixteen are ticks of a millisecond with 16 UIDs each.
	Sixteen = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 4, Unit: time.Millisecond})
	seconds = bits.MustLayout(bits.Config{TimeBits: 28, WorkerBits: 22, SequenceBits: 13})
)

// Worker tests what holds for generators on a worker, after Every and Waiting.
func Worker(t *testing.T, s Subject) {
	t.Run("Every", func(t *testing.T) {
		Every(t, func(t testing.TB) uid.Generator {
			return s.start(t, fake.Endless(5), Config{Layout: bits.MustParseLayout("twitter"), Lead: math.MaxInt64})
		})
	})
	t.Run("Waiting", func(t *testing.T) {
		Waiting(t, time.Millisecond, func(t testing.TB) uid.Generator { return s.full(t, fake.NewClock(Day)) })
	})
	for name, test := range map[string]func(Subject, *testing.T){
		"Refused": Subject.refused, "Floor": Subject.floorRefused, "Expiry": Subject.expiry, "Layouts": Subject.layouts,
		"LastTick": Subject.lastTick, "Crowd": Subject.crowdAtTheBound,
	} {
		t.Run(name, func(t *testing.T) { test(s, t) })
	}
	for name, test := range map[string]func(Subject, *testing.T){
		"After": Subject.after, "RandomStart": Subject.randomStart,
		"CloseGivesUp": Subject.closeGivesUp, "WorkerPanics": Subject.workerPanics, "WorkerExits": Subject.workerExits,
		"Outage":   Subject.outage,
		"OnItsWay": Subject.onItsWay, "Revoked": Subject.revoked, "AnotherID": Subject.anotherID,
		"FirstTick": Subject.firstTick,
		"Health":    Subject.health, "HealthFinds": Subject.healthFinds,
		"HealthChangesNothing": Subject.healthChangesNothing,
		"FirstComeFirstServed": Subject.firstComeFirstServed, "ServedUnseen": Subject.servedUnseen,
		"GivingUp": Subject.givingUp, "FillTakesTurns": Subject.fillTakesTurns,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(s, t) })
		})
	}
}

// start makes a generator that is closed when the test ends, and logs nothing if it is not told where.
func (s Subject) start(t testing.TB, w uid.Worker, cfg Config) Generator {
	t.Helper()
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	g, err := s.New(w, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { _ = g.Close() })
	return g
}

// at makes one whose clock the test sets, which is the worker's, too.
func (s Subject) at(t testing.TB, clock *fake.Clock, w *fake.Worker, cfg Config) Generator {
	t.Helper()
	w.Now, cfg.Now = clock.Now, clock.Now
	return s.start(t, w, cfg)
}

// more are the further ways.
func (s Subject) more(g Generator) (all []draw) {
	if s.More != nil {
		for _, get := range s.More(g) {
			all = append(all, single(get))
		}
	}
	return all
}

func parts(t testing.TB, g Generator, u uid.UID) uid.Parts {
	t.Helper()
	p, err := g.ParseUID(u)
	require.NoError(t, err)
	return p
}

func next(t testing.TB, g Generator) uid.Parts {
	t.Helper()
	u, err := g.GetUID()
	require.NoError(t, err)
	return parts(t, g, u)
}

// refused: New returns the worker's error and leaves nothing behind. What was not acquired is not released, and
// serves the next generator; what was is.
func (s Subject) refused(t *testing.T) {
	cfg := Config{Logger: slog.New(slog.DiscardHandler)}
	_, err := s.New(nil, cfg)
	logtest.Error(t, err, uid.ErrConfig, s.Name+": unusable configuration: nil worker")
	_, err = s.New((*fake.Worker)(nil), cfg)
	logtest.Error(t, err, uid.ErrConfig, s.Name+": unusable configuration: nil worker")

	w := fake.Endless(1)
	w.Fail = fake.ErrDown
	_, err = s.New(w, cfg)
	require.ErrorIs(t, err, fake.ErrDown)
	require.EqualError(t, err, s.Name+": acquiring the worker: "+fake.ErrDown.Error())
	require.Empty(t, w.Released)
	w.Fail = nil
	g := s.start(t, w, cfg)
	require.NoError(t, g.Close())
	require.Equal(t, []int64{-1}, w.Released)

	w = fake.Endless(1 << 22)
	_, err = s.New(w, cfg)
	logtest.Error(t, err, uid.ErrRange, "4194304", "4194303")
	require.Equal(t, []int64{-1}, w.Released)

	w.ID = 1
	w.FailRelease = errors.New("disk is full")
	g = s.start(t, w, cfg)
	require.EqualError(t, g.Close(), s.Name+": releasing the worker: disk is full")
	require.NoError(t, g.Close())
}

// floorRefused: a floor out of reach is refused, with the numbers, and the worker is not asked.
func (s Subject) floorRefused(t *testing.T) {
	l := Sixteen
	at := func(ahead time.Duration) uid.UID {
		u, err := l.Compose(l.TickAt(Day.Add(ahead)), 3, 2)
		require.NoError(t, err)
		return u
	}
	last, err := l.Compose(l.MaxTick(), 3, 2)
	require.NoError(t, err)
	cfg := Config{Layout: l, Lead: 2 * time.Minute, Now: fake.NewFrozenClock(Day).Now}
	for says, c := range map[string]struct {
		after uid.UID
		is    error
	}{
		"After -5 is negative":   {-5, uid.ErrConfig},
		"it lies in tick 219902": {last, uid.ErrRange},
		"no tick of the layout":  {1 << 62, uid.ErrRange},
		"12:02:00.001Z, 2m0.001s ahead of the clock; 2m0s is allowed": {at(2 * time.Minute), uid.ErrRange},
	} {
		w := fake.Endless(0)
		cfg.After = c.after
		_, err := s.New(w, cfg)
		logtest.Error(t, err, c.is, says)
		require.Empty(t, w.Terms.Layout)
	}
	w := fake.Endless(0)
	cfg.After = at(2*time.Minute - time.Millisecond)
	s.start(t, w, cfg)
	require.Equal(t, l.TickAt(Day.Add(2*time.Minute)), w.Terms.MinTick)
}

// after: no UID is at or below the floor, by whatever way it is drawn and whatever the clock shows. They begin as
// soon as the clock has passed it, if not at once.
func (s Subject) after(t *testing.T) {
	l := Sixteen
	for _, ticks := range []time.Duration{-1, 0, 1, 7, 100} {
		ahead := ticks * time.Millisecond
		clock := fake.NewClock(Day)
		after, err := l.Compose(l.TickAt(Day.Add(ahead)), l.MaxWorkerID(), l.MaxSequence())
		require.NoError(t, err)
		g := s.at(t, clock, fake.Endless(1), Config{Layout: l, After: after, Lead: 2 * time.Minute})
		all := append([]draw{single(g.TryGetUID), single(g.TryGetUID), filling(t.Context(), g, 5)}, s.more(g)...)
		passed, first := false, uid.UID(0)
		for step := range 300 {
			for _, draw := range all {
				got, err := draw()
				if err != nil {
					require.True(t, errors.Is(err, uid.ErrClockBack) || errors.Is(err, uid.ErrRejectedTake), err)
					require.True(t, passed || time.Duration(step)*time.Millisecond <= ahead+time.Millisecond)
				}
				for _, u := range got {
					require.True(t, u > after || err != nil)
					if first == 0 && err == nil {
						first = u
						began := Day.Add(max(0, ahead+time.Millisecond))
						require.Equal(t, began, parts(t, g, u).Time, "neither sooner nor later")
					}
				}
			}
			passed = passed || step == 200
			if step == 200 {
				clock.Step(-time.Hour)
			}
			clock.Step(time.Millisecond)
		}
		require.NoError(t, g.Close())
	}
}

// expiry: New minds the end of the time field, says so, and does not acquire the worker in vain.
func (s Subject) expiry(t *testing.T) {
	l := bits.Default()
	for now, is := range map[time.Time]error{
		l.Expires().AddDate(0, 0, -20): uid.ErrExhausted, l.Expires().Add(time.Hour): uid.ErrExhausted,
		l.Epoch().Add(-time.Second): uid.ErrRange,
	} {
		w := fake.Endless(1)
		_, err := s.New(w, Config{Now: fake.NewFrozenClock(now).Now})
		require.ErrorIs(t, err, is)
		require.Empty(t, w.Terms.Layout)
	}
	for _, warns := range []bool{true, false} {
		var log logtest.Records
		cfg := Config{Expiry: bits.Expiry{Refuse: 24 * time.Hour}, Logger: log.Logger()}
		cfg.Now = fake.NewFrozenClock(l.Expires().AddDate(0, 0, -20)).Now
		if !warns {
			cfg.Expiry.Warn = -1
		}
		g := s.start(t, fake.Endless(1), cfg)
		require.Equal(t, warns, g.Health().TimeField.Ending)
		require.Equal(t, l.Expires().UTC(), g.Health().TimeField.Expires)
		require.Equal(t, warns, log.Count("2034-07-04") == 1, log.String())
	}
}

// layouts: every layout can be used, to its last worker ID and its last sequence.
func (s Subject) layouts(t *testing.T) {
	all := []bits.Layout{Sixteen, seconds}
	for _, p := range presets.Layouts() {
		all = append(all, bits.MustParseLayout(p.Name))
	}
	for _, text := range []string{
		"53/0/0", "63ns/0/0", "41ms/0/22", "1/62/0", "28/22/0", "28h/3/1", "20m/20/3", "35/0/28", "35/14/14", "28/1/1",
		"45ms/6/2",
		"39/8/16 unit=10ms epoch=2014-09-01T00:00:00Z", "41ms/10/12 fields=datacenter:5,worker:5",
		"33/4/15", "1/0/62", "30/3/30 epoch=2020-01-01T00:00:00.25Z",
	} {
		l, err := bits.ParseLayout(text)
		require.NoError(t, err)
		all = append(all, l)
	}
	for _, l := range all {
		t.Run(l.String(), func(t *testing.T) {
			now := l.Epoch().Add(min(l.Unit()*3/2, 90*time.Minute))
			cfg := Config{Layout: l, Expiry: bits.Expiry{Refuse: -1, Warn: -1}, Now: fake.NewFrozenClock(now).Now}
			g := s.start(t, fake.Endless(l.MaxWorkerID()), cfg)
			require.Positive(t, min(g.Health().TimeField.Remaining.Duration, g.Health().Reservation.Remaining.Duration))
			for i := range min(l.MaxSequence(), 20) + 1 {
				u, err := g.TryGetUID()
				require.NoError(t, err)
				want, err := l.Compose(l.TickAt(now), l.MaxWorkerID(), i)
				require.NoError(t, err)
				require.Equal(t, want, u)
			}
		})
	}
}

// randomStart spreads UIDs that are drawn at a low rate.
func (s Subject) randomStart(t *testing.T) {
	for _, random := range []bool{true, false} {
		g := s.at(t, fake.NewClock(Day), fake.Endless(7), Config{Layout: seconds, RandomStart: random})
		var shards [16]int
		upper := 0
		for range 1600 {
			first := next(t, g).Sequence
			require.Less(t, first, int64(4096))
			require.Equal(t, first+1, next(t, g).Sequence)
			shards[first%16]++
			upper += int(first >> 11)
			time.Sleep(2500 * time.Millisecond)
		}
		if !random {
			require.Equal(t, 1600, shards[0])
			require.Zero(t, upper)
			continue
		}
		require.InDelta(t, 800, upper, 200)
		for i, n := range shards {
			require.InDelta(t, 100, n, 60, "shard %d of %v", i, shards)
		}
	}
}

// closeGivesUp: a worker that does not return, whatever its context, cannot hold up a program's end. It is released
// all the same, when it lets itself be.
func (s Subject) closeGivesUp(t *testing.T) {
	for _, c := range []struct {
		call  string
		limit time.Duration // of CloseContext, or 0 for Close
	}{{"Extend", 0}, {"Release", 0}, {"Extend", 3 * time.Second}} {
		clock := fake.NewClock(Day)
		until := make(chan struct{})
		w := &fake.Worker{ID: 1, Window: 60, Before: func(method string) {
			if method == c.call {
				<-until
			}
		}}
		g := s.at(t, clock, w, Config{Layout: seconds})
		last, more := next(t, g), s.more(g)
		time.Sleep(45 * time.Second) // a renewal is due
		began, least := time.Now(), c.limit
		var err error
		if c.limit == 0 {
			least = 30 * time.Second
			err = g.Close()
		} else {
			ctx, cancel := context.WithTimeout(t.Context(), c.limit)
			defer cancel()
			err = g.CloseContext(ctx)
		}
		logtest.Error(t, err, context.DeadlineExceeded,
			s.Name+": releasing the worker: the worker's "+c.call+" has not returned")
		require.GreaterOrEqual(t, time.Since(began), least)
		requireFails(t, g, more, uid.ErrClosed)
		require.NoError(t, g.Close(), "again")
		require.Less(t, time.Since(began), least+time.Second)
		require.Empty(t, w.Released)
		close(until)
		synctest.Wait()
		require.Equal(t, []int64{seconds.TickAt(last.Time)}, w.Released)
	}
}

// workerPanics: a worker's panic is an error, and the generator lives on.
func (s Subject) workerPanics(t *testing.T) {
	var log logtest.Records
	var broken atomic.Bool
	broken.Store(true)
	w := &fake.Worker{ID: 1, Window: 60, Before: func(method string) {
		switch {
		case method == "Extend" && broken.Load():
			panic("no such column")
		case method == "Release":
			panic("no such row")
		}
	}}
	g := s.at(t, fake.NewClock(Day), w, Config{Layout: seconds, Logger: log.Logger()})
	time.Sleep(70 * time.Second)
	_, err := g.GetUID()
	logtest.Error(t, err, uid.ErrNoReservation, "the worker's Extend panicked: no such column")
	require.Contains(t, g.Health().Failing.Error, "no such column")
	broken.Store(false)
	time.Sleep(10 * time.Second)
	next(t, g)
	require.EqualError(t, g.Close(), s.Name+": releasing the worker: the worker's Release panicked: no such row")
	require.Equal(t, 2, log.Count("a worker or store panicked"), log.String())
	require.Contains(t, log.String(), "worker.go", "the stack")
}

// workerExits: a worker that ends the goroutine that calls it is called by another one.
func (s Subject) workerExits(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	w := &fake.Worker{ID: 1, Window: 60, Before: func(method string) {
		if method == "Extend" && broken.Load() {
			runtime.Goexit()
		}
	}}
	g := s.at(t, fake.NewClock(Day), w, Config{Layout: seconds})
	time.Sleep(70 * time.Second)
	_, err := g.GetUID()
	logtest.Error(t, err, uid.ErrNoReservation, "the worker's Extend ended its goroutine")
	broken.Store(false)
	time.Sleep(10 * time.Second)
	next(t, g)
	require.NoError(t, g.Close())
}

// lastTick: no UID that a call gets beside Close is of a later tick than the one that Close tells the worker.
// The next holder of the worker ID begins right after that.
func (s Subject) lastTick(t *testing.T) {
	layout := bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 19, SequenceBits: 1, Unit: time.Millisecond})
	for range fake.Rounds(500) {
		w := fake.Endless(7)
		var clock, newest atomic.Int64 // ticks
		clock.Store(layout.TickAt(Day))
		now := func() time.Time { return layout.TimeOf(clock.Add(1)) }
		g := s.start(t, w, Config{Layout: layout, Lead: math.MaxInt64, Now: now})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				u, err := g.GetUID()
				if err != nil {
					return // closed
				}
				tick, _ := layout.Tick(u)
				newest.Store(tick)
			}
		}()
		for first := clock.Load(); newest.Load() < first+100; { // calls are under way
			runtime.Gosched()
		}
		require.NoError(t, g.Close())
		<-ended
		require.Len(t, w.Released, 1)
		require.GreaterOrEqual(t, w.Released[0], newest.Load())
	}
}

// outage: one that is shorter than what is reserved is not noticed. A longer one is an error that says why, and goes
// by itself.
func (s Subject) outage(t *testing.T) {
	clock := fake.NewClock(Day)
	w := &fake.Worker{Window: 60}
	g := s.at(t, clock, w, Config{Layout: seconds})
	more := s.more(g)
	all := append(draws(t.Context(), g), more...)
	w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
	for range 55 {
		for _, draw := range all {
			_, err := draw()
			require.NoError(t, err)
		}
		time.Sleep(time.Second)
	}
	time.Sleep(10 * time.Second)
	began := time.Now()
	requireFails(t, g, more, uid.ErrNoReservation)
	requireFails(t, g, more, fake.ErrDown)
	require.Zero(t, time.Since(began), "calls wait")
	require.Equal(t, fake.ErrDown.Error(), g.Health().Failing.Error)
	require.Equal(t, Day.Add(61*time.Second), g.Health().Reservation.Until)
	w.Set(func(w *fake.Worker) { w.Fail = nil })
	time.Sleep(10 * time.Second)
	for _, draw := range all {
		got, err := draw()
		require.NoError(t, err)
		require.Equal(t, clock.Now().Truncate(time.Second), parts(t, g, got[0]).Time)
	}
	require.Nil(t, g.Health().Failing)
	require.WithinDuration(t, clock.Now().Add(60*time.Second), g.Health().Reservation.Until, 10*time.Second)
}

// hold makes a worker's Extend wait until a channel is closed, or its context ends.
func hold(w *fake.Worker) (until chan struct{}) {
	until = make(chan struct{})
	w.Set(func(w *fake.Worker) {
		w.OnExtend = func(ctx context.Context, through int64) (uid.Reservation, error) {
			select {
			case <-until:
				return w.Answer(through)
			case <-ctx.Done():
				return uid.Reservation{}, ctx.Err()
			}
		}
	})
	return until
}

// onItsWay: calls wait for a reservation that is on its way, as long as their contexts and the generator last.
func (s Subject) onItsWay(t *testing.T) {
	tick := seconds.TickAt(Day)
	w := fake.Giving(uid.Reservation{WorkerID: 7, First: tick, Last: tick, Renew: math.MaxInt64})
	until := hold(w)
	g := s.at(t, fake.NewClock(Day), w, Config{Layout: seconds})
	require.Equal(t, Day, next(t, g).Time)
	time.Sleep(3 * time.Second)
	_, err := g.TryGetUID()
	require.ErrorIs(t, err, uid.ErrNoReservation)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = g.GetUIDContext(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	w.Give(uid.Reservation{WorkerID: 7, First: tick, Last: tick + 7, Renew: math.MaxInt64}, nil)
	time.AfterFunc(time.Second, func() { close(until) })
	require.Equal(t, Day.Add(5*time.Second), next(t, g).Time)

	hold(w)
	time.Sleep(5 * time.Second)
	time.AfterFunc(time.Second, func() { _ = g.Close() })
	_, err = g.GetUID()
	require.ErrorIs(t, err, uid.ErrClosed)
	synctest.Wait()
	require.Equal(t, []int64{tick + 5}, w.Released)
}

// revoked: nothing leaves once Revoke has returned, by whatever way, until the worker has spoken again. Late words
// of a worker change nothing.
func (s Subject) revoked(t *testing.T) {
	w := &fake.Worker{ID: 3, Window: 600}
	g := s.at(t, fake.NewClock(Day), w, Config{Layout: seconds})
	last, more := uid.UID(0), s.more(g)
	for _, draw := range append(draws(t.Context(), g), more...) {
		all, err := draw()
		require.NoError(t, err)
		last = max(last, all[len(all)-1])
	}
	w.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
	w.Terms.Revoke()
	requireFails(t, g, more, uid.ErrNoReservation)
	require.Zero(t, g.Health().Reservation.Until)
	require.Zero(t, g.Health().Buffered)
	w.Set(func(w *fake.Worker) { w.Fail = nil })
	time.Sleep(10 * time.Second)
	require.Greater(t, next(t, g).UID, last)
	for _, draw := range more {
		_, err := draw()
		require.NoError(t, err)
	}
	require.NoError(t, g.Close()) // with UIDs in the hands of Lanes
	requireFails(t, g, more, uid.ErrClosed)
	w.Terms.Revoke()
	requireFails(t, g, more, uid.ErrClosed)
	require.Zero(t, g.Health().Reservation.Until)
}

// anotherID: under another worker ID, even a smaller one, UIDs begin with a later tick.
func (s Subject) anotherID(t *testing.T) {
	for _, revoked := range []bool{true, false} {
		clock := fake.NewClock(Day)
		w := &fake.Worker{ID: 7, Window: 10}
		g := s.at(t, clock, w, Config{Layout: seconds})
		last := next(t, g)
		require.EqualValues(t, 7, last.WorkerID)
		w.Set(func(w *fake.Worker) { w.ID = 2 })
		if revoked {
			w.Terms.Revoke()
			last = next(t, g)
			require.Equal(t, uid.Parts{UID: last.UID, Time: Day.Add(time.Second), WorkerID: 2}, last)
		}
		for range 20 {
			time.Sleep(time.Second)
			p := next(t, g)
			require.Greater(t, p.UID, last.UID)
			last = p
		}
		require.EqualValues(t, 2, last.WorkerID)
		require.EqualValues(t, 2, g.Health().Reservation.WorkerID)
		require.NoError(t, g.Close())
	}
}

// firstTick: UIDs begin with the first tick that is reserved.
func (s Subject) firstTick(t *testing.T) {
	tick := seconds.TickAt(Day)
	for _, lead := range []time.Duration{0, time.Minute} {
		w := fake.Giving(uid.Reservation{First: tick + 21, Last: tick + 100, Renew: tick + 100})
		g := s.at(t, fake.NewClock(Day), w, Config{Layout: seconds, Lead: lead})
		u, err := g.GetUID()
		if errors.Is(err, uid.ErrClockBack) {
			time.Sleep(21 * time.Second)
			u, err = g.GetUID()
		}
		require.NoError(t, err)
		require.Equal(t, Day.Add(21*time.Second), parts(t, g, u).Time)
		require.NoError(t, g.Close())
	}
}
