package ringbuffer

import (
	"runtime"
	"sync/atomic"
)

// The mutants are rings with a fault each, by the name of it. The tests must find
// every one of them.
var mutants = map[string]func(g *generator) taking{
	"fast take without a look at the tick": func(g *generator) taking { return noTick{g.ring} },
	"slow take without a look at the tick": func(g *generator) taking { return noLap{g.ring} },
	"claim in two steps":                   func(g *generator) taking { return twoSteps{g.ring} },
	"emptiness judged before the claim":    func(g *generator) taking { return judgedBefore{g.ring} },
	"UID held back":                        func(g *generator) taking { return &heldBack{Ring: g.ring} },
	"move that goes back":                  goesBack,
}

// losers are the mutants that only lose UIDs, which leaves a history without a flaw.
var losers = map[string]func(g *generator) taking{
	"forgotten claim": func(g *generator) taking { return forgets{g.ring} },
}

// noTick believes that every position lies in the run in front.
type noTick struct{ *Ring }

func (m noTick) Take() (v, pos uint64, ok bool) {
	run := m.front.Load()
	pos = m.cursor.Add(1)
	return run | pos&m.seqMask, pos, pos < shut
}

// noLap believes that a slot holds the run that was put for a position, when one was.
type noLap struct{ *Ring }

func (m noLap) Resolve(pos uint64) (v uint64, s State) {
	if pos>>63 != 0 {
		return 0, NotOpen
	}
	if m.Tick(pos) >= m.tail.Load() {
		return 0, Ahead
	}
	return m.slots[m.Tick(pos)&uint64(len(m.slots)-1)].flag.Load() | pos&m.seqMask, Taken
}

// twoSteps claims with a load and a store, and is held up between them now and then.
type twoSteps struct{ *Ring }

func (m twoSteps) Take() (v, pos uint64, ok bool) {
	pos = m.cursor.Load() + 1
	if pos%32 == 0 {
		runtime.Gosched()
	}
	m.cursor.Store(pos)
	v, s := m.Resolve(pos)
	return v, pos, s == Taken
}

// judgedBefore looks whether the ring is empty and then claims, as if nobody else
// could have claimed in between.
type judgedBefore struct{ *Ring }

func (m judgedBefore) Take() (v, pos uint64, ok bool) {
	ready := m.Ready() > 0
	pos = m.cursor.Add(1)
	if !ready {
		return 0, pos, false
	}
	return m.slots[m.Tick(pos)&uint64(len(m.slots)-1)].flag.Load() | pos&m.seqMask, pos, true
}

// heldBack keeps a UID now and then, and returns the one that it has kept before.
type heldBack struct {
	*Ring
	kept atomic.Uint64 // and one; 0 for none
}

func (m *heldBack) Take() (v, pos uint64, ok bool) {
	v, pos, ok = m.Ring.Take()
	if ok && pos%63 == 0 {
		if kept := m.kept.Swap(v + 1); kept != 0 {
			return kept - 1, pos, true
		}
		return m.Take()
	}
	return v, pos, ok
}

// forgets claims one position more than it takes now and then.
type forgets struct{ *Ring }

func (m forgets) Take() (v, pos uint64, ok bool) {
	v, pos, ok = m.Ring.Take()
	if pos%1000 == 0 && pos < shut {
		return m.Ring.Take()
	}
	return v, pos, ok
}

// goesBack hands out once more what was claimed last before a move.
func goesBack(g *generator) taking {
	g.plan.restless = true
	g.moved = func(from uint64) {
		if g.ring.resume == from && from > g.plan.first<<g.ring.seqBits {
			g.ring.resume--
		}
	}
	return g.ring
}
