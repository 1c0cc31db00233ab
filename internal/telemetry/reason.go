// Package telemetry is what a generator says of itself: the names of what it counts, which are the keys of Counts in
// package health, and whether it is ready, and why not.
package telemetry

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/health"
)

// The levels.
const (
	Error   = "error"
	Warning = "warning"
)

// The codes: package health says what they mean.
const (
	Closed             = "closed"
	Exhausted          = "exhausted"
	NumbersLost        = "numbers_lost"
	NoReservation      = "no_reservation"
	ClockIsBehind      = "clock_behind"
	BeganAhead         = "began_ahead"
	ReservationFailing = "reservation_failing"
	ReservationUsedUp  = "reservation_used_up"
	LeadNearBound      = "lead_near_bound"
	TimeFieldEnding    = "time_field_ending"
	WorkerIDsLow       = "worker_ids_low"
	NumbersLow         = "numbers_low"
)

// A judge adds the reasons to a Health.
type judge struct{ *health.Health }

// Judge sets Ready and Reasons by the numbers, and brings times into the form that JSON can
// hold: UTC, and zero beyond the year 9999. ended is nil, or why nothing will ever be issued again.
func Judge(of *health.Health, ended error) {
	h := judge{of}
	h.plainTimes()
	h.Reasons = []health.Reason{}
	h.judgeEnd(ended)
	if ended == nil {
		h.judgeReservation()
		h.judgeNumbers()
		h.judgeLead()
		h.judgeTimeField()
		h.judgeWorker()
	}
	slices.SortStableFunc(h.Reasons, func(a, b health.Reason) int {
		return cmp.Compare(a.Level, b.Level) // error, warning
	})
	h.Ready = !slices.ContainsFunc(h.Reasons, func(r health.Reason) bool { return r.Level == Error })
}

func (h judge) add(level, code, format string, args ...any) {
	h.Reasons = append(h.Reasons, health.Reason{Code: code, Level: level, Text: fmt.Sprintf(format, args...)})
}

func (h judge) judgeEnd(ended error) {
	switch {
	case ended == nil:
	case errors.Is(ended, uid.ErrClosed):
		h.add(Error, Closed, "%v", ended)
	case errors.Is(ended, uid.ErrExhausted):
		h.add(Error, Exhausted, "%v", ended)
	default:
		h.add(Error, NumbersLost, "%v", ended)
	}
}

func (h judge) judgeReservation() {
	r := h.Reservation
	if r == nil {
		return
	}
	switch {
	case r.UsedUp && (h.passed(r.Until) || h.Failing != nil):
		h.add(Error, NoReservation, "no tick is reserved that could be issued%s", h.why())
	case r.UsedUp:
		h.add(Warning, ReservationUsedUp,
			"all reserved ticks are used, and calls wait until more are reserved: "+
				"as fast as the clock goes on, at least")
	case h.Failing != nil && r.Remaining.Duration < time.Minute:
		h.add(Warning, ReservationFailing,
			"the reservation ends in %s and cannot be renewed%s", short(r.Remaining), h.why())
	}
}

// passed reports whether the clock has passed the tick that begins at the time t.
func (h judge) passed(t time.Time) bool {
	if h.Lead != nil {
		t = t.Add(h.Lead.Tick.Duration)
	}
	return !h.Time.Before(t)
}

func (h judge) judgeNumbers() {
	n := h.Numbers
	if n == nil {
		return
	}
	switch {
	case h.Failing == nil:
	case h.Buffered == 0:
		h.add(Error, NoReservation, "no numbers are left, and none can be taken%s", h.why())
	case n.Lasts.Duration > 0 && n.Lasts.Duration < time.Minute:
		h.add(Warning, ReservationFailing,
			"%d numbers are left for some %s, and none can be taken%s", h.Buffered, short(n.Lasts), h.why())
	}
	if n.Low {
		h.add(Warning, NumbersLow, "more than 80 %% of the numbers are taken: %d are left after %d", n.Left, n.Newest)
	}
}

func (h judge) judgeLead() {
	l := h.Lead
	if l == nil {
		return
	}
	switch {
	case h.beganAhead():
	case l.Wait.Duration > l.Tick.Duration:
		h.add(Error, ClockIsBehind, "the clock has to go on for %s before the next UID may be issued", short(l.Wait))
	case l.Bound.Duration > 0 && l.Now.Duration >= l.Bound.Duration-l.Bound.Duration/10:
		h.add(Warning, LeadNearBound, "UIDs are %v ahead of the clock, of %v that MaxLead allows", l.Now, l.Bound)
	}
}

// beganAhead reports whether the worker began ahead of the clock, which has not caught up yet.
func (h judge) beganAhead() bool {
	if h.Worker == nil || h.Worker.Ahead == nil || !h.Time.Before(h.Worker.Ahead.Until) {
		return false
	}
	a, text := h.Worker.Ahead, "UIDs began ahead of the clock, which is there at %s: %s"
	if wait := h.Lead.Wait; wait.Duration > h.Lead.Tick.Duration {
		h.add(Error, BeganAhead, text+"; MaxLead, or the policy, is for less: calls wait or fail for another %s",
			stamp(a.Until), a.Cause, short(wait))
	} else {
		h.add(Warning, BeganAhead, text, stamp(a.Until), a.Cause)
	}
	return true
}

func (h judge) judgeTimeField() {
	f := h.TimeField
	switch {
	case f == nil:
	case f.Remaining.Duration <= 0:
		h.add(Error, Exhausted, "the last tick of the layout began at %s", stamp(f.Expires))
	case f.Ending:
		h.add(Warning, TimeFieldEnding, "the last tick of the layout begins at %s", stamp(f.Expires))
	}
}

func (h judge) judgeWorker() {
	if w := h.Worker; w != nil && w.IDs != nil && w.IDs.Low {
		h.add(Warning, WorkerIDsLow, "%d of %d worker IDs are taken", w.IDs.Taken, w.IDs.Total)
	}
}

// why tells the failure, if there is one.
func (h judge) why() string {
	if h.Failing == nil {
		return ""
	}
	return ": " + h.Failing.Error
}

func short(d health.Duration) time.Duration {
	if d.Duration < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(time.Second)
}

func stamp(t time.Time) string { return t.Format(time.RFC3339) }

// plainTimes makes times such as JSON can hold and gives back.
func (h judge) plainTimes() {
	h.Time = plain(h.Time)
	if h.Reservation != nil {
		h.Reservation.Until = plain(h.Reservation.Until)
	}
	if h.TimeField != nil {
		h.TimeField.Expires = plain(h.TimeField.Expires)
	}
	if h.Worker != nil {
		h.Worker.Ends = plain(h.Worker.Ends)
		if a := h.Worker.Ahead; a != nil {
			h.Worker.Ahead = &health.Ahead{Cause: a.Cause, Until: plain(a.Until)}
		}
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
