package lease

import (
	"context"
	"errors"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
)

// releaseTimeout bounds a Release.
const releaseTimeout = 5 * time.Second

// release ends the lease and lowers High to last.
func (l *lease) release(ctx context.Context, last int64) error {
	h := l.hold
	return retry.Do(ctx, retry.AtMost(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, func(ctx context.Context) error {
		end := func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
			if l.witness(h, ns, row, now) {
				return nil
			}
			if row == nil || !h.owns(row) || row.Until.Before(now.Now) {
				return errNothing // there is nothing left to release
			}
			l.settle(ns, now)
			// An earlier owner may still issue ticks, all of them below the base.
			row.End(min(row.High, max(h.base, last)), now)
			return nil
		}
		return written(l.change(ctx, h.id, end))
	})
}

// blocked is how long nobody gets an ID, at most, that could not be given back.
func (l *lease) blocked() time.Duration { return l.cfg.TTL + l.cfg.quarantine() }

// giveBack ends the doubted lease, if it was stored. Nothing was issued under it.
func (l *lease) giveBack(ctx context.Context) error {
	d := l.pending
	end := func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		if !d.matches(row, now) {
			return errNothing
		}
		l.settle(ns, now)
		row.End(d.base, now)
		return nil
	}
	return written(l.change(ctx, d.id, end))
}

// written turns errNothing into success.
func written(err error) error {
	if errors.Is(err, errNothing) {
		return nil
	}
	return err
}
