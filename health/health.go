package health

import (
	"fmt"
	"strings"
	"time"
)

// A Reporter tells of its health, as the generators of this module do.
type Reporter interface {
	// Health says how the generator stands now. Any number of goroutines may call it at once, also after Close. It
	// never waits for a store.
	Health() Health
}

// A Health says how a generator stood at one moment. Its JSON has durations in seconds, times in UTC as RFC 3339 and
// errors as texts; it can be read back without loss.
type Health struct {
	// Generator is cached, uncached or segment. Tag is that of a segment.
	Generator string `json:"generator"`
	Tag       string `json:"tag,omitzero"`
	// Time is the moment, by the generator's clock.
	Time time.Time `json:"time"`

	// Ready is false only when calls fail, or wait for longer than a tick. Reasons say why it is false, or soon will
	// be; the graver ones come first.
	Ready   bool     `json:"ready"`
	Reasons []Reason `json:"reasons"`

	// Buffered is how many UIDs are ready in memory, Waiting how many calls wait for one.
	Buffered int64 `json:"buffered"`

	Waiting int64 `json:"waiting"`

	// Reservation, Lead, TimeField and Worker are nil for a segment, Numbers for the others, Ring for all but cached.
	// Worker is nil, too, where the worker is no [WorkerReporter].
	Reservation *Reservation `json:"reservation,omitzero"`
	Lead        *Lead        `json:"lead,omitzero"`
	TimeField   *TimeField   `json:"time_field,omitzero"`
	Ring        *Ring        `json:"ring,omitzero"`
	Numbers     *Numbers     `json:"numbers,omitzero"`
	Worker      *Worker      `json:"worker,omitzero"`
	// Failing is nil if the last attempt to renew the reservation, or to take numbers, succeeded.
	Failing *Failing `json:"failing,omitzero"`

	// Counts are what the generator has counted since it was made, without those that its kind does not count. None
	// falls, but for issued while Lanes give back what they held.
	//
	//	issued              UIDs drawn
	//	lost                positions claimed and not issued, which leave gaps
	//	ticks               put into the ring
	//	stale_ticks         those of them that were skipped
	//	refills             by how many the ticks came
	//	rejected_takes      calls that found no UID that they may have
	//	rejected_puts       ticks for which the ring had no room
	//	handler_panics
	//	clock_behind        calls that found the clock behind the newest UID
	//	sequence_waits      calls that slept because their tick was used up
	//	renewal_failures
	//	numbers_taken       from a segment's store
	//	segments_taken      how often it took some
	//	numbers_given_back
	//	numbers_dropped     nobody knows whether they were issued
	Counts map[string]uint64 `json:"counts"`
}

// A Reason says why a generator is not ready, or soon will not be.
type Reason struct {
	// Code names the reason to programs, and Level is how grave it is: at "error" the generator is not ready; at
	// "warning" it is, but not forever unless a person acts. Both are stable; there may be more codes one day.
	// docs/operations.md says what to do.
	//
	//	Code                 Level
	//	closed               error    the generator was closed
	//	exhausted            error    the time field, or the numbers up to Config.Last, are used up, permanently
	//	numbers_lost         error    the store has lost numbers that it gave, and none is issued any more
	//	no_reservation       error    nothing is reserved, or in hand, until the store has answered
	//	clock_behind         error    calls wait or fail until the clock has caught up, for more than a tick
	//	began_ahead          warning  the store may have lost writes, so UIDs are ahead of the clock for two minutes;
	//	                              error while MaxLead or the policy is for less
	//	reservation_failing  warning  renewals fail, and what is left lasts less than a minute
	//	reservation_used_up  warning  all that is reserved is used, ahead of the clock: calls wait for more
	//	lead_near_bound      warning  nine tenths of MaxLead are used: more is drawn than the layout sustains
	//	time_field_ending    warning  the last tick is within Expiry.Warn of the configuration
	//	worker_ids_low       warning  more than 80 % of the worker IDs are taken
	//	numbers_low          warning  more than 80 % of the numbers from First to Last are taken
	Code  string `json:"code"`
	Level string `json:"level"`
	// Text is for people, and not stable.
	Text string `json:"text"`
}

// A Reservation is what the worker has reserved.
type Reservation struct {
	WorkerID int64 `json:"worker_id"`
	// Until is when the last reserved tick ends: zero while nothing is reserved, and beyond the year 9999.
	Until time.Time `json:"until,omitzero"`
	// Remaining is how long the reserved ticks last, so how long the store may stay away: by the clock or, where more
	// is drawn than the layout sustains, at the rate of the last seconds.
	Remaining Duration `json:"remaining_seconds"`
	// Bounded is false when all ticks up to the end of the time field are reserved.
	Bounded bool `json:"bounded"`
	// UsedUp says that every reserved tick is used or has passed, and that no UID is ready.
	UsedUp bool `json:"used_up"`
}

// A Lead is how the generator stands to the clock. For uncached, Lag, Bound, Reach and LagBound are zero.
type Lead struct {
	// Now is how far the newest tick from which a UID was issued is ahead of the clock, in whole ticks, and Lag how far
	// behind. The Lag of an idle generator grows, but its next UID is not late.
	Now Duration `json:"now_seconds"`
	Lag Duration `json:"lag_seconds"`
	// Bound is MaxLead, and zero when Unbounded is true.
	Bound Duration `json:"bound_seconds"`
	// Reach is how far the lead can go now: Bound, or what is reserved if that is less; zero if unbounded.
	Reach     Duration `json:"reach_seconds"`
	Unbounded bool     `json:"unbounded"`
	// LagBound is MaxLag, in whole ticks.
	LagBound Duration `json:"lag_bound_seconds"`
	Tick     Duration `json:"tick_seconds"`
	// Wait is how long it takes until the clock allows the next UID: more than a tick only if the clock is behind what
	// was issued before.
	Wait Duration `json:"wait_seconds"`
}

// A TimeField is the layout's.
type TimeField struct {
	// Expires is when the last tick begins. It is zero beyond the year 9999.
	Expires time.Time `json:"expires,omitzero"`
	// Remaining is how long it takes until the last tick has passed, at most 292 years.
	Remaining Duration `json:"remaining_seconds"`
	// Ending says that Expires is within Expiry.Warn.
	Ending bool `json:"ending"`
}

// A Ring is what a cached generator holds ready.
type Ring struct {
	// Slots is how many ticks the ring holds, and PerTick how many UIDs a tick holds.
	Slots   int64 `json:"slots"`
	PerTick int64 `json:"per_tick"`
	// Cursor is the tick from which UIDs are drawn now, and Used how many of its UIDs are drawn or skipped. Tail is the
	// first tick not in the ring yet: the ring is empty when Cursor is Tail.
	Cursor int64 `json:"cursor"`
	Used   int64 `json:"used"`
	Tail   int64 `json:"tail"`
	// Usable is false before the first tick, when a revocation or an outage has made the ring stale, and after Close.
	Usable bool `json:"usable"`
}

// Numbers are those that a segment has in hand.
type Numbers struct {
	// Lasts is how long the Buffered ones last at the present rate: 0 when that is unknown or zero.
	Lasts Duration `json:"lasts_seconds"`
	// Drawn is the number issued last, 0 before the first, and Step how many the Store was asked for last.
	Drawn int64  `json:"drawn"`
	Step  int64  `json:"step"`
	Store string `json:"store"`
	// Newest is the highest number taken from the store, 0 before the first. Left is how many are above it, of the
	// Total from First to Last of the configuration.
	Newest int64 `json:"newest"`
	Left   int64 `json:"left"`
	Total  int64 `json:"total"`
	// Low says that more than 80 % of Total are used.
	Low bool `json:"low"`
}

// A Failing is a renewal that fails.
type Failing struct {
	// Error is the text of the last failure.
	Error string `json:"error"`
	// Since is when the first of the Attempts in a row failed.
	Since    time.Time `json:"since,omitzero"`
	Attempts int64     `json:"attempts"`
}

// String is "ready" or "not ready", and the texts of the reasons.
func (h Health) String() string {
	text := "ready"
	if !h.Ready {
		text = "not ready"
	}
	if len(h.Reasons) == 0 {
		return text
	}
	texts := make([]string, len(h.Reasons))
	for i, r := range h.Reasons {
		texts[i] = r.Text
	}
	return fmt.Sprintf("%s: %s", text, strings.Join(texts, "; "))
}
