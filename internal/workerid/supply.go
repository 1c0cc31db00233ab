package workerid

import (
	"context"
	"log/slog"
)

// Low reports whether a layout's worker IDs are running out: more than 80 % of most IDs are used. used is their number
// or, if IDs are used in order from the lowest, the newest ID. Both are at least 0.
func Low(used, most int64) bool {
	return used > most/5*4+most%5*4/5 // 4/5 of most, which must not overflow
}

// WarnLow logs a warning if an ID lies above 80 % of those from first to last. how completes its
// sentence on them: "are used". attrs are those of slog.Logger.Warn.
func WarnLow(ctx context.Context, log *slog.Logger, id, first, last int64, how string, attrs ...any) {
	if Low(id-first, last-first) {
		numbers := []any{"worker_id", id, "min_worker_id", first, "max_worker_id", last, "ids_left", last - id}
		log.WarnContext(ctx, "worker IDs are running out: more than 80 % "+how, append(numbers, attrs...)...)
	}
}
