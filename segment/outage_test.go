package segment_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/worker"
)

// TestOutage draws ten numbers a second while the store is down.
func TestOutage(t *testing.T) {
	// Without LossyStore an attempt ends at the inspection, once the last one is an hour old.
	cfg := segment.Config{MaxStep: 1e6, Lasting: 15 * time.Minute, LossyStore: true}
	bubble(t, cfg, func(t *testing.T, h *house, g *segment.Generator) {
		draw := func() error {
			time.Sleep(100 * time.Millisecond)
			return errOf(g.GetUID())
		}
		for began := time.Now(); time.Since(began) < 2*time.Hour; {
			require.NoError(t, draw())
		}
		require.Zero(t, h.log.String())
		h.Outage(true)
		down := time.Now()
		calls := h.calls.Load()
		var err error
		for err = draw(); err == nil; err = draw() {
		}
		lasted := time.Since(down)
		require.Greater(t, lasted, 15*time.Minute)
		require.ErrorIs(t, err, uid.ErrNoReservation)
		require.NotNil(t, g.Health().Failing)
		require.Equal(t, 1, h.log.Count(`level=INFO msg="uid: no numbers can be taken"`), "more than a minute is left")
		require.Equal(t, 1, h.log.Count(`level=INFO msg="uid: half of the numbers are left`))
		require.Equal(t, 1, h.log.Count(" left=1"), h.log.String())
		require.Equal(t, 1, h.log.Count("level=ERROR"), "when none are left")

		for range 1000 {
			began := time.Now()
			require.ErrorIs(t, errOf(g.GetUID()), uid.ErrNoReservation)
			require.Zero(t, time.Since(began), "calls fail at once")
		}
		time.Sleep(time.Hour)
		passed := time.Since(down)
		require.LessOrEqual(t, h.calls.Load()-calls, int64(passed/time.Second)+10, "attempts, about one in 1.5 s")
		require.Equal(t, 1, h.log.Count("level=ERROR"))

		h.Outage(false)
		calls = h.calls.Load()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 1, h.calls.Load()-calls, "numbers are taken again without a call that asks")
		require.NoError(t, draw())
		require.Equal(t, 1, h.log.Count(`level=INFO msg="uid: numbers are taken again"`))
		require.Nil(t, g.Health().Failing)
	})
}

// An outage that begins with less than a minute left is a warning at once, and so is its half.
func TestOutageWithinTheLastMinute(t *testing.T) {
	bubble(t, segment.Config{MaxStep: 1000}, func(t *testing.T, h *house, g *segment.Generator) {
		for range 5100 {
			next(t, g)
			time.Sleep(50 * time.Millisecond)
		}
		require.Zero(t, h.log.String())
		h.Outage(true)
		for errOf(g.TryGetUID()) == nil {
			time.Sleep(50 * time.Millisecond)
		}
		for _, told := range []string{
			`level=WARN msg="uid: no numbers can be taken"`,
			`level=WARN msg="uid: half of the numbers are left, and still none can be taken"`,
			`level=ERROR msg="uid: no numbers are left, and none can be taken: calls fail"`,
		} {
			require.Equal(t, 1, h.log.Count(told), h.log.String())
		}
		require.Equal(t, 3, h.log.Count("msg="))
	})
}

// TestShortOutage is over before anybody needs to know.
func TestShortOutage(t *testing.T) {
	bubble(t, segment.Config{}, func(t *testing.T, h *house, g *segment.Generator) {
		next(t, g)
		h.Outage(true)
		for range 101 {
			next(t, g)
			time.Sleep(time.Second)
		}
		require.Positive(t, g.Health().Failing.Attempts)
		time.Sleep(2 * time.Second)
		h.Outage(false)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Nil(t, g.Health().Failing)
		require.EqualValues(t, 3000, g.Health().Counts[telemetry.NumbersTaken])
		require.Zero(t, h.log.String())
	})
}

// TestStampede has a store come back under a registry with many tags that need numbers.
func TestStampede(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		h.takes = 10 * time.Millisecond
		h.Outage(true)
		r := must(segment.NewRegistry(h, segment.Config{Create: true, Logger: h.log.Logger()}))
		const tags = 1000
		for i := range tags {
			g := must(r.Get(fmt.Sprint(i)))
			require.Error(t, errOf(g.TryGetUID()))
		}
		time.Sleep(time.Minute)
		h.Outage(false)
		time.Sleep(10 * time.Second)
		require.EqualValues(t, 8, h.most.Load(), "calls at a time")
		for g := range r.All() {
			require.NoError(t, errOf(g.TryGetUID()))
		}
		require.NoError(t, r.Close())
	})
}

// TestFinalFailures are not tried again soon.
func TestFinalFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse()
		for _, failure := range []error{errors.New("access denied"), worker.Transient(errors.New("down"))} {
			h.refuse.Store(&failure)
			g := h.start(t, segment.Config{})
			require.ErrorIs(t, errOf(g.GetUID()), failure)
			time.Sleep(time.Minute)
			before := h.calls.Load()
			time.Sleep(10 * time.Minute)
			n := h.calls.Load() - before
			if failure.Error() == "down" {
				require.Greater(t, n, int64(300))
			} else {
				require.Less(t, n, int64(45))
			}
			require.NoError(t, g.Close())
		}
	})
}

// A store that panics, or ends its goroutine, harms nobody but the calls that need numbers.
func TestStorePanics(t *testing.T) {
	for says, breaks := range map[string]func(){
		"the store panicked: no such column": func() { panic("no such column") },
		"the store ended its goroutine":      runtime.Goexit,
	} {
		bubble(t, tens, func(t *testing.T, h *house, g *segment.Generator) {
			requireNext(t, g, 1, 1)
			h.breaks.Store(&breaks)
			for errOf(g.GetUID()) == nil {
			}
			logtest.Error(t, errOf(g.GetUID()), uid.ErrNoReservation, says)
			require.Equal(t, says[10:18] == "panicked", h.log.Count("worker or store panicked") == 1, h.log.String())
			h.breaks.Store(nil)
			time.Sleep(time.Minute)
			require.NoError(t, errOf(g.GetUID()))
		})
	}
}

// TestTimeout has a store that does not answer.
func TestTimeout(t *testing.T) {
	bubble(t, segment.Config{Timeout: 3 * time.Second}, func(t *testing.T, h *house, g *segment.Generator) {
		h.takes = time.Hour
		began := time.Now()
		require.ErrorIs(t, errOf(g.GetUID()), uid.ErrNoReservation)
		require.Equal(t, 3*time.Second, time.Since(began))
	})
}

// TestLost has the store lose what it acknowledged, and give it to somebody else.
func TestLost(t *testing.T) {
	for name, happens := range map[string]func(h *house, restore func()){
		"gone back":      func(_ *house, restore func()) { restore() },
		"taken by other": func(h *house, restore func()) { restore(); _, _ = h.Foreign("a", 5000) },
		"raised by hand": func(h *house, restore func()) {
			restore()
			row := h.Row("a")
			row.Next = 1e6
			h.SetRow(row)
		},
		"removed": func(h *house, _ func()) { h.SetRow(storage.Segment{Tag: "a", Fresh: true}) },
		"made anew": func(h *house, _ func()) {
			h.SetRow(storage.Segment{Tag: "a", Fresh: true})
			h.SetRow(storage.Segment{Tag: "a", Next: 1e6, Step: 1})
		},
		"forgotten by taker": func(h *house, _ func()) {
			row := h.Row("a")
			row.Takers = nil
			h.SetRow(row)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHouse()
				h.SetRow(storage.Segment{Tag: "a", Next: 1, Step: 1})
				_, err := h.Foreign("a", 1)
				require.NoError(t, err)
				restore := h.Backup()
				g := h.start(t, segment.Config{})
				last := next(t, g)
				happens(h, restore)
				row := h.Row("a")
				for range 1000 { // of which the first hundred go without the store
					synctest.Wait()
					var u uid.UID
					if u, err = g.GetUID(); err != nil {
						break
					}
					last = int64(u)
				}
				logtest.Error(t, err, segment.ErrLost, "100") // what was taken: 1001, or the next number 1002
				require.LessOrEqual(t, last, int64(102), "numbers in hand are not issued any more")
				require.ErrorIs(t, errOf(g.TryGetUID()), segment.ErrLost)
				require.ErrorIs(t, errOf(g.Fill(make([]uid.UID, 1))), segment.ErrLost)
				require.ErrorIs(t, errOf(g.Release(t.Context())), segment.ErrLost)
				require.Equal(t, 1, h.log.Count("level=ERROR"))
				require.NoError(t, g.Close())
				require.True(t, row.Equal(new(h.Row("a"))), "nothing is written")
			})
		})
	}
}

// TestSentTwice has a client library that sends a write twice, and reports the second one, which was
// refused, so that the store decides anew.
func TestSentTwice(t *testing.T) {
	bubble(t, tens, func(t *testing.T, h *house, g *segment.Generator) {
		var all tally
		for range 100 {
			h.twice.Store(true)
			all.add(uid.UID(next(t, g)))
			synctest.Wait()
		}
		all.requireDense(t)
		h.twice.Store(false)
		require.NoError(t, g.Close())
		require.Equal(t, all.most+1, h.Row("a").Next)
	})
}

// TestLostReplies takes up again what was taken by writes whose replies were lost, and misses none
// that were lost on their way.
func TestLostReplies(t *testing.T) {
	for _, fault := range []segmenttest.Fault{segmenttest.LoseReply, segmenttest.LoseWrite, segmenttest.Delay,
		segmenttest.Refuse} {
		t.Run(fault.String(), func(t *testing.T) {
			bubble(t, segment.Config{MinStep: 10, MaxStep: 20}, func(t *testing.T, h *house, g *segment.Generator) {
				h.client.Fault(fault, fault)
				require.ErrorIs(t, errOf(g.GetUID()), uid.ErrNoReservation)
				var all tally
				for i := range 1000 {
					time.Sleep(10 * time.Second)
					if i%50 == 7 {
						h.client.Fault(fault)
					}
					if i%100 == 60 {
						h.Deliver()
					}
					all.add(uid.UID(next(t, g)))
				}
				all.requireDense(t)
				require.NoError(t, g.Close())
				require.Equal(t, all.most+1, h.Row("a").Next)
			})
		})
	}
}
