package explore_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/explore"
)

// counts has two tasks add one each, by a step or in two.
func counts(add func(*explore.Int64)) explore.Scenario {
	return func(r *explore.Run) {
		var n explore.Int64
		r.Each(1, func(string) { add(&n) }, "one", "other")
		r.Check(func() error {
			if n.Peek() != 2 {
				return fmt.Errorf("two tasks have counted to %d", n.Peek())
			}
			return nil
		})
	}
}

var (
	atOnce  = counts(func(n *explore.Int64) { n.Add(1) })
	inSteps = counts(func(n *explore.Int64) { n.Store(n.Load() + 1) })
)

// search searches in a bubble.
func search(t *testing.T, s explore.Search, scenario explore.Scenario) (res explore.Result) {
	synctest.Test(t, func(t *testing.T) { res = s.Run(scenario) })
	return res
}

func TestEverySearchFindsALostUpdate(t *testing.T) {
	for name, s := range map[string]explore.Search{
		"all":    {Preemptions: 1},
		"random": {Random: 100, Changes: 1},
		"whole":  {Preemptions: 1, Whole: true},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, search(t, s, atOnce).Err)
			res := search(t, s, inSteps)
			require.EqualError(t, res.Err, "two tasks have counted to 1")
			// And the line, where the sources are at hand.
			require.Contains(t, strings.Join(res.Trace, "\n"), "explore_test.go:31  ")
			synctest.Test(t, func(*testing.T) {
				require.EqualError(t, s.Replay(res.Schedule, inSteps).Err, "two tasks have counted to 1")
			})
		})
	}
}

// Without a preemption there are two orders; with one, a task that has three steps can be left in the middle of them.
func TestBound(t *testing.T) {
	res := search(t, explore.Search{}, inSteps)
	require.NoError(t, res.Err)
	require.Equal(t, 2, res.Schedules)
	require.True(t, res.All)
	res = search(t, explore.Search{Preemptions: 1}, atOnce)
	require.NoError(t, res.Err)
	require.True(t, res.All)
}

func TestDeadlock(t *testing.T) {
	cross := func(r *explore.Run) {
		var a, b explore.Mutex
		both := func(first, second *explore.Mutex) func() {
			return func() {
				first.Lock()
				defer first.Unlock()
				second.Lock()
				defer second.Unlock()
			}
		}
		r.Go("ab", both(&a, &b))
		r.Go("ba", both(&b, &a))
	}
	for _, whole := range []bool{false, true} {
		require.NoError(t, search(t, explore.Search{Whole: whole}, cross).Err)
		require.EqualError(t, search(t, explore.Search{Preemptions: 1, Whole: whole}, cross).Err, "no task can go on")
	}
}

func TestPanicAndCircle(t *testing.T) {
	res := search(t, explore.Search{}, func(r *explore.Run) { r.Go("a", func() { panic("so") }) })
	require.EqualError(t, res.Err, "panic: so")
	res = search(t, explore.Search{}, func(r *explore.Run) {
		var n explore.Int64
		r.Go("a", func() {
			for n.Load() == 0 {
			}
		})
	})
	require.EqualError(t, res.Err, "more than 10000 steps")
}

// Quiet memory has no points, so nothing can come between.
func TestQuiet(t *testing.T) {
	quiet := func(r *explore.Run) {
		n := make([]explore.Int64, 2)
		r.Quiet(n)
		r.Each(1, func(string) { n[1].Store(n[1].Load() + 1) }, "one", "other")
		r.Check(func() error { require.EqualValues(t, 2, n[1].Peek()); return nil })
	}
	res := search(t, explore.Search{Preemptions: 2}, quiet)
	require.NoError(t, res.Err)
	require.Equal(t, 2, res.Schedules)
}

// A whole program may wait for a channel that what it has started sends to, and for time.
func TestWaits(t *testing.T) {
	waits := func(r *explore.Run) {
		var n explore.Int64
		done := make(chan struct{})
		r.Go("a", func() {
			go func() {
				n.Store(1)
				time.Sleep(time.Second)
				close(done)
			}()
			<-done
			if n.Load() != 1 {
				r.Failf("too early")
			}
		})
	}
	require.NoError(t, search(t, explore.Search{Preemptions: 1, Whole: true}, waits).Err)
}
