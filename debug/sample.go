package debug

import (
	"time"
)

const (
	// every is how often a page asks. An outage shows within two seconds: half of one until the
	// store is asked, 750 ms until that counts as no answer, half of one until the page asks again.
	every = 500 * time.Millisecond
	// step is the shortest time that a rate is an average of.
	step = time.Second
	// kept is how many rates are kept: five minutes of steps.
	kept = 300
)

// A track is a generator and its newest sample. handler.mu guards it.
type track struct {
	Generator
	source  source
	now     reading
	history history

	begun   time.Time // of the average that comes next
	counted uint64    // issued by then

	reservedFrom  time.Time // when reservedUntil was seen first
	reservedUntil int64
}

// sample reads all generators if that is due. handler.mu is held, except in New.
func (h *handler) sample() {
	now := h.cfg.Now()
	if since := now.Sub(h.sampled); since >= 0 && since < every*9/10 {
		return
	}
	h.sampled = now
	for _, t := range h.tracks {
		t.sample(now, h.cfg.HideHosts)
	}
}

func (t *track) sample(now time.Time, hide bool) {
	v := t.source.read()
	if hide {
		v.hide()
	}
	if r := v.Reserved; r != nil {
		if t.reservedUntil != r.Until.MS {
			t.reservedUntil, t.reservedFrom = r.Until.MS, now
		}
		r.From = at(t.reservedFrom)
	}
	t.now = v
	if !v.counted {
		return
	}
	t.now.Issued = format(v.issued)
	switch took := now.Sub(t.begun); {
	case t.begun.IsZero() || took < 0: // the first, or the clock was set back
	case took < step:
		return
	default:
		// Lanes give back what they held too long, so that the count may go down a little.
		drawn := max(v.issued, t.counted) - t.counted
		t.history.add(point{from: t.begun, to: now, rate: float64(drawn) / took.Seconds()})
	}
	t.begun, t.counted = now, v.issued
}
