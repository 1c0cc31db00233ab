//go:build explore

package uncached

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/test/explore"
)

func TestExplore(t *testing.T) {
	explore.Test(t, explore.Scenarios{
		"close":     closes,
		"oneGlance": passes(false), "glances": passes(true), "crowd": crowd, "forward": steps(7), "back": steps(-7),
		"rollback": rollback,
		"addsEnd":  addsEnd, "addsPass": addsPass, "addsBack": addsBack, "addsFill": addsFill, "addsEnded": addsEnded,
	})
}

func TestExploreWhole(t *testing.T) {
	explore.TestWhole(t, explore.Scenarios{
		"whole": closes, "addsRenew": addsGranted(7), "addsWorker": addsGranted(3), "addsRevoked": addsRevoked,
	})
}

// few has four UIDs a tick, and just room enough for adds.
var few = bits.MustLayout(bits.Config{TimeBits: 42, WorkerBits: 19, SequenceBits: 2, Unit: time.Second})

var day = time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)

// A scene is a generator, and what is known of what it has issued.
type scene struct {
	*explore.Run
	g         *Generator
	worker    *fake.Worker
	now       time.Time
	latest    int64 // tick that the clock has shown
	issued    map[uid.UID]string
	newest    uid.UID
	over      bool    // no call that begins now gets anything,
	withdrawn bool    // and no call ends with a UID by an add
	turns     bool    // UIDs are in no order
	may       []error // what calls may fail with
}

func newScene(r *explore.Run, w *fake.Worker, cfg Config) *scene {
	s := &scene{Run: r, worker: w, issued: map[uid.UID]string{}, may: []error{uid.ErrClosed}}
	s.now = day
	cfg.Now = func() time.Time { return s.now }
	cfg.Logger = slog.New(slog.DiscardHandler)
	w.Now = cfg.Now
	s.g = MustNew(w, cfg)
	s.pass(0)
	r.Quiet(&s.g.counts)
	return s
}

// clock is the tick that the clock shows.
func (s *scene) clock() int64 { return s.g.tickAt(s.now) }

// pass has the clock go on by so many ticks.
func (s *scene) pass(ticks time.Duration) {
	s.now = s.now.Add(ticks * s.g.unit)
	s.latest = max(s.latest, s.clock())
}

func (s *scene) call(name string) {
	s.draw(name, func() ([]uid.UID, error) {
		u, err := s.g.TryGetUID()
		return []uid.UID{u}, err
	})
}

// draw notes what a call returns.
func (s *scene) draw(name string, call func() ([]uid.UID, error)) {
	explore.Point()
	late, before, clock := s.over, s.newest, s.clock()
	all, err := call()
	if err != nil {
		at := s.g.marks[0].Peek()
		if !slices.ContainsFunc(s.may, func(may error) bool { return errors.Is(err, may) }) ||
			errors.Is(err, uid.ErrRejectedTake) && clock == s.clock() && at>>s.g.tickShift == clock &&
				at&s.g.lowMask < s.g.seqMask {
			s.Failf("%s: %w", name, err)
		}
		return
	}
	for _, u := range all {
		tick := int64(u) >> (s.g.layout.WorkerBits() + s.g.layout.SequenceBits())
		switch {
		case late:
			s.Failf("%s: UID %d, by a call that began when nothing was reserved", name, u)
		case s.withdrawn:
			s.Failf("%s: UID %d, when nothing was reserved any more", name, u)
		case s.issued[u] != "":
			s.Failf("%s: UID %d once more, it was issued to %s", name, u, s.issued[u])
		case !s.turns && u <= before && before > 0:
			s.Failf("%s: UID %d, by a call that began when %d had been issued", name, u, before)
		case !s.turns && (tick < min(clock, s.clock()) || tick > max(clock, s.clock())):
			s.Failf("%s: UID %d of tick %d, when the clock went from %d to %d", name, u, tick, clock, s.clock())
		}
		s.issued[u], s.newest, before = name, max(s.newest, u), u
	}
}

// closes: two takers, a clock that comes to the next tick, and Close.
func closes(r *explore.Run) {
	s := newScene(r, fake.Endless(7), Config{})
	s.call("setup")
	r.Each(2, s.call, "A", "B")
	r.Go("clock", func() { s.pass(1) })
	r.Go("closer", s.close)
	r.Check(func() error {
		l := s.g.layout
		if tick := int64(s.newest) >> (l.WorkerBits() + l.SequenceBits()); tick > s.worker.Released[0] {
			return fmt.Errorf("a UID of tick %d was issued, and Close tells the worker %d", tick, s.worker.Released[0])
		}
		return nil
	})
}

// rollback: two takers, and a clock that is set back and forth, to ticks that a turn was used for before.
func rollback(r *explore.Run) {
	s := newScene(r, fake.Endless(7), Config{ClockBack: RollbackBits(1)})
	s.turns, s.may = true, []error{uid.ErrRejectedTake, uid.ErrClockBack}
	s.call("setup")
	s.call("setup")
	for _, by := range []time.Duration{-10, 15} {
		s.pass(by)
		s.call("setup")
	}
	r.Each(2, s.call, "A", "B")
	r.Go("clock", func() {
		for _, by := range []time.Duration{-4, -1, 8, -8} {
			s.pass(by)
			explore.Point()
		}
	})
}

// adding has a generator to whose mark calls add, and so many UIDs drawn of the clock's tick. In the end no more than
// so many adds have come late to a tick, each task's once by each hint, and none into another tick.
func adding(r *explore.Run, w *fake.Worker, drawn, late int) *scene {
	s := newScene(r, w, Config{Layout: few, ClockBack: Fail()})
	s.may = append(s.may, uid.ErrRejectedTake, uid.ErrNoReservation, uid.ErrClockBack)
	for range drawn {
		s.call("setup")
	}
	r.Check(func() error {
		at := s.g.marks[0].Peek()
		if n := at&s.g.lowMask - s.g.seqMask; n > int64(late) {
			return fmt.Errorf("%d adds came late, and not %d at most", n, late)
		}
		if tick := at >> s.g.tickShift; tick > s.latest {
			return fmt.Errorf("the clock came to tick %d, the mark is in %d", s.latest, tick)
		}
		return nil
	})
	return s
}

// addsEnd: calls come to the end of a tick.
func addsEnd(r *explore.Run) {
	s := adding(r, fake.Endless(7), 2, 2)
	r.Each(3, s.call, "A", "B")
}

// addsPass: calls come to the end of a tick while the clock comes to the next one.
func addsPass(r *explore.Run) {
	s := adding(r, fake.Endless(7), 3, 2+2) // by the hint of the tick before, too
	r.Each(2, s.call, "A", "B")
	r.Go("clock", func() { s.pass(1) })
}

// addsBack: calls add while the clock goes back.
func addsBack(r *explore.Run) {
	s := adding(r, fake.Endless(7), 1, 2)
	r.Each(2, s.call, "A", "B")
	r.Go("clock", func() { s.pass(-1) })
}

// addsFill: one call adds while others move the mark, over the end of a tick.
func addsFill(r *explore.Run) {
	s := adding(r, fake.Endless(7), 1, 1)
	r.Each(3, s.call, "A")
	r.Each(2, func(name string) {
		s.draw(name, func() ([]uid.UID, error) {
			u, n, err := s.g.draw(context.Background(), 2, false)
			return []uid.UID{u, u + 1}[:n], err
		})
	}, "fill")
}

// addsEnded: what is reserved is withdrawn beside adds.
func addsEnded(r *explore.Run) {
	s := adding(r, fake.Endless(7), 1, 2)
	r.Each(1, s.call, "A", "B")
	r.Go("ender", func() {
		s.g.tenure.End(nil, uid.ErrClosed)
		s.over, s.withdrawn = true, true
	})
}

func (s *scene) close() {
	if err := s.g.Close(); err != nil {
		s.Failf("Close: %v", err)
	}
	s.over = true
}

// addsGranted: a reservation is renewed beside adds, under the same ID or a smaller one.
func addsGranted(id int64) explore.Scenario {
	return func(r *explore.Run) {
		s := adding(r, fake.Endless(7), 1, 2+3) // useUp counts as some late adds
		r.Each(2, s.call, "A", "B")
		r.Go("worker", func() {
			s.worker.Set(func(w *fake.Worker) { w.ID = id })
			s.g.tenure.Want(0)
			s.close()
		})
	}
}

// addsRevoked: what is reserved is revoked beside adds.
func addsRevoked(r *explore.Run) {
	s := adding(r, fake.Endless(7), 1, 2)
	r.Each(1, s.call, "A", "B")
	r.Go("revoker", func() {
		s.worker.Set(func(w *fake.Worker) { w.Fail = fake.ErrDown })
		s.worker.Terms.Revoke()
		s.over, s.withdrawn = true, true
		s.close()
	})
}
