//go:build explore

package uncached

import (
	"errors"
	"fmt"
	"log/slog"
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
	})
}

func TestExploreWhole(t *testing.T) { explore.TestWhole(t, explore.Scenarios{"whole": closes}) }

// closes: two takers, a clock that comes to the next tick, and Close.
func closes(r *explore.Run) {
	now := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	worker := fake.Endless(7)
	layout := bits.Default()
	g := MustNew(worker, Config{Layout: layout, Now: func() time.Time { return now }})
	r.Quiet(&g.counts)
	issued, newest, closed := map[uid.UID]string{}, uid.UID(0), false
	call := func(name string) {
		explore.Point()
		late, before := closed, newest
		u, err := g.TryGetUID()
		switch {
		case err != nil:
			if !errors.Is(err, uid.ErrClosed) {
				r.Failf("%s: %v", name, err)
			}
			return
		case late:
			r.Failf("%s: UID %d, by a call that began after Close", name, u)
		case issued[u] != "":
			r.Failf("%s: UID %d once more, it was issued to %s", name, u, issued[u])
		case u < before:
			r.Failf("%s: UID %d, by a call that began when %d had been issued", name, u, before)
		}
		issued[u], newest = name, max(newest, u)
	}
	call("setup")
	r.Each(2, call, "A", "B")
	r.Go("clock", func() { now = now.Add(layout.Unit()) })
	r.Go("closer", func() {
		if err := g.Close(); err != nil {
			r.Failf("Close: %v", err)
		}
		closed = true
	})
	r.Check(func() error {
		if tick := int64(newest) >> (layout.WorkerBits() + layout.SequenceBits()); tick > worker.Released[0] {
			return fmt.Errorf("a UID of tick %d was issued, and Close tells the worker %d", tick, worker.Released[0])
		}
		return nil
	})
}

// rollback: two takers, and a clock that is set back and forth, to ticks that a turn was used for before.
func rollback(r *explore.Run) {
	now := time.Date(2026, time.November, 21, 12, 0, 0, 0, time.UTC)
	g := MustNew(fake.Endless(7), Config{ClockBack: RollbackBits(1), Now: func() time.Time { return now },
		Logger: slog.New(slog.DiscardHandler)})
	r.Quiet(&g.counts)
	issued := map[uid.UID]string{}
	call := func(name string) {
		explore.Point()
		switch u, err := g.TryGetUID(); {
		case err != nil:
		case issued[u] != "":
			r.Failf("%s: UID %d once more, it was issued to %s", name, u, issued[u])
		default:
			issued[u] = name
		}
	}
	step := func(seconds time.Duration) { now = now.Add(seconds * time.Second) }
	call("setup")
	call("setup")
	for _, by := range []time.Duration{-10, 15} {
		step(by)
		call("setup")
	}
	r.Each(2, call, "A", "B")
	r.Go("clock", func() {
		for _, by := range []time.Duration{-4, -1, 8, -8} {
			step(by)
			explore.Point()
		}
	})
}
