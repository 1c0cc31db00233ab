package lease

import (
	"context"
	"fmt"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
)

// releaseTimeout bounds a Release.
const releaseTimeout = 5 * time.Second

// Release ends the lease and lowers High to last. It returns an error when the store cannot be
// told within 5 s; the lease then ends by itself, after the TTL.
func (l *lessee) Release(ctx context.Context, last int64) error {
	if err := l.binding.Check(); err != nil {
		return err
	}
	defer func() { _ = l.binding.Unbind() }()
	defer l.publishHealth()
	l.dropInvalid(ctx)
	var err error
	if l.lease != nil {
		err = l.release(ctx, last)
	}
	if l.pending != nil { // then there is no lease
		err = retry.Do(ctx, retry.AtMost(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, l.releasePending)
	}
	if err != nil {
		err = l.failure("release", fmt.Errorf("%w; nobody else gets the ID for up to %v", err, l.blocked()))
	}
	l.lease, l.pending = nil, nil
	return err
}

// release ends the lease and lowers High to last.
func (l *lessee) release(ctx context.Context, last int64) error {
	held := l.lease
	return retry.Do(ctx, retry.AtMost(l.cfg.Timeout, releaseTimeout), l.cfg.Logger, func(ctx context.Context) error {
		end := func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
			if l.endOutdated(row, ns, now) {
				return nil
			}
			if row == nil || !held.owns(row) || row.Until.Before(now.Now) {
				return errNothing // there is nothing left to release
			}
			l.adoptHistory(ns, now)
			// An earlier owner may still issue ticks, all of them below that.
			row.End(min(row.High, max(held.before, last)), now)
			return nil
		}
		return written(l.change(ctx, held.id, end))
	})
}

// releasePending ends the lease of the pending acquisition, if it was stored. Nothing was issued under it.
func (l *lessee) releasePending(ctx context.Context) error {
	p := l.pending
	end := func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		if !p.matches(row, now) {
			return errNothing
		}
		l.adoptHistory(ns, now)
		row.End(p.before, now)
		return nil
	}
	return written(l.change(ctx, p.id, end))
}

// blocked is how long, at most, an ID that could not be released is leased to no owner.
func (l *lessee) blocked() time.Duration { return l.cfg.TTL + l.cfg.quarantine() }
