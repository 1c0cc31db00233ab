package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/leasestore"
	namespaces "github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/worker"
)

// errNothing makes a store write nothing, because nothing has changed.
var errNothing = errors.New("nothing to write")

// Release ends the lease of a worker ID whose holder is known to be dead, so that the ID is free
// after the quarantine. It clears the holder's nonce and ends the lease now, if it has not ended
// earlier. The last tick stays as it is, so that nobody gets a tick that may have been used. A
// holder that lives after all loses the ID at its next Extend, and acquires another.
//
// It returns the lease as it was before, with a State of Live or Free. It fails with [ErrNoLease]
// when nobody has had the ID, and with [ErrLive] when the lease is live and force is
// not set; then nothing is changed. An empty namespace is "default".
//
// It needs the rights to read and update, and locks the row.
func (r *Registry) Release(ctx context.Context, namespace string, id int64, force bool) (LeaseInfo, error) {
	namespace = cmp.Or(namespace, namespaces.Default)
	if id < 0 {
		return LeaseInfo{}, fmt.Errorf("%w: worker ID %d is negative", ErrNoLease, id)
	}
	leases, err := r.store.Namespace(namespace)
	switch {
	case errors.Is(err, uid.ErrConfig) || errors.Is(err, uid.ErrRange):
		// The error does not repeat the name, which may be a DSN in the wrong place.
		return LeaseInfo{}, fmt.Errorf("%w: no namespace can have such a name", ErrNoLease)
	case err != nil:
		return LeaseInfo{}, err
	}
	var was LeaseInfo
	err = r.do(ctx, fmt.Sprintf("release worker ID %d", id), func(ctx context.Context) error {
		err := leases.Change(ctx, id, func(_ *leasestore.Namespace, row *leasestore.Row, c leasestore.Clock) error {
			if row == nil {
				return fmt.Errorf("%w: the namespace has none of worker ID %d", ErrNoLease, id)
			}
			if row.Unused() {
				return fmt.Errorf("%w: nobody has had worker ID %d yet", ErrNoLease, id)
			}
			is := info(namespace, *row, c, 0)
			err := end(row, is, c.Now, force)
			if err == nil || was == (LeaseInfo{}) { // else an earlier attempt ended it, whose reply was lost
				was = is
			}
			return err
		})
		switch {
		case errors.Is(err, errNothing):
			return nil
		case errors.Is(err, worker.ErrNoNamespace):
			return fmt.Errorf("%w: %w", ErrNoLease, err)
		}
		return err
	})
	if err != nil {
		return LeaseInfo{}, err
	}
	return was, nil
}

// end ends the lease of a row, if that is allowed.
func end(row *leasestore.Row, was LeaseInfo, now time.Time, force bool) error {
	if was.State == Live && !force {
		return fmt.Errorf("%w: worker ID %d is held by %q for another %v, renewed %v ago", ErrLive, was.WorkerID,
			was.Holder, was.Until.Sub(now).Round(time.Millisecond), now.Sub(was.Renewed).Round(time.Millisecond))
	}
	over := !row.Until.After(now)
	if row.Nonce == "" && over {
		return errNothing
	}
	row.Nonce = ""
	if !over {
		row.Until = now
	}
	return nil
}
