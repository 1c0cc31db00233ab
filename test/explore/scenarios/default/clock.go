//go:build explore

package uncached

import (
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/test/explore"
)

const (
	moment   = maxReadingAge / 2 // time goes on by so much
	tickLong = 3 * moment
)

// A face is a wall clock that is set, and what it has shown to whom.
type face struct {
	*explore.Run
	c           *wallClock
	off, before time.Duration // from real time; before the last step
	stepped     time.Time     // when that was
	steps, seen int           // how many there were, and how many a look has returned with
	calls       map[*shown]bool
}

// shown are the ticks that a call may return. An older one was not yet told of the last step.
type shown struct {
	ticks map[int64]bool
	older bool
}

func newFace(r *explore.Run) *face {
	f := &face{Run: r, calls: map[*shown]bool{}}
	terms := uid.Terms{Epoch: time.Now().Add(moment - 101*tickLong), Unit: tickLong} // the next tick is a moment away
	f.c = &wallClock{terms: terms, born: time.Now().Add(-time.Hour), wall: f.read}
	return f
}

// read is a reading of the wall clock. It takes time.
func (f *face) read() time.Time {
	explore.Point()
	now := time.Now().Add(f.off)
	explore.Point()
	return now
}

// note notes what the clock shows, for all calls that are under way.
func (f *face) note() {
	for s := range f.calls {
		s.ticks[f.c.terms.TickAt(time.Now().Add(f.off))] = true
		if s.older && time.Since(f.stepped) < maxReadingAge {
			s.ticks[f.c.terms.TickAt(time.Now().Add(f.before))] = true
		}
	}
}

// during checks the tick that a call returns.
func (f *face) during(name string, call func() int64) {
	explore.Point()
	s := &shown{map[int64]bool{}, f.seen < f.steps || f.steps == 0}
	f.calls[s] = true
	f.note()
	tick := call()
	delete(f.calls, s)
	if !s.ticks[tick] {
		f.Failf("%s: tick %d, while the clock showed %v", name, tick, s.ticks)
	}
}

// callers are tasks that ask for the tick, so many times.
func (f *face) callers(times int, names ...string) {
	f.Each(times, func(name string) { f.during(name, f.c.tick) }, names...)
}

// moments are tasks in which time goes on.
func (f *face) moments(names ...string) {
	f.Each(1, func(string) {
		time.Sleep(moment)
		f.note()
	}, names...)
}

// passes: two callers while time passes. There was a reading before, or not.
func passes(made bool) explore.Scenario {
	return func(r *explore.Run) {
		f := newFace(r)
		if made {
			f.c.tick()
		}
		f.callers(2, "A", "B")
		f.moments("time", "time")
	}
}

// crowd: three callers while time passes.
func crowd(r *explore.Run) {
	f := newFace(r)
	f.callers(1, "A", "B", "C")
	f.moments("time")
}

// steps: a caller, while the clock is set by so many moments, time passes, and another call looks whether it was set.
func steps(by time.Duration) explore.Scenario {
	return func(r *explore.Run) {
		f := newFace(r)
		f.c.tick()
		f.callers(2, "A")
		f.Go("setter", func() {
			f.before, f.off = f.off, f.off+by*moment
			f.stepped = time.Now()
			f.steps++
			f.note()
		})
		f.Go("looker", func() {
			f.during("looker", func() int64 {
				steps := f.steps
				now := f.c.look()
				f.seen = max(f.seen, steps)
				return f.c.terms.TickAt(now)
			})
		})
		f.moments("time", "time")
	}
}
