package worker

import (
	"context"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
)

// Release ends the lease of a worker ID whose holder is known to be dead, so that
// the ID can be had after the quarantine from now on. It clears the holder's nonce
// and lets the lease end now, if it has not ended earlier; which ticks may have been
// used stays as it is, so that nobody is given one of them again. A holder that lives
// after all loses the ID at its next Extend, which acquires another. (That is safe
// without exception where TTL is no longer than Quarantine and MaxClockSkew, as it is by
// default: else a failover that loses the release, and comes after the ID was acquired
// again, could give the former holder its lease back.)
//
// It returns the lease as it was before, with a State of LeaseLive or LeaseFree. It fails
// with [ErrNoLease] when there is no row of the ID in the namespace, and with [ErrLive]
// when the lease is live and force is not set; then nothing is changed. An empty namespace
// is "default".
//
// It needs SELECT and UPDATE on the table, whose row it locks.
func (r *Registry) Release(ctx context.Context, namespace string, id int64, force bool) (LeaseInfo, error) {
	if namespace == "" {
		namespace = defaultNamespace
	}
	if id < 0 {
		return LeaseInfo{}, fmt.Errorf("%w: worker ID %d is negative", ErrNoLease, id)
	}
	var was LeaseInfo
	err := r.do(ctx, fmt.Sprintf("release worker ID %d", id), func(ctx context.Context, conn *sqlx.Conn) error {
		return transact(ctx, conn, r.dialect, func(tx session) error {
			rows, err := r.readLeases(ctx, tx, "WHERE NAMESPACE = ? AND WORKER_ID = ?"+r.dialect.forUpdate(), namespace, id)
			if err != nil {
				return err
			}
			if len(rows) == 0 {
				return fmt.Errorf("%w: the namespace has none of worker ID %d", ErrNoLease, id)
			}
			now, err := r.clock(ctx, tx)
			if err != nil {
				return err
			}
			was = rows[0].info(now, 0)
			if was.State == LeaseLive && !force {
				return fmt.Errorf("%w: worker ID %d is held by %q for another %v, renewed %v ago", ErrLive, id,
					was.Holder, was.Until.Sub(now).Round(time.Millisecond), now.Sub(was.Renewed).Round(time.Millisecond))
			}
			until := min(rows[0].Until, micros(now.UnixMicro()))
			_, err = tx.ExecContext(ctx, "UPDATE `"+r.leases+"` SET NONCE = '', LEASE_UNTIL = ? WHERE NAMESPACE = ? AND WORKER_ID = ?", until, namespace, id)
			if err != nil {
				return failed("end the lease", err)
			}
			return nil
		})
	})
	if err != nil {
		return LeaseInfo{}, err
	}
	return was, nil
}
