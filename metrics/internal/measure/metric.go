// Package measure has the one list of metrics, which package metrics and the modules below it show.
package measure

import (
	"slices"
	"time"

	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
)

// A Kind is the kind of a metric.
type Kind string

// The kinds.
const (
	Gauge   Kind = "gauge"   // goes up and down
	Counter Kind = "counter" // only goes up, from when the generator was made
)

// Seconds is the Unit of durations. Other units are what is counted, in braces, as UCUM has them.
const Seconds = "s"

// A Metric is one of the numbers that a generator has.
type Metric struct {
	name string
	// Kind and Unit say how to read the value; Help is for people.
	Kind Kind
	Unit string
	Help string

	value func(*health.Health) (float64, bool)
}

// Prometheus is the metric's name by the conventions of Prometheus: with its base unit, and
// _total for counters.
func (m Metric) Prometheus() string {
	name := "uid_" + m.name
	if m.Unit == Seconds {
		name += "_seconds"
	}
	if m.Kind == Counter {
		name += "_total"
	}
	return name
}

// OpenTelemetry is the metric's name by the conventions of OpenTelemetry, which keeps the unit
// apart. Its exporter to Prometheus makes the name that Prometheus returns.
func (m Metric) OpenTelemetry() string { return "uid." + m.name }

// Value returns the metric's value in a health; false if such a generator does not have it, or
// does not have it now.
func (m Metric) Value(h health.Health) (float64, bool) { return m.value(&h) }

// All returns all metrics, always in the same order.
func All() []Metric { return slices.Clone(all) }

var all = []Metric{
	gauge("ready", "{generator}",
		"1 if calls get a UID without an error and without waiting for longer than a tick, else 0.",
		func(h *health.Health) (float64, bool) { return number(h.Ready), true }),
	gauge("warnings", "{warning}", "What ends soon if nobody acts: reasons of the level warning.",
		func(h *health.Health) (float64, bool) {
			n := 0
			for _, r := range h.Reasons {
				if r.Level == telemetry.Warning {
					n++
				}
			}
			return float64(n), true
		}),
	gauge("buffered", "{uid}", "UIDs or numbers that are ready in memory.",
		func(h *health.Health) (float64, bool) { return float64(h.Buffered), h.Generator != "uncached" }),
	gauge("reservation_remaining", Seconds,
		"How long the reserved ticks last, at the rate of the last seconds: how long the worker's store may stay away.",
		func(h *health.Health) (float64, bool) {
			if h.Reservation == nil || !h.Reservation.Bounded {
				return 0, false
			}
			return h.Reservation.Remaining.Seconds(), true
		}),
	gauge("renewal_failing", Seconds,
		"For how long every attempt to renew the reservation, or to take numbers, has failed; "+
			"0 if the last one succeeded.",
		func(h *health.Health) (float64, bool) {
			if h.Failing == nil {
				return 0, true
			}
			// Never 0 while it fails, whatever the clock does.
			return max(h.Time.Sub(h.Failing.Since), time.Millisecond).Seconds(), true
		}),
	gauge("lease_remaining", Seconds, "How long the right to the worker ID lasts if it is not renewed.",
		func(h *health.Health) (float64, bool) {
			if h.Worker == nil || h.Worker.Ends.IsZero() {
				return 0, false
			}
			return max(h.Worker.Ends.Sub(h.Time), 0).Seconds(), true
		}),
	gauge("worker_id", "{id}", "The worker ID under which UIDs are made.",
		of(reservation, func(r *health.Reservation) float64 { return float64(r.WorkerID) })),
	gauge("worker_ids_taken", "{id}", "Worker IDs known to be taken when this generator got its own.",
		of(workerIDs, func(ids *health.IDs) float64 { return float64(ids.Taken) })),
	gauge("worker_ids_max", "{id}", "Worker IDs that there are.",
		of(workerIDs, func(ids *health.IDs) float64 { return float64(ids.Total) })),
	gauge("lead", Seconds, "How far the newest UID is ahead of the clock.",
		of(lead, func(l *health.Lead) float64 { return l.Now.Seconds() })),
	gauge("lead_max", Seconds, "How far UIDs can be ahead of the clock: MaxLead, or the reservation if that is less.",
		func(h *health.Health) (float64, bool) {
			if h.Lead == nil || h.Lead.Reach.Duration == 0 {
				return 0, false
			}
			return h.Lead.Reach.Seconds(), true
		}),
	gauge("clock_wait", Seconds, "How long it takes until the clock allows the next UID.",
		of(lead, func(l *health.Lead) float64 { return l.Wait.Seconds() })),
	gauge("began_ahead", Seconds, "How long it takes until the clock is where the worker began ahead of it; else 0.",
		func(h *health.Health) (float64, bool) {
			if h.Worker == nil || h.Worker.Ahead == nil {
				return 0, h.Worker != nil
			}
			return max(h.Worker.Ahead.Until.Sub(h.Time), 0).Seconds(), true
		}),
	gauge("time_field_remaining", Seconds, "How long it takes until the last tick of the layout has passed.",
		of(timeField, func(f *health.TimeField) float64 { return f.Remaining.Seconds() })),
	gauge("numbers_remaining", Seconds, "How long the numbers in hand last at the present rate.",
		func(h *health.Health) (float64, bool) {
			if h.Numbers == nil || h.Numbers.Lasts.Duration == 0 && h.Buffered > 0 {
				return 0, false // it is not known
			}
			return h.Numbers.Lasts.Seconds(), true
		}),
	gauge("numbers_left", "{number}", "Numbers that nobody has taken from the store yet.",
		of(numbers, func(n *health.Numbers) float64 { return float64(n.Left) })),
	gauge("numbers_max", "{number}", "Numbers that there are, from the first to the last.",
		of(numbers, func(n *health.Numbers) float64 { return float64(n.Total) })),

	counter(telemetry.Issued, "{uid}", "UIDs or numbers that were drawn."),
	counter(telemetry.Lost, "{uid}", "Claimed positions that were not issued; they leave gaps."),
	counter(telemetry.Ticks, "{tick}", "Ticks that were put into the ring."),
	counter(telemetry.StaleTicks, "{tick}",
		"Ticks that were skipped untouched, because the clock had left them behind or because they were discarded."),
	counter(telemetry.Refills, "{refill}", "Refills of the ring."),
	counter(telemetry.RejectedTakes, "{call}", "Calls that found no UID that they may have."),
	counter(telemetry.RejectedPuts, "{tick}",
		"Ticks for which the ring had no room, so that UIDs are issued behind the clock."),
	counter(telemetry.HandlerPanics, "{panic}", "Panics of the program's handlers."),
	counter(telemetry.ClockBehind, "{call}", "Calls that found the clock behind the newest UID."),
	counter(telemetry.SequenceWaits, "{call}", "Calls that slept because the sequence of their tick was used up."),
	counter(telemetry.RenewalFailures, "{attempt}",
		"Attempts to renew the reservation, or to take numbers, that failed."),
	counter(telemetry.NumbersTaken, "{number}", "Numbers that were taken from the store."),
	counter(telemetry.Segments, "{segment}", "How often numbers were taken from the store."),
	counter(telemetry.NumbersGivenBack, "{number}", "Numbers that were given back to the store."),
	counter(telemetry.NumbersDropped, "{number}",
		"Numbers of which nobody knows whether they were issued; they leave gaps."),
}

// of is the value of a part of a health that a generator may lack.
func of[Part any](part func(*health.Health) *Part, value func(*Part) float64) func(*health.Health) (float64, bool) {
	return func(h *health.Health) (float64, bool) {
		p := part(h)
		if p == nil {
			return 0, false
		}
		return value(p), true
	}
}

func reservation(h *health.Health) *health.Reservation { return h.Reservation }
func lead(h *health.Health) *health.Lead               { return h.Lead }
func timeField(h *health.Health) *health.TimeField     { return h.TimeField }
func numbers(h *health.Health) *health.Numbers         { return h.Numbers }

func workerIDs(h *health.Health) *health.IDs {
	if h.Worker == nil {
		return nil
	}
	return h.Worker.IDs
}

func gauge(name, unit, help string, value func(*health.Health) (float64, bool)) Metric {
	return Metric{name: name, Kind: Gauge, Unit: unit, Help: help, value: value}
}

func counter(c, unit, help string) Metric {
	return Metric{name: c, Kind: Counter, Unit: unit, Help: help, value: func(h *health.Health) (float64, bool) {
		n, ok := h.Counts[c]
		return float64(n), ok
	}}
}

func number(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Label is the name of the one label, or attribute, that samples have: the generator's name.
const Label = "generator"

// A Sample is the value of a metric of a generator.
type Sample struct {
	// Metric is the index in All.
	Metric    int
	Generator string
	Value     float64
}
