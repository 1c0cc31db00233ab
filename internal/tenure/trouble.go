package tenure

import (
	"context"
	"log/slog"
	"time"
)

// trouble is what is known of renewals that fail. Tenure.mu guards it.
type trouble struct {
	total    uint64        // attempts that failed, ever
	attempts int64         // in a row
	since    time.Time     // when the first of them failed
	whole    time.Duration // what was left then
	spent    bool          // a call has failed for want of ticks
	told     stage         // what the log has of it
	timer    *time.Timer   // for the next stage; nil before the first trouble
}

// A stage is how far trouble has come. Each is logged once.
type stage int

const (
	fine  stage = iota
	begun       // a renewal has failed
	half        // half of what was left when it began is left
	over        // nothing is left
)

// failedLocked notes a renewal that failed.
func (t *Tenure) failedLocked(err error) {
	held(&t.mu)
	r := &t.trouble
	if t.refused == nil {
		r.attempts, r.since, r.whole, r.spent = 0, t.cfg.Now(), t.leftLocked(t.cfg.Now()), false
	}
	t.refused = err
	r.total++
	r.attempts++
}

// stageLocked is how far the trouble has come by now.
func (t *Tenure) stageLocked(left time.Duration) stage {
	held(&t.mu)
	r := &t.trouble
	switch {
	case t.refused == nil:
		return fine
	case r.spent || left <= 0:
		return over
	case left <= r.whole/2:
		return half
	}
	return begun
}

// report logs what has changed since the last report, and sees to the next one. Neither t.mu
// nor t.granting is held: a handler of the logger may ask the generator for its health.
func (t *Tenure) report() {
	t.logging.Lock()
	defer t.logging.Unlock()
	t.mu.Lock()
	r, left, refused := t.trouble, t.leftLocked(t.cfg.Now()), t.refused
	now := t.stageLocked(left)
	// What was told is not told again; only the end of the trouble is below it.
	quiet := t.stopped || t.grant.Load().Ended != nil || now == r.told || now != fine && now < r.told
	if !quiet {
		t.trouble.told = now
	}
	t.watchLocked(now, left)
	t.mu.Unlock()
	if quiet {
		return
	}
	attrs := []slog.Attr{
		slog.Int64("worker_id", t.grant.Load().WorkerID), slog.Duration("left", left),
		slog.Int64("attempts", r.attempts), slog.Duration("for", t.cfg.Now().Sub(r.since)),
	}
	if w := t.workerHealth(); w != nil && w.Place != "" {
		attrs = append(attrs, slog.String("store", w.Place))
	}
	if refused != nil {
		attrs = append(attrs, slog.Any("error", refused))
	}
	level := slog.LevelInfo
	if now != fine && left < time.Minute {
		level = slog.LevelWarn
	}
	text := ""
	switch now {
	case fine:
		text = "uid: the reservation is renewed again"
	case begun:
		text = "uid: the reservation cannot be renewed"
	case half:
		text = "uid: half of the reservation is left, and it still cannot be renewed"
	case over:
		text, level = "uid: the reservation is used up and cannot be renewed: calls fail", slog.LevelError
	}
	t.cfg.Logger.LogAttrs(context.Background(), level, text, attrs...)
}

// watchLocked sets the timer for the next stage.
func (t *Tenure) watchLocked(now stage, left time.Duration) {
	held(&t.mu)
	r := &t.trouble
	if r.timer != nil {
		r.timer.Stop()
	}
	next := left
	switch {
	case t.stopped || now == fine || now == over:
		return
	case now == begun:
		next = left - r.whole/2
	}
	next = max(next, minPause) // a clock that stands still
	if r.timer == nil {
		r.timer = time.AfterFunc(next, t.report)
		return
	}
	r.timer.Reset(next)
}

// spendLocked notes that a call failed for want of ticks, though some may be left by the clock: they are
// all made ready.
func (t *Tenure) spendLocked() {
	held(&t.mu)
	r := &t.trouble
	if r.spent {
		return
	}
	r.spent = true
	if r.timer != nil && !t.stopped {
		r.timer.Reset(0)
	}
}
