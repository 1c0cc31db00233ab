package lease

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
)

// errNothing makes a store write nothing, because nothing has changed.
var errNothing = errors.New("nothing to write")

// written turns errNothing into success.
func written(err error) error {
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}

// change is the store's Change. Its decide adopts the store's history in what it writes.
func (l *lessee) change(ctx context.Context, id int64,
	decide func(*storage.Namespace, *storage.Lease, storage.Clock) error) error {
	wentBack := l.wentBack
	err := l.store.Change(ctx, id, func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		l.wentBack = wentBack // what an earlier run has read may have been old
		return decide(ns, row, now)
	})
	l.wentBack = l.wentBack && err != nil
	return err
}

// retry makes attempts until one succeeds, its failure cannot pass, or the Timeout is over.
func (l *lessee) retry(ctx context.Context, attempt func(context.Context) error) error {
	return retry.Do(ctx, l.cfg.Timeout, l.cfg.Logger, attempt)
}

// inspect refuses a store that cannot hold the rows, and one that is visibly not as durable as
// it is said to be.
func (l *lessee) inspect(ctx context.Context) error {
	lossy, err := l.store.Inspect(ctx)
	if err != nil {
		return err
	}
	if len(lossy) > 0 && l.never && l.cfg.Losses != NeverUnchecked {
		return fmt.Errorf("%w: the store is said to lose nothing, by Losses or by its kind, but it can lose what "+
			"it has acknowledged: %s; Anytime makes up for that, NeverUnchecked takes its word",
			uid.ErrConfig, strings.Join(lossy, "; "))
	}
	return nil
}
