package lease

import (
	"context"
	"log/slog"
	"time"
)

// An Event is something that happened to a lease.
type Event struct {
	// Kind is one of
	//
	//   - "acquired": the worker has an ID that was never leased, or was released.
	//   - "taken over": the worker has an ID whose holder did not release it.
	//   - "lost": the ID is another owner's, the lease has ended, the store forgot it, or [worker.Invalidate] was
	//     called. UIDs that are ready under the old one are still issued, except after Invalidate.
	//   - "low": less than half of the Window is left, and the store grants no more.
	Kind string
	// Store is the name of the lease's store, including the namespace.
	Store    string
	WorkerID int64
	// Holder names the ID's owner: the present one if the ID was lost, the former one if it was taken over; "" if
	// unknown.
	Holder string
	// Left is how long the reserved ticks last by the clock, and Err the reason, when they are lost or low.
	Left time.Duration
	Err  error
}

// The kinds of events.
const (
	acquired  = "acquired"
	takenOver = "taken over"
	lost      = "lost"
	low       = "low"
)

// report logs an event and passes it to OnEvent. A low one it only passes on: the generator logs
// renewals that fail, whatever the worker.
func (l *lessee) report(ctx context.Context, e Event) {
	e.Store = l.store.Name()
	level, text := slog.LevelDebug, "worker ID leased"
	switch e.Kind {
	case takenOver:
		level, text = slog.LevelWarn, "worker ID taken over from a holder that did not release it"
	case lost:
		level, text = slog.LevelWarn, "worker's lease lost"
	}
	attrs := []slog.Attr{slog.Int64("worker_id", e.WorkerID), slog.String("store", e.Store)}
	if e.Holder != "" {
		attrs = append(attrs, slog.String("other", e.Holder))
	}
	if e.Kind == lost {
		attrs = append(attrs, slog.Duration("left", e.Left), slog.Any("error", e.Err))
	}
	if e.Kind != low {
		l.cfg.Logger.LogAttrs(ctx, level, text, attrs...)
	}
	if l.cfg.OnEvent == nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			l.cfg.Logger.ErrorContext(ctx, "a worker's OnEvent panicked", "event", e.Kind, "panic", r)
		}
	}()
	l.cfg.OnEvent(e)
}
