// Package supply says when a layout's worker IDs are running out: when more than 80 % of
// them are used.
package supply

import (
	"context"
	"log/slog"
)

// Low reports whether more than 80 % of so many IDs are used: when so many are, or when the
// newest one is, of IDs that are used in order from the lowest. Both are at least 0.
func Low(used, most int64) bool {
	return used > most/5*4+most%5*4/5 // 4/5 of most, which must not overflow
}

// Warn logs that an ID lies above 80 % of the largest one, if it does. how says of the IDs in
// which way they are gone: "are used". attrs are those of slog.Logger.Warn.
func Warn(ctx context.Context, log *slog.Logger, id, most int64, how string, attrs ...any) {
	if Low(id, most) {
		log.WarnContext(ctx, "worker IDs are running out: more than 80 % of the layout's "+how,
			append([]any{"worker_id", id, "max_worker_id", most, "left", most - id}, attrs...)...)
	}
}
