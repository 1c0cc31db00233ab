package cached

import "time"

// RingState is a snapshot of a generator's ring, for people; see Stats.
type RingState struct {
	// Slots is how many ticks the ring can hold, and PerTick how many UIDs a tick holds.
	Slots   int
	PerTick uint64

	// Cursor is the tick from which UIDs are drawn now, and Used how many of its UIDs are
	// drawn or skipped. Tail is the first tick that is not in the ring yet. So the ring holds
	// the ticks from Cursor up to, but not including, Tail; it is empty when they are equal.
	Cursor, Tail int64
	Used         uint64

	// Usable says that what the ring holds may be issued. It is false before the first tick,
	// after a revocation or an outage made it stale, and after Close.
	Usable bool

	// MaxLead and MaxLag are the bounds in force for what Stats calls Lead and Lag, in whole
	// ticks; MaxLead is Unbounded if nothing but the layout bounds it.
	MaxLead, MaxLag time.Duration
}

// ringState is the Ring of Stats. g.mu is held.
func (g *Generator) ringState() RingState {
	s := RingState{
		Slots: g.ring.Runs(), PerTick: 1 << g.seqBits, Tail: int64(g.ring.Tail()),
		Usable:  g.state.started && !g.state.discarded && !g.closed(),
		MaxLead: g.cfg.MaxLead, MaxLag: time.Duration(g.lag) * g.unit,
	}
	if s.MaxLead != Unbounded {
		s.MaxLead = time.Duration(g.lead) * g.unit
	}
	s.Cursor = s.Tail
	// Calls that wait have claimed positions beyond the tail.
	if pos := g.ring.Position(); g.ring.Tick(pos) < g.ring.Tail() {
		s.Cursor, s.Used = int64(g.ring.Tick(pos)), s.PerTick-g.ring.Left(pos)
	}
	return s
}
