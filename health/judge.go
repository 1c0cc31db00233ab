package health

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uidgen/uid"
)

// A Reason says why a generator is not ready, or soon will not be.
type Reason struct {
	Code  Code  `json:"code"`
	Level Level `json:"level"`
	// Text is for people, with the numbers. It is not stable, as Code is.
	Text string `json:"text"`
}

// A Level is how grave a Reason is.
type Level string

// The levels.
const (
	LevelError   Level = "error"   // the generator is not ready
	LevelWarning Level = "warning" // it is ready, and will not be for ever if nobody acts
)

// A Code names a Reason to programs. The codes are stable; there may be more of them one day.
type Code string

// The codes of LevelError.
const (
	// Closed: the generator was closed.
	Closed Code = "closed"
	// Exhausted: the time field, or the numbers up to Config.Last, are used up. It is final.
	Exhausted Code = "exhausted"
	// NumbersLost: the store has lost numbers that it gave, and none is issued any more.
	NumbersLost Code = "numbers_lost"
	// NoReservation: nothing is reserved, or in hand, that could be issued. Calls fail or wait
	// until the worker's store, or the segment's, has answered.
	NoReservation Code = "no_reservation"
	// ClockIsBehind: the clock is behind what was issued, or reserved, by more than a tick beyond
	// what the generator bridges. Calls wait or fail until it has caught up.
	ClockIsBehind Code = "clock_behind"
)

// The codes of LevelWarning.
const (
	// ReservationFailing: the renewals fail, and what is left lasts less than a minute.
	ReservationFailing Code = "reservation_failing"
	// ReservationUsedUp: the generator is ahead of the clock, all that is reserved is used, and calls wait
	// until the worker has reserved more.
	ReservationUsedUp Code = "reservation_used_up"
	// LeadNearBound: nine tenths of MaxLead are used. More is drawn than the layout sustains, and
	// calls will wait for the clock, or fail, as OnRejectedTake says.
	LeadNearBound Code = "lead_near_bound"
	// TimeFieldEnding: the layout's time field is nearly full.
	TimeFieldEnding Code = "time_field_ending"
	// WorkerIDsLow: more than 80 % of the worker IDs are taken.
	WorkerIDsLow Code = "worker_ids_low"
	// NumbersLow: more than 80 % of the numbers from Config.First to Config.Last are taken.
	NumbersLow Code = "numbers_low"
)

// Judge sets Ready and Reasons by the numbers, and brings times into the form that JSON can
// hold: UTC, and zero beyond the year 9999. ended is nil, or why nothing will ever be issued again.
// It is for those who make a Health.
func (h *Health) Judge(ended error) {
	h.plainTimes()
	h.Reasons = []Reason{}
	h.judgeEnd(ended)
	if ended == nil {
		h.judgeReservation()
		h.judgeNumbers()
		h.judgeLead()
		h.judgeTimeField()
		h.judgeWorker()
	}
	slices.SortStableFunc(h.Reasons, func(a, b Reason) int { return cmp.Compare(a.Level, b.Level) }) // error, warning
	h.Ready = !slices.ContainsFunc(h.Reasons, func(r Reason) bool { return r.Level == LevelError })
}

func (h *Health) add(level Level, code Code, format string, args ...any) {
	h.Reasons = append(h.Reasons, Reason{Code: code, Level: level, Text: fmt.Sprintf(format, args...)})
}

func (h *Health) judgeEnd(ended error) {
	switch {
	case ended == nil:
	case errors.Is(ended, uid.ErrClosed):
		h.add(LevelError, Closed, "%v", ended)
	case errors.Is(ended, uid.ErrExhausted):
		h.add(LevelError, Exhausted, "%v", ended)
	default:
		h.add(LevelError, NumbersLost, "%v", ended)
	}
}

func (h *Health) judgeReservation() {
	r := h.Reservation
	if r == nil {
		return
	}
	switch {
	case r.UsedUp && (h.passed(r.Until) || h.Failing != nil):
		h.add(LevelError, NoReservation, "no tick is reserved that could be issued%s", h.why())
	case r.UsedUp:
		h.add(LevelWarning, ReservationUsedUp, "all reserved ticks are used, and calls wait until more are reserved: as fast as the clock goes on, at least")
	case h.Failing != nil && r.Remaining.Duration < time.Minute:
		h.add(LevelWarning, ReservationFailing, "the reservation ends in %s and cannot be renewed%s", short(r.Remaining), h.why())
	}
}

// passed reports whether the clock has passed the tick that begins at the time t.
func (h *Health) passed(t time.Time) bool {
	if h.Lead != nil {
		t = t.Add(h.Lead.Tick.Duration)
	}
	return !h.Time.Before(t)
}

func (h *Health) judgeNumbers() {
	n := h.Numbers
	if n == nil {
		return
	}
	switch {
	case h.Failing == nil:
	case h.Buffered == 0:
		h.add(LevelError, NoReservation, "no numbers are left, and none can be taken%s", h.why())
	case n.Lasts.Duration > 0 && n.Lasts.Duration < time.Minute:
		h.add(LevelWarning, ReservationFailing, "%d numbers are left for some %s, and none can be taken%s", h.Buffered, short(n.Lasts), h.why())
	}
	if n.Low {
		h.add(LevelWarning, NumbersLow, "more than 80 %% of the numbers are taken: %d are left after %d", n.Left, n.Newest)
	}
}

func (h *Health) judgeLead() {
	l := h.Lead
	if l == nil {
		return
	}
	switch {
	case l.Wait.Duration > l.Tick.Duration:
		h.add(LevelError, ClockIsBehind, "the clock has to go on for %s before the next UID may be issued", short(l.Wait))
	case l.Bound.Duration > 0 && l.Now.Duration >= l.Bound.Duration-l.Bound.Duration/10:
		h.add(LevelWarning, LeadNearBound, "UIDs are %v ahead of the clock, of %v that MaxLead allows", l.Now, l.Bound)
	}
}

func (h *Health) judgeTimeField() {
	f := h.TimeField
	switch {
	case f == nil:
	case f.Remaining.Duration <= 0:
		h.add(LevelError, Exhausted, "the last tick of the layout began at %s", stamp(f.Expires))
	case f.Ending:
		h.add(LevelWarning, TimeFieldEnding, "the last tick of the layout begins at %s", stamp(f.Expires))
	}
}

func (h *Health) judgeWorker() {
	if w := h.Worker; w != nil && w.IDs != nil && w.IDs.Low {
		h.add(LevelWarning, WorkerIDsLow, "%d of %d worker IDs are taken", w.IDs.Taken, w.IDs.Total)
	}
}

// why tells the failure, if there is one.
func (h *Health) why() string {
	if h.Failing == nil {
		return ""
	}
	return ": " + h.Failing.Error
}

func short(d Duration) time.Duration {
	if d.Duration < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

func stamp(t time.Time) string { return t.Format(time.RFC3339) }

// plainTimes makes times such as JSON can hold and gives back.
func (h *Health) plainTimes() {
	h.Time = plain(h.Time)
	if h.Reservation != nil {
		h.Reservation.Until = plain(h.Reservation.Until)
	}
	if h.TimeField != nil {
		h.TimeField.Expires = plain(h.TimeField.Expires)
	}
	if h.Worker != nil {
		h.Worker.Ends = plain(h.Worker.Ends)
	}
	if h.Failing != nil {
		h.Failing.Since = plain(h.Failing.Since)
	}
}

func plain(t time.Time) time.Time {
	t = t.Round(0).UTC()
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}
