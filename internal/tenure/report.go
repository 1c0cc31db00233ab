package tenure

import (
	"context"
	"log/slog"
	"time"

	"github.com/uidgen/uid/health"
)

// report logs the stage of the trouble if it has changed since the last report, and sets the timer for the next stage.
// Neither mu nor granting is held: a handler of the logger may ask the generator for its health.
func (t *Tenure) report() {
	t.logging.Lock()
	defer t.logging.Unlock()
	l := t.lock()
	r, left := t.trouble, l.left(t.cfg.Now())
	now := r.stage(left)
	// Each stage is logged once; only the end of the trouble is below one that was.
	quiet := t.stopped || t.grant.Load().Ended != nil || now == r.logged || now != fine && now < r.logged
	if !quiet {
		t.trouble.logged = now
	}
	next := now
	if t.stopped {
		next = over
	}
	t.trouble.schedule(next, left, t.report)
	l.unlock()
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
	if r.err != nil {
		attrs = append(attrs, slog.Any("error", r.err))
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

// workerHealth is what the worker reports of itself; nil for nothing.
func (t *Tenure) workerHealth() *health.Worker {
	r, ok := t.worker.(health.WorkerReporter)
	if !ok {
		return nil
	}
	w := r.WorkerHealth()
	return &w
}
