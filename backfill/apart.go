package backfill

import (
	"context"
	"fmt"
	"log/slog"
	"math"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// checkApart returns an error if a live namespace can give a generator one of the IDs, or if it cannot tell.
func checkApart(ctx context.Context, live lease.Store, layout string, ids []int64, log *slog.Logger) error {
	var is storage.Namespace
	err := retry.Do(ctx, 0, log, func(ctx context.Context) error {
		// It reads the namespace, and a row that is not there.
		return written(live.Change(ctx, math.MaxInt64, func(n *storage.Namespace, _ *storage.Lease,
			_ storage.Clock) error {
			is = *n
			return errNothing
		}))
	})
	switch {
	case err != nil:
		return fmt.Errorf("read %s, from which the run is to be apart: %w", live.Name(), err)
	case is.Layout != layout:
		return fmt.Errorf("%w: %s, from which the run is to be apart, has UIDs of %s, and the run of %s: "+
			"UIDs of two layouts can be equal", worker.ErrLayout, live.Name(), is.Layout, layout)
	}
	for _, id := range ids {
		if has := is.IDs; has == (lease.Range{}) || has.First <= id && id <= has.Last {
			return fmt.Errorf("%w: worker ID %d of the run is one that %s has: %v. Give each a range of its own, "+
				"or take the namespace itself as the source", uid.ErrRange, id, live.Name(), has)
		}
	}
	return nil
}
