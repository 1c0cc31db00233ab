// Package supply decides when a layout's worker IDs are running out: when more than 80 % of them
// are used.
package supply

import (
	"context"
	"log/slog"
)

// Low reports whether more than 80 % of most IDs are used. used is their number or, if IDs are
// used in order from the lowest, the newest ID. Both are at least 0.
func Low(used, most int64) bool {
	return used > most/5*4+most%5*4/5 // 4/5 of most, which must not overflow
}

// Warn logs a warning if an ID lies above 80 % of the largest one. how completes its sentence on
// the layout's IDs: "are used". attrs are those of slog.Logger.Warn.
func Warn(ctx context.Context, log *slog.Logger, id, most int64, how string, attrs ...any) {
	if Low(id, most) {
		log.WarnContext(ctx, "worker IDs are running out: more than 80 % of the layout's "+how,
			append([]any{"worker_id", id, "max_worker_id", most, "left", most - id}, attrs...)...)
	}
}
