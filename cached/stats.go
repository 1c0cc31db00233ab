package cached

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/internal/jsontext"
	"github.com/uidgen/uid/internal/tenure"
)

// counters count what happens off the hot path, without its lock.
type counters struct {
	lost          atomic.Uint64 // claimed positions that were not issued
	rejectedTakes atomic.Uint64
	rejectedPuts  atomic.Uint64
}

// Stats is a snapshot of a generator; see Generator.Stats.
type Stats struct {
	// WorkerID is the worker ID under which ticks are published now.
	WorkerID int64
	// Expires is when the last tick of the layout's time field begins. Expiring says
	// that this is within Config.Expiry.Warn.
	Expires  time.Time
	Expiring bool

	// Buffered is how many UIDs the ring holds ready; Capacity how many it can hold.
	Buffered, Capacity uint64
	// Lead is how far the newest tick from which a UID was issued is ahead of the
	// clock, in whole ticks, and Lag how far it is behind: one of them is zero. Both
	// are zero before the first UID. The Lag of an idle generator grows, but its next
	// UID still gets its own time.
	Lead, Lag time.Duration

	// Issued is how many UIDs were drawn, including those that Lanes hold.
	Issued uint64
	// Ticks is how many ticks were put into the ring, and Refills by how many refills.
	Ticks, Refills uint64
	// StaleTicks is how many of the Ticks were skipped untouched, because the clock had
	// left them behind or because they were discarded.
	StaleTicks uint64
	// Lost is how many claimed positions were not issued, because the call gave up
	// waiting for them, a Lane held them until they were stale, or a call was paused
	// for a whole lap of the ring. They only leave gaps in the sequence of UIDs.
	Lost uint64

	// RejectedTakes is how many calls found no UID that they may have.
	RejectedTakes uint64
	// RejectedPuts is for how many ticks Config.OnRejectedPut was, or would have been,
	// called. It stays 0 as long as the ring has room for the clock's own tick, which
	// is always so if MaxLag is less than Slots ticks, or 7/8 of them if ticks share slots,
	// and the worker ID stays. If it rises, UIDs are issued behind the clock because the ring
	// is too small for its MaxLag.
	RejectedPuts uint64
	// HandlerPanics is how often OnRejectedTake and OnRejectedPut panicked.
	HandlerPanics uint64
	// Waiting is how many calls wait for a UID now.
	Waiting int

	// Ring is what the ring holds.
	Ring RingState

	// ReservedUntil is the time of the last reserved tick, or Expires if the worker
	// sets no bound. It is zero while nothing is reserved, and after Close.
	ReservedUntil time.Time
	// ReservationError is why the last attempt to extend the reservation failed, nil
	// if it succeeded.
	ReservationError error
}

// MarshalJSON returns an object of the fields under their names in Go. Durations are in
// nanoseconds; ReservationError is its text, or null.
func (s Stats) MarshalJSON() ([]byte, error) {
	type fields Stats // has no MarshalJSON
	s.ReservationError = jsontext.Of(s.ReservationError)
	return json.Marshal(fields(s))
}

// Stats returns a snapshot. It reads the clock and takes a lock, which calls that find a
// UID in the ring do not take: it costs them nothing.
func (g *Generator) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stats(g.now(), g.tenure.Grant())
}

// stats is Stats at the time now, under a grant. g.mu is held.
func (g *Generator) stats(now time.Time, grant *tenure.Grant) Stats {
	s := &g.state
	st := Stats{
		WorkerID:         grant.WorkerID,
		Expires:          g.layout.Expires(),
		Expiring:         tenure.Warns(g.cfg.Expiry, g.layout, now),
		Capacity:         uint64(g.ring.Runs()) << g.seqBits,
		Ticks:            s.ticks,
		Refills:          s.refills,
		StaleTicks:       s.skipped,
		Lost:             g.counts.lost.Load(),
		RejectedTakes:    g.counts.rejectedTakes.Load(),
		RejectedPuts:     g.counts.rejectedPuts.Load(),
		HandlerPanics:    g.handlers.Panics(),
		Waiting:          g.queue.Waiting(),
		Ring:             g.ringState(),
		ReservationError: g.tenure.Refused(),
	}
	if grant.Until >= 0 {
		st.ReservedUntil = g.layout.TimeOf(grant.Until)
	}
	if grant.Ended == nil && !s.discarded {
		st.Buffered = g.ring.Buffered()
	}
	if claimed := g.ring.Claimed(); claimed > 0 {
		void := st.Lost + uint64(len(g.queue.ahead))
		st.Issued = claimed - min(void, claimed)
		if d := time.Duration(g.newest()-g.tickAt(now)) * g.unit; d >= 0 {
			st.Lead = d
		} else {
			st.Lag = -d
		}
	}
	return st
}
