package debug

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/health"
	"github.com/uidgen/uid/internal/telemetry"
	"github.com/uidgen/uid/segment"
)

// A source reads a generator.
type source struct {
	kind   string
	layout bits.Layout // zero for a generator of numbers without time
	read   func() reading
}

// A reading is a generator as it is now, as JSON for the page. Integers that may be above 2^53
// are texts.
type reading struct {
	// issued is what has been drawn, if counted says that the generator counts that.
	issued  uint64
	counted bool
	// id is the worker ID, where there is one; disposable says of which kind it is.
	id         int64
	disposable bool

	Issued   string    `json:"issued,omitempty"`
	WorkerID string    `json:"worker,omitempty"`
	Waiting  int64     `json:"waiting"` // calls
	Ring     *ring     `json:"ring,omitempty"`
	Bounds   *bounds   `json:"bounds,omitempty"`
	Segment  *numbers  `json:"segment,omitempty"`
	Reserved *reserved `json:"reserved,omitempty"`
	Expires  *instant  `json:"expires,omitempty"`
	Expiring bool      `json:"expiring,omitempty"`
	// Ready says that calls get their UIDs; Reasons say why not, or why soon not.
	Ready   bool     `json:"ready"`
	Reasons []reason `json:"reasons"`
	// Failing is nil if the last attempt to reserve succeeded.
	Failing  *failing  `json:"failing,omitempty"`
	Counters []counter `json:"counters"`
}

// A reason is one of a generator's health.
type reason struct {
	Level string `json:"level"`
	Text  string `json:"text"`
	code  string
}

// A failing is a reservation that cannot be extended.
type failing struct {
	Text  string  `json:"text"`
	Since instant `json:"since"`
}

// A ring is what a cached generator holds.
type ring struct {
	Slots    int64  `json:"slots"`
	PerTick  string `json:"perTick"`
	Cursor   string `json:"cursor"`
	Tail     string `json:"tail"`
	Used     string `json:"used"`
	Buffered string `json:"buffered"`
	Capacity string `json:"capacity"`
	Usable   bool   `json:"usable"`
	// Ready is how many of the slots are buffered, Front how much of the first of them is left, 0
	// to 1, and At the slot of the cursor: for the drawing.
	Ready int64   `json:"ready"`
	Front float64 `json:"front"`
	At    int64   `json:"at"`
}

// bounds are lead and lag in milliseconds; a bound of -1 stands for none.
type bounds struct {
	Lead    float64 `json:"lead"`
	MaxLead float64 `json:"maxLead"`
	Lag     float64 `json:"lag"`
	MaxLag  float64 `json:"maxLag"`
}

// numbers are what a generator of segments holds.
type numbers struct {
	Tag      string  `json:"tag"`
	Store    string  `json:"store,omitempty"`
	Newest   string  `json:"newest"`
	Buffered string  `json:"buffered"`
	Step     string  `json:"step"`
	Lasts    float64 `json:"lasts"` // ms; 0 when it is not known
	Level    float64 `json:"level"` // Buffered by two steps, 0 to 1
}

// reserved is how long the reservation lasts.
type reserved struct {
	Until instant `json:"until"`
	// From is when Until was seen first: the whole length of the bar.
	From instant `json:"from"`
	// Endless says that only the layout bounds the reservation.
	Endless bool `json:"endless,omitempty"`
	// Lasts is for how long calls succeed with it, at the rate of the last seconds, in ms; UsedUp says
	// that nothing of it is left.
	Lasts  float64 `json:"lasts"`
	UsedUp bool    `json:"usedUp,omitempty"`
}

// An instant is a time for JavaScript, in ms since 1970, with its text for years that are beyond.
type instant struct {
	MS   int64  `json:"ms"`
	Text string `json:"text"`
}

func at(t time.Time) instant {
	return instant{MS: t.UnixMilli(), Text: t.UTC().Format(time.RFC3339Nano)}
}

// A counter is one that tells of trouble when it rises.
type counter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	Means string `json:"means"`
}

// counts is the counter of a count, under its own name.
func counts(h health.Health, name, means string) counter {
	return counter{strings.ReplaceAll(name, "_", " "), format(h.Counts[name]), means}
}

// sourceOf returns how to read a generator, or an error that wraps uid.ErrConfig.
func sourceOf(g Generator) (source, error) {
	switch of := g.Generator.(type) {
	case *cached.Generator:
		if of != nil {
			return source{"cached", of.Layout(), func() reading { return readCached(of) }}, nil
		}
	case *uncached.Generator:
		if of != nil {
			return source{"uncached", of.Layout(), func() reading { return readUncached(of) }}, nil
		}
	case *segment.Generator:
		if of != nil {
			return source{"segment", bits.Layout{}, func() reading { return readSegment(of) }}, nil
		}
	}
	return source{}, fmt.Errorf("debug: %w: generator %q is a %T: want a *cached.Generator, *uncached.Generator or "+
		"*segment.Generator, not nil", uid.ErrConfig, g.Name, g.Generator)
}

func readCached(g *cached.Generator) reading {
	h := g.Health()
	r, l := h.Ring, h.Lead
	v := reading{
		issued: h.Counts[telemetry.Issued], counted: true,
		Ring: &ring{
			Slots: r.Slots, PerTick: decimal(r.PerTick), Cursor: decimal(r.Cursor), Tail: decimal(r.Tail),
			Used: decimal(r.Used), Buffered: decimal(h.Buffered), Capacity: decimal(r.Slots * r.PerTick),
			Usable: r.Usable, At: r.Cursor % r.Slots,
		},
		Bounds: &bounds{Lead: ms(l.Now), MaxLead: ms(l.Bound), Lag: ms(l.Lag), MaxLag: ms(l.LagBound)},
		Counters: []counter{
			counts(h, telemetry.RejectedTakes, "calls that found no UID that they may have"),
			counts(h, telemetry.RejectedPuts, "ticks for which the ring had no room: it is too small for its MaxLag"),
			counts(h, telemetry.Lost, "claimed and not issued: gaps in the sequence, nothing else"),
			counts(h, telemetry.StaleTicks, "skipped untouched, because the clock had left them behind"),
			counts(h, telemetry.HandlerPanics, "in OnRejectedTake and OnRejectedPut"),
		},
	}
	if r.Usable {
		v.Ring.Ready = r.Tail - r.Cursor
		v.Ring.Front = 1 - float64(r.Used)/float64(r.PerTick)
	}
	if l.Unbounded {
		v.Bounds.MaxLead = -1
	}
	v.worker(h, g.Layout())
	v.health(h)
	return v
}

func readUncached(g *uncached.Generator) reading {
	h := g.Health()
	v := reading{
		Bounds: &bounds{Lead: ms(h.Lead.Now), MaxLead: -1, MaxLag: -1},
		Counters: []counter{
			counts(h, telemetry.ClockBehind, "calls that found the clock behind and asked their policy"),
			counts(h, telemetry.SequenceWaits, "calls that slept: more is drawn than the layout sustains"),
		},
	}
	v.worker(h, g.Layout())
	v.health(h)
	return v
}

func readSegment(g *segment.Generator) reading {
	h := g.Health()
	n := h.Numbers
	v := reading{
		issued: h.Counts[telemetry.Issued], counted: true,
		Segment: &numbers{
			Tag: h.Tag, Store: n.Store, Newest: decimal(n.Drawn), Buffered: decimal(h.Buffered), Step: decimal(n.Step),
			Lasts: ms(n.Lasts), Level: min(1, float64(h.Buffered)/float64(2*max(1, n.Step))),
		},
		Counters: []counter{
			{"segments", format(h.Counts[telemetry.Segments]), "taken from the store"},
			counts(h, telemetry.RejectedTakes, "calls that found no number"),
			{"failures", "0", "attempts in a row to take numbers that failed"},
			{
				"dropped", format(h.Counts[telemetry.NumbersDropped]),
				"numbers not issued because nobody knows whether they were",
			},
			counts(h, telemetry.HandlerPanics, "in OnRejectedTake"),
		},
	}
	if h.Failing != nil {
		v.Counters[2].Value = decimal(h.Failing.Attempts)
	}
	v.health(h)
	return v
}

// worker adds what generators with a worker ID have in common. The times are the layout's, which may be
// beyond the years that a Health holds.
func (v *reading) worker(h health.Health, l bits.Layout) {
	end := at(l.Expires())
	v.id, v.WorkerID = h.Reservation.WorkerID, decimal(h.Reservation.WorkerID)
	v.disposable = h.Worker != nil && h.Worker.Kind == "disposable"
	v.Expires, v.Expiring = &end, h.TimeField.Ending
	switch r := h.Reservation; {
	case !r.Bounded:
		v.Reserved = &reserved{Until: end, Endless: true}
	case !r.Until.IsZero():
		v.Reserved = &reserved{Until: at(r.Until)}
	}
}

// health adds what all generators tell of their health.
func (v *reading) health(h health.Health) {
	v.Ready, v.Reasons, v.Waiting = h.Ready, []reason{}, h.Waiting
	if v.Reserved != nil {
		v.Reserved.Lasts, v.Reserved.UsedUp = ms(h.Reservation.Remaining), h.Reservation.UsedUp
	}
	if v.Bounds != nil && h.Lead.Reach.Duration > 0 {
		v.Bounds.MaxLead = ms(h.Lead.Reach)
	}
	for _, r := range h.Reasons {
		v.Reasons = append(v.Reasons, reason{r.Level, r.Text, r.Code})
	}
	if f := h.Failing; f != nil {
		v.Failing = &failing{f.Error, at(f.Since)}
	}
}

// hide leaves out what names hosts: the texts that others wrote, and the place of a store.
func (v *reading) hide() {
	if v.Failing != nil {
		v.Failing.Text = hidden
	}
	for i, r := range v.Reasons {
		v.Reasons[i].Text = strings.ReplaceAll(r.code, "_", " ")
	}
	if v.Segment != nil {
		v.Segment.Store = ""
	}
}

// hidden stands for the text of a failure that must not be shown.
const hidden = "the page is configured not to show why"

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func ms(d health.Duration) float64 { return float64(d.Duration) / float64(time.Millisecond) }
