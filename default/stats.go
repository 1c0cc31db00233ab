package uncached

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/internal/jsontext"
	"github.com/uidgen/uid/internal/tenure"
)

// counters count what happens off the fast path.
type counters struct {
	usedUp atomic.Uint64
	behind atomic.Uint64
	// When a clock that is behind was logged last, since born; 0 for never.
	warned, noted atomic.Int64
}

// Stats is a snapshot of a generator; see Generator.Stats.
type Stats struct {
	// WorkerID is the worker ID of the UIDs that are made now.
	WorkerID int64
	// Expires is when the last tick of the layout's time field begins. Expiring says
	// that this is within Config.Expiry.Warn.
	Expires  time.Time
	Expiring bool

	// Lead is how far the newest tick from which a UID was issued is ahead of the clock,
	// in whole ticks, and zero if it is not ahead. Only Logical lets it be ahead.
	Lead time.Duration
	// Behind is how often a call found the clock behind and asked its policy.
	Behind uint64
	// SequenceWaits is how often a call waited because the sequence of its tick was used
	// up: the callers draw more than the layout sustains.
	SequenceWaits uint64
	// Waiting is how many calls wait for a UID now.
	Waiting int

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

// Stats returns a snapshot. It reads the clock and takes a lock, which calls that need not
// wait do not take: it costs them nothing.
func (g *Generator) Stats() Stats {
	now := g.now()
	gr := g.tenure.Grant()
	st := Stats{
		WorkerID:         gr.WorkerID,
		Expires:          g.layout.Expires(),
		Expiring:         tenure.Warns(g.cfg.Expiry, g.layout, now),
		Behind:           g.counts.behind.Load(),
		SequenceWaits:    g.counts.usedUp.Load(),
		Waiting:          int(g.queue.waiting.Load()),
		ReservationError: g.tenure.Refused(),
	}
	if gr.Until >= 0 {
		st.ReservedUntil = g.layout.TimeOf(gr.Until)
	}
	if newest := g.newest(); newest > g.tickAt(now) {
		st.Lead = g.layout.TimeOf(newest).Sub(g.layout.TimeOf(g.tickAt(now)))
	}
	return st
}
