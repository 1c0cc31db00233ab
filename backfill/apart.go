package backfill

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// A Live names a namespace of leases, other than the run's own source, whose UIDs stand in the same
// column as those of the run.
type Live struct {
	Store     registry.Store
	Namespace string // "default", for ""
}

// checkApart returns an error if the namespace can give a live generator one of the IDs, or if it
// cannot tell.
func (n Live) checkApart(ctx context.Context, layout string, ids []int64, log *slog.Logger) error {
	name, err := namespace.Resolve(n.Namespace)
	if err != nil {
		return err
	}
	var page registry.Page
	err = retry.Do(ctx, retry.DefaultTimeout, log, func(ctx context.Context) (err error) {
		page, err = n.Store.Rows(ctx, name, -1, 1)
		return err
	})
	switch {
	case err != nil:
		return fmt.Errorf("read the namespace %q, from which the run is to be apart: %w", name, err)
	case page.Namespace.Fresh:
		return fmt.Errorf("%w: %q, from which the run is to be apart", worker.ErrNoNamespace, name)
	case page.Namespace.Layout != layout:
		return fmt.Errorf("%w: the namespace %q, from which the run is to be apart, has UIDs of %s, and the run of %s: UIDs of two layouts can be equal",
			worker.ErrLayout, name, page.Namespace.Layout, layout)
	}
	for _, id := range ids {
		if has := page.Namespace.IDs; has == (lease.Range{}) || has.First <= id && id <= has.Last {
			return fmt.Errorf("%w: worker ID %d of the run is one that the live namespace %q has: %v. Give each a range of its own, or take "+
				"the namespace itself as the source", uid.ErrRange, id, name, has)
		}
	}
	return nil
}
