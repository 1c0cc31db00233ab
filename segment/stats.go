package segment

import (
	"encoding/json"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/internal/jsontext"
)

// counters count what happens off the hot path, without its lock.
type counters struct {
	rejectedTakes atomic.Uint64
	waiting       atomic.Int64 // calls
}

// Stats is a snapshot of a generator; see Generator.Stats.
type Stats struct {
	Tag, Store string

	// Issued is how many numbers were drawn, and Newest the last one of them, 0 before the first.
	Issued uint64
	Newest int64
	// Taken is how many numbers were taken from the store, Segments how often. Of these GivenBack were given back, and
	// Dropped were not issued because nobody knows whether they were given back.
	Taken, Segments, GivenBack, Dropped uint64

	// Buffered is how many numbers are in hand, and Lasts how long at the present rate: 0 when that is not known, or
	// when nothing is drawn.
	Buffered int64
	Lasts    time.Duration
	Step     int64 // how many numbers were asked for last

	RejectedTakes uint64 // calls that found no number
	HandlerPanics uint64 // of OnRejectedTake
	Waiting       int    // calls that wait for a number now

	// Failures is how many attempts in a row to take numbers have failed, and ReservationError why the last one did;
	// nil if it succeeded.
	Failures         int
	ReservationError error
}

// MarshalJSON returns an object of the fields under their names in Go. Durations are in nanoseconds.
func (s Stats) MarshalJSON() ([]byte, error) {
	type fields Stats // has no MarshalJSON
	s.ReservationError = jsontext.Of(s.ReservationError)
	return json.Marshal(fields(s))
}

// Stats returns a snapshot, at the cost of [Generator.Health].
func (g *Generator) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.stats()
}

// stats is Stats with g.mu held.
func (g *Generator) stats() Stats {
	s := &g.state
	st := Stats{
		Tag: g.source.Tag, Store: g.source.Store.Name(),
		Issued: g.issued(), Newest: s.newest,
		Taken: s.took, Segments: s.times, GivenBack: s.given, Dropped: s.dropped,
		Buffered: g.buffered(), Step: s.step,
		RejectedTakes: g.counts.rejectedTakes.Load(), HandlerPanics: g.handlers.Panics(),
		Waiting:  int(g.counts.waiting.Load()),
		Failures: s.failures, ReservationError: s.failed,
	}
	if c := s.current; c != nil {
		st.Newest = c.Last - g.left()
	}
	st.Lasts, _ = s.pace.lasts(g.cfg.Now(), st.Issued, st.Buffered)
	return st
}
