package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/clock"
	"github.com/uidgen/uid/worker/lease"
)

// shortestCollectAge is longer than any sensible lease and quarantine, and than any difference of
// clocks.
const shortestCollectAge = time.Hour

// Collection says which leases [Registry.Collect] removes.
type Collection struct {
	// OlderThan is how long a lease has to be over. The default, for 0, is seven days. Less than
	// an hour is refused.
	OlderThan time.Duration

	// Terms returns the epoch and the unit of a layout from its description; Collect needs them
	// to read the ticks of a row. It must be set; with package bits:
	//
	//	func(text string) (uid.Terms, error) {
	//		l, err := bits.ParseLayout(text)
	//		return l.Terms(), err
	//	}
	Terms func(layout string) (uid.Terms, error)

	// MaxClockOffset is how far the store's clock, which decides when a lease is over, may differ
	// from this process's, beyond the time that the answer took. The default, for 0, is 2 s;
	// math.MaxInt64 allows any.
	MaxClockOffset time.Duration

	// DryRun removes nothing, and reports what would be removed.
	DryRun bool
}

// Collected is the result of a Collect.
type Collected struct {
	// Removed are the leases whose rows are gone, or with DryRun would be.
	Removed []LeaseInfo
	// Kept are the leases that are old enough, and stay because of their ticks.
	Kept []KeptLease
}

// A KeptLease is an old lease, and the reason why its row is still needed.
type KeptLease struct {
	LeaseInfo
	Why string
}

// Collect removes the rows of leases that have been over for longer than OlderThan. Their IDs are
// then as if they had never been used, except that they begin above the last tick of any row that
// was ever removed: the same step stores it in the namespace's own row. A row whose owner has
// renewed it since it was read stays. So do rows whose last tick does not lie further back than
// OlderThan, rows whose layout Terms cannot read, and all rows of a namespace that lacks its own
// row.
//
// It returns [uid.ErrConfig] when the collection cannot be used, and [worker.ErrClock] when the
// two clocks do not agree, which it checks before each batch of rows. If it fails half-way, the
// result holds what it has removed until then, except rows whose removal was stored but whose
// reply was lost.
//
// It needs the rights to read, update and delete; with DryRun only to read. A namespace's workers
// wait in Acquire while a batch of rows is removed.
func (r *Registry) Collect(ctx context.Context, c Collection) (Collected, error) {
	const doing = "collect worker IDs"
	var all Collected
	c, err := c.withDefaults()
	if err != nil {
		return all, err
	}
	var names []string
	err = r.do(ctx, doing, func(ctx context.Context) (err error) {
		names, _, err = r.store.Namespaces(ctx)
		return err
	})
	if err != nil {
		return all, err
	}
	for _, name := range names {
		above, more := int64(-1), true
		for more {
			var batch Collected
			err := r.do(ctx, doing, func(ctx context.Context) (err error) {
				batch, above, more, err = r.batch(ctx, c, name, above)
				return err
			})
			if err != nil {
				return all, err
			}
			all.Removed = append(all.Removed, batch.Removed...)
			all.Kept = append(all.Kept, batch.Kept...)
		}
	}
	return all, nil
}

func (c Collection) withDefaults() (Collection, error) {
	if c.OlderThan == 0 {
		c.OlderThan = 7 * 24 * time.Hour
	}
	if c.MaxClockOffset == 0 {
		c.MaxClockOffset = lease.DefaultMaxClockOffset
	}
	switch {
	case c.OlderThan < shortestCollectAge:
		return c, fmt.Errorf("%w: OlderThan %v is below %v", uid.ErrConfig, c.OlderThan, shortestCollectAge)
	case c.MaxClockOffset < 0:
		return c, fmt.Errorf("%w: MaxClockOffset %v is negative", uid.ErrConfig, c.MaxClockOffset)
	case c.Terms == nil:
		return c, fmt.Errorf("%w: Terms is not set", uid.ErrConfig)
	}
	return c, nil
}

// batch collects from one page, above an ID. It returns the page's last ID, and whether there may
// be more pages.
func (r *Registry) batch(ctx context.Context, c Collection, namespace string, above int64) (found Collected, last int64, more bool, err error) {
	last = above
	asked := r.now()
	decide := func(p Page) ([]int64, error) {
		if err := clock.Compare(asked, p.Clock.Now, r.now(), p.Clock.Error, c.MaxClockOffset); err != nil {
			return nil, err
		}
		if last, more = above, len(p.Rows) >= pageSize; len(p.Rows) > 0 {
			last = p.Rows[len(p.Rows)-1].WorkerID
		}
		found = c.sort(namespace, p)
		return found.ids(), nil
	}
	if c.DryRun {
		page, err := r.store.Rows(ctx, namespace, above, pageSize)
		if err == nil {
			_, err = decide(page)
		}
		return found, last, more, err
	}
	removed, err := r.store.Prune(ctx, namespace, above, pageSize, c.OlderThan, decide)
	if err != nil {
		return Collected{}, above, more, err
	}
	return found.with(removed), last, more, nil
}

// sort separates the rows that can go from those that have to stay. It leaves out rows that are
// not old.
func (c Collection) sort(namespace string, p Page) (result Collected) {
	for _, row := range p.Rows {
		if !row.Until.Before(p.Clock.Now.Add(-c.OlderThan - p.Clock.Error)) {
			continue
		}
		lease := info(namespace, row, p.Clock, 0)
		if why := c.stays(p, lease); why != "" {
			result.Kept = append(result.Kept, KeptLease{lease, why})
		} else {
			result.Removed = append(result.Removed, lease)
		}
	}
	return result
}

// stays says why a lease's row is still needed. It returns "" if the row can go.
func (c Collection) stays(p Page, l LeaseInfo) string {
	if p.Namespace.Fresh {
		return "the namespace has no row of its own, in which its last tick could be noted"
	}
	t, err := c.Terms(l.Layout)
	if err == nil && (t.Unit <= 0 || t.Epoch.IsZero()) {
		err = errors.New("it has no epoch and unit")
	}
	if err != nil {
		return fmt.Sprintf("its layout cannot be read: %v", err)
	}
	now := p.Clock.Now
	if past := t.TickAt(now.Add(-c.OlderThan)); l.High >= past {
		return fmt.Sprintf("its last tick %d is not before tick %d, which was %v ago (tick %d is now)", l.High, past, c.OlderThan, t.TickAt(now))
	}
	return ""
}

func (c Collected) ids() (ids []int64) {
	for _, l := range c.Removed {
		ids = append(ids, l.WorkerID)
	}
	return ids
}

// with moves rows that were not removed after all to Kept.
func (c Collected) with(removed []int64) (result Collected) {
	result.Kept = c.Kept
	for _, l := range c.Removed {
		if slices.Contains(removed, l.WorkerID) {
			result.Removed = append(result.Removed, l)
		} else {
			result.Kept = append(result.Kept, KeptLease{l, "it has changed since it was read"})
		}
	}
	return result
}
