package cached_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/telemetry"
)

// TestIdleUpToTheTail: the clock comes to just the tick that is the next to be put, when
// all that is in the ring is stale.
func TestIdleUpToTheTail(t *testing.T) {
	for idle := range 20 {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(day.Add(time.Millisecond))
			var reads atomic.Int64
			g := start(t, &fake.Worker{}, nil, cached.Config{Now: func() time.Time {
				reads.Add(1)
				return clock.Now()
			}})
			synctest.Wait() // so that it is not by chance when the ring is at its last tick
			next(t, g.GetUID)
			time.Sleep(time.Duration(idle) * time.Second)
			synctest.Wait()
			reads.Store(0)
			u, err := g.TryGetUID()
			require.NoError(t, err, "after %d s", idle)
			require.LessOrEqual(t, reads.Load(), int64(2), "one look is enough, and one for the goroutine it wakes")
			require.Equal(t, clock.Now().Truncate(time.Second).UTC(), parse(t, g, u).Time.UTC())
		})
	}
}

// TestLagIsBounded draws at rates at which the generator never becomes idle, and at some at which it does.
func TestLagIsBounded(t *testing.T) {
	for _, layout := range []bits.Layout{bits.Default(), bits.MustParseLayout("twitter"), millis} {
		for _, maxLag := range []time.Duration{max(5*time.Millisecond, layout.Unit()), time.Second, 3 * time.Second} {
			for _, pause := range []time.Duration{
				1300 * time.Microsecond, 90 * time.Millisecond, 1700 * time.Millisecond, time.Minute,
			} {
				synctest.Test(t, func(t *testing.T) {
					clock := fake.NewClock(day.Add(time.Millisecond))
					g := start(t, &fake.Worker{}, clock, cached.Config{Layout: layout, MaxLag: maxLag})
					draws := []func() (uid.UID, error){g.GetUID, g.Lane().GetUID, g.Unordered().GetUID}
					for i := range 2000 {
						u := next(t, draws[i%3])
						lag := clock.Now().Truncate(layout.Unit()).Sub(parse(t, g, u).Time)
						require.LessOrEqual(t, lag, maxLag, "%v, every %v", layout, pause)
						require.GreaterOrEqual(t, lag, time.Duration(0))
						if pause == time.Minute {
							require.Zero(t, lag, "after an idle minute")
						}
						time.Sleep(pause)
					}
				})
			}
		}
	}
}

// TestAnIdleGeneratorDoesNotWake counts how often the clock is read, which is once each
// time the generator looks after its ring.
func TestAnIdleGeneratorDoesNotWake(t *testing.T) {
	for _, layout := range []bits.Layout{bits.Default(), bits.MustParseLayout("twitter")} {
		synctest.Test(t, func(t *testing.T) {
			var reads atomic.Int64
			clock := fake.NewClock(day)
			g := start(t, &fake.Worker{}, nil, cached.Config{Layout: layout, Now: func() time.Time {
				reads.Add(1)
				return clock.Now()
			}})
			next(t, g.GetUID)
			time.Sleep(5 * time.Second)
			reads.Store(0)
			time.Sleep(time.Hour)
			require.Zero(t, reads.Load())
			next(t, g.GetUID)
			time.Sleep(time.Hour)
			require.Less(t, reads.Load(), int64(12))
		})
	}
}

// TestLeadIsBounded: a burst gets the tick of now and MaxLead ticks more, and not one
// UID beyond; from then on, a run for every tick of the clock.
func TestLeadIsBounded(t *testing.T) {
	for _, layout := range []bits.Layout{bits.Default(), millis} {
		for _, leadTicks := range []int64{0, 1, 3, 20} {
			synctest.Test(t, func(t *testing.T) {
				unit, run := layout.Unit(), layout.MaxSequence()+1
				clock := fake.NewClock(day)
				g := start(t, &fake.Worker{}, clock, cached.Config{
					Layout: layout, MaxLead: time.Duration(leadTicks)*unit + unit/2,
				})
				drain := func() (n int64) {
					for {
						u, err := g.TryGetUID()
						if err != nil {
							require.ErrorIs(t, err, uid.ErrRejectedTake)
							return n
						}
						ahead := parse(t, g, u).Time.Sub(clock.Now())
						require.LessOrEqual(t, ahead, time.Duration(leadTicks)*unit)
						n++
					}
				}
				require.Equal(t, (leadTicks+1)*run, drain())
				require.Equal(t, time.Duration(leadTicks)*unit, g.Health().Lead.Now.Duration)
				for range 3 {
					time.Sleep(unit)
					// The one take that was rejected had claimed a position; it is the hole.
					require.InDelta(t, run, drain(), 1)
				}
				time.Sleep(100 * unit)
				require.InDelta(t, (leadTicks+1)*run, drain(), 1)
				require.NotZero(t, g.Health().Counts[telemetry.RejectedTakes])
			})
		}
	}
}

func TestClockStepsBack(t *testing.T) {
	for _, back := range []time.Duration{time.Millisecond, time.Second, time.Hour, 20 * 24 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			clock := fake.NewClock(day)
			g := start(t, &fake.Worker{}, clock, cached.Config{MaxLead: 2 * time.Second})
			last := next(t, g.GetUID)
			clock.Step(-back)
			// What the layout sustains goes on, by the time that passes and without a stall.
			began := time.Now()
			for range 60 {
				for range 8192 {
					u := next(t, g.GetUID)
					require.Greater(t, u, last)
					last = u
				}
				time.Sleep(time.Second)
			}
			require.Less(t, time.Since(began), 62*time.Second)
			// The lead is given back as the clock comes up again.
			time.Sleep(back)
			u := next(t, g.GetUID)
			require.Greater(t, u, last)
			require.WithinDuration(t, clock.Now(), parse(t, g, u).Time, 3*time.Second)
		})
	}
}

func TestClockStepsForward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := fake.NewClock(day)
		g := start(t, &fake.Worker{}, clock, cached.Config{})
		lane := g.Lane()
		for range 5 {
			before := []uid.UID{next(t, g.GetUID), next(t, lane.GetUID)}
			clock.Step(time.Hour)
			time.Sleep(time.Second + time.Millisecond) // a running generator looks once a second
			for i, draw := range []func() (uid.UID, error){g.GetUID, lane.GetUID} {
				u := next(t, draw)
				require.Greater(t, u, before[i])
				require.WithinDuration(t, clock.Now(), parse(t, g, u).Time, 2*time.Second)
			}
		}
	})
}

// short is a layout whose time field is full soon after day.
var short = bits.MustLayout(bits.Config{TimeBits: 23, WorkerBits: 3, SequenceBits: 6, Epoch: day.AddDate(0, 0, -50)})

// TestEndOfTheTimeField: the last tick is used to its end, and nothing comes behind it.
func TestEndOfTheTimeField(t *testing.T) {
	epoch := day.Add(-190 * 24 * time.Hour)
	ones := bits.MustLayout(bits.Config{TimeBits: 34, WorkerBits: 29, Unit: time.Millisecond, Epoch: epoch})
	// Tick and sequence take all of 63 bits: positions behind the last tick do not fit into 63 bits any more.
	allBits := bits.MustLayout(bits.Config{TimeBits: 59, SequenceBits: 4, Unit: time.Nanosecond})
	longest := bits.MustLayout(bits.Config{TimeBits: 63, Unit: time.Millisecond})
	for _, c := range []struct {
		layout bits.Layout
		ticks  int64 // that are left
		lead   time.Duration
	}{
		{short, 12, cached.Unbounded}, {short, 12, time.Second}, {allBits, 1, cached.Unbounded},
		{longest, 5, cached.Unbounded}, {ones, 20, cached.Unbounded}, {ones, 1, cached.Unbounded},
	} {
		synctest.Test(t, func(t *testing.T) {
			l, id, run := c.layout, c.layout.MaxWorkerID(), c.layout.MaxSequence()+1
			first := l.MaxTick() - c.ticks + 1
			g := start(t, &fake.Worker{ID: id}, fake.NewClock(l.TimeOf(first)), cached.Config{
				Layout: l, MaxLead: c.lead, Expiry: bits.Expiry{Refuse: -1, Warn: -1},
			})
			requireUID := func(i int64, got uid.UID) {
				want, err := l.Compose(first+i/run, id, i%run)
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			for i := range (c.ticks - 1) * run {
				requireUID(i, next(t, g.GetUID))
			}
			synctest.Wait() // all is published
			dst := make([]uid.UID, 2*run)
			n, err := g.Fill(dst)
			require.ErrorIs(t, err, uid.ErrExhausted)
			require.EqualValues(t, run, n)
			for i, u := range dst[:n] {
				requireUID((c.ticks-1)*run+int64(i), u)
			}
			draws := []func() (uid.UID, error){
				g.GetUID, g.TryGetUID, g.Lane().GetUID, g.Unordered().GetUID,
				func() (uid.UID, error) { return g.GetUIDContext(t.Context()) },
			}
			for range 3 {
				for range 100 {
					for _, draw := range draws {
						u, err := draw()
						require.ErrorIs(t, err, uid.ErrExhausted)
						require.Zero(t, u)
					}
					require.ErrorIs(t, errOf(g.Fill(dst)), uid.ErrExhausted)
				}
				time.Sleep(time.Hour)
			}
		})
	}
}
