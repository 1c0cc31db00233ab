package uncached

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

// A move is one thing that a script does.
type move struct {
	op op
	n  int
	d  time.Duration
}

type op string

const (
	draw    op = "draw"    // n UIDs
	pass    op = "pass"    // let d pass
	setBy   op = "step"    // set the clock forward or back by d
	stepIn  op = "step in" // set the clock by d in n ms, while other moves are made
	restart op = "restart" // close the generator and make another one
	crash   op = "crash"   // the same without closing
)

// distances are how far clocks are stepped. Some are whole ticks, some not.
var distances = []time.Duration{
	time.Millisecond, 3 * time.Millisecond, 5 * time.Millisecond, 10 * time.Millisecond, 11 * time.Millisecond,
	250 * time.Microsecond, 90 * time.Millisecond, time.Second, 2500 * time.Millisecond, 20 * time.Second, time.Hour,
}

// moves generates scripts.
var moves = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) move {
	ops := []op{draw, draw, draw, draw, pass, pass, setBy, setBy, setBy, stepIn, restart, crash}
	m := move{op: rapid.SampledFrom(ops).Draw(t, "op")}
	switch m.op {
	case draw:
		m.n = rapid.IntRange(1, 10).Draw(t, "n")
	case pass:
		m.d = rapid.SampledFrom(distances).Draw(t, "d")
	case setBy, stepIn:
		m.n = rapid.IntRange(0, 30).Draw(t, "in")
		m.d = rapid.SampledFrom(distances).Draw(t, "d")
		if rapid.IntRange(0, 2).Draw(t, "back") > 0 {
			m.d = -m.d
		}
	}
	return m
}), 1, 40)

// A setting is a policy with what it is tried on, and what it promises there.
type setting struct {
	name   string
	policy Policy
	layout bits.Layout
	// strict: every UID is larger than the one before. exact: its tick is the clock's.
	strict, exact bool
	// fails: calls may fail with ErrClockBack.
	fails bool
	limit time.Duration // how long a call may wait for the clock to catch up
	ticks int           // how many used up ticks in a row a call may have to sit out, beyond one
}

// Four UIDs a tick, so that sequences are used up often.
var (
	waits     = Wait(DefaultWait)
	rollback  = []uid.Field{{Name: "rollback", Bits: 1}, {Name: "worker", Bits: 5}}
	tiny      = bits.MustLayout(bits.Config{TimeBits: 45, WorkerBits: 6, SequenceBits: 2, Unit: time.Millisecond})
	tinyTurns = bits.MustLayout(bits.Config{
		TimeBits: 45, WorkerBits: 6, SequenceBits: 2, Unit: time.Millisecond, Fields: rollback,
	})
	tinySec    = bits.MustLayout(bits.Config{TimeBits: 40, WorkerBits: 21, SequenceBits: 2}) // with room for adds
	tinyTurnsS = bits.MustLayout(bits.Config{TimeBits: 35, WorkerBits: 6, SequenceBits: 2, Fields: rollback})
)

var configs = []setting{
	{name: "Logical/ms", policy: Logical(), layout: tiny, strict: true},
	{name: "Logical/s", policy: Logical(), layout: tinySec, strict: true},
	{name: "Fail/ms", policy: Fail(), layout: tiny, strict: true, exact: true, fails: true},
	{name: "Fail/s", policy: Fail(), layout: tinySec, strict: true, exact: true, fails: true},
	{name: "Wait/ms", policy: waits, layout: tiny, strict: true, exact: true, fails: true, limit: DefaultWait},
	{name: "Wait/s", policy: waits, layout: tinySec, strict: true, exact: true, fails: true, limit: DefaultWait},
	{name: "Remember/ms", policy: Remember(16), layout: tiny, exact: true, fails: true, ticks: 16},
	{name: "Remember/s", policy: Remember(4), layout: tinySec, exact: true, fails: true, ticks: 4},
	{name: "RollbackBits/ms", policy: RollbackBits(1), layout: tinyTurns, exact: true, fails: true},
	{name: "RollbackBits/s", policy: RollbackBits(1), layout: tinyTurnsS, exact: true, fails: true},
}

// play makes the moves of a script on a generator, and returns an error when the policy
// breaks its promise. It is called in a bubble.
func (s setting) play(script []move, durable bool) error {
	clock := fake.NewClock(morning)
	state := &store{window: int64(40 * time.Second / s.layout.Unit()), now: clock.Now, high: -1}
	ctx := context.Background()

	var g *Generator
	var w *storeWorker
	var first int64 // of the reservation
	start := func() (err error) {
		var worker uid.Worker = fake.Endless(7)
		if durable {
			first = state.high + 1
			w = state.worker()
			worker = w
		}
		cfg := Config{Layout: s.layout, ClockBack: s.policy, Now: clock.Now, Logger: slog.New(slog.DiscardHandler)}
		g, err = New(worker, cfg)
		return err
	}
	if err := start(); err != nil {
		return err
	}
	defer func() { g.Close() }()

	seen := map[uid.UID]bool{}
	last := uid.UID(-1)
	timers := []*time.Timer{}
	defer func() {
		for _, t := range timers {
			t.Stop()
		}
	}()
	for i, m := range script {
		switch m.op {
		case pass:
			time.Sleep(m.d)
		case setBy:
			clock.Step(m.d)
		case stepIn:
			// Never at an instant at which a call looks at the clock, so that what it saw is known.
			in := time.Duration(m.n)*time.Millisecond + 100*time.Nanosecond
			timers = append(timers, time.AfterFunc(in, func() { clock.Step(m.d) }))
		case restart, crash:
			if !durable {
				continue
			}
			if m.op == crash {
				w.crash()
			}
			if err := g.Close(); err != nil {
				return err
			}
			if err := start(); err != nil {
				return err
			}
		case draw:
			for range m.n {
				began, steps := time.Now(), clock.Steps()
				u, err := g.GetUIDContext(ctx)
				waited := time.Since(began)
				clockTick := s.layout.TickAt(clock.Now())
				most := s.layout.TickAt(clock.NeverBack(s.layout.TimeOf(first))) + 1
				steps = clock.Steps() - steps // each may make the call wait for a tick once more
				if allowed := s.limit + time.Duration(2+s.ticks+steps)*s.layout.Unit(); waited > allowed {
					return fmt.Errorf("move %d: %v: a call took %v, more than %v", i, m, waited, allowed)
				}
				if err != nil {
					var back *uid.ClockBackError
					if !s.fails || !errors.As(err, &back) {
						return fmt.Errorf("move %d: %v: %w", i, m, err)
					}
					if back.Back <= 0 || back.Limit != s.limit && s.policy.kind <= kindWait ||
						waited == 0 && back.Back <= back.Limit && s.policy.kind == kindWait {
						return fmt.Errorf("move %d: %v: not so: %w", i, m, err)
					}
					continue
				}
				p, err := g.ParseUID(u)
				if err != nil {
					return err
				}
				tick := s.layout.TickAt(p.Time)
				switch {
				case seen[u]:
					return fmt.Errorf("move %d: %v: repeated %v", i, m, p)
				case s.strict && u <= last:
					return fmt.Errorf("move %d: %v: %v came after %v", i, m, p, last)
				case s.exact && tick != clockTick:
					return fmt.Errorf("move %d: %v: %v in tick %d, the clock is in %d", i, m, p, tick, clockTick)
				case tick < clockTick:
					return fmt.Errorf("move %d: %v: %v in tick %d, behind the clock's %d", i, m, p, tick, clockTick)
				case tick > most:
					return fmt.Errorf("move %d: %v: %v in tick %d, past the clock's highest, %d", i, m, p, tick, most-1)
				case durable && !w.reserved(tick):
					return fmt.Errorf("move %d: %v: %v is of tick %d, which is not reserved", i, m, p, tick)
				case p.WorkerID&15 != 7:
					return fmt.Errorf("move %d: %v: worker of %v", i, m, p)
				}
				seen[u], last = true, u
			}
		}
	}
	return nil
}

func TestPoliciesKeepTheirPromise(t *testing.T) {
	for _, s := range configs {
		t.Run(s.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				durable := rapid.Bool().Draw(rt, "durable")
				script := moves.Draw(rt, "script")
				var err error
				synctest.Test(t, func(*testing.T) { err = s.play(script, durable) })
				require.NoError(rt, err)
			})
		})
	}
}
