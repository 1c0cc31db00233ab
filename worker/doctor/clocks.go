package doctor

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/registry"
)

// clocks compares the store's clock with this process's.
func (c *check) clocks(ctx context.Context, store registry.Store) error {
	var trips []roundTrip
	var off time.Duration
	for range 5 {
		before := c.Now()
		_, theirs, err := store.Namespaces(ctx)
		if retry.IsTransient(err) {
			return err
		}
		if theirs.Now.IsZero() {
			c.add(Finding{LevelNote, "clocks", "could not be told", fmt.Sprintf("The store does not say what time it is: %v.", err),
				"Check with an account that may read."})
			return nil
		}
		off = theirs.Error
		trips = append(trips, roundTrip{before, theirs.Now, c.Now()})
	}
	offset, bound := clockOffset(trips)
	c.add(judgeClock(offset, bound, off, c.MaxClockSkew))
	return nil
}

// A roundTrip is a reading of the store's clock, between two readings of ours.
type roundTrip struct{ before, theirs, after time.Time }

// clockOffset returns how far the store's clock is ahead of ours, give or take bound. It uses
// the shortest trip: the clock was read some time during it.
func clockOffset(trips []roundTrip) (offset, bound time.Duration) {
	shortest := time.Duration(math.MaxInt64)
	for _, t := range trips {
		if trip := max(0, t.after.Sub(t.before)); trip < shortest {
			shortest = trip
			offset = t.theirs.Sub(t.before) - trip/2
		}
	}
	return offset, (shortest + 1) / 2
}

// judgeClock judges the store's clock, which is ahead of ours by offset, give or take bound, and
// may itself be off.
func judgeClock(offset, bound, off, most time.Duration) Finding {
	const unit = time.Millisecond
	f := Finding{Level: LevelOK, What: "clocks", Value: fmt.Sprintf("the store's is %+d ms from ours, ± %d ms",
		offset.Round(unit)/unit, (bound+unit-1)/unit)}
	if off > 0 {
		f.Value += fmt.Sprintf(", and off by %v at most", off)
	}
	const sync = "Run a time service (chrony, ntpd, systemd-timesyncd) on both machines."
	switch apart := max(0, offset.Abs()-bound); {
	case apart > most || off > most-apart:
		f.Level, f.Do = LevelError, sync
		f.Why = fmt.Sprintf("They may be more than %v apart, at which workers refuse to start.", most)
	case apart > most/4:
		f.Level, f.Do = LevelWarn, sync
		f.Why = fmt.Sprintf("Above %v workers refuse to start.", most)
	case bound > most:
		f.Level, f.Do = LevelNote, "Check again, from nearer by."
		f.Why = "The answers took too long to tell."
	case off > 0:
		f.Level, f.Do = LevelNote, "Run a time service (chrony, ntpd, systemd-timesyncd) on all machines of workers, and watch that each is so near."
		f.Why = fmt.Sprintf("The store has no clock of its own. Workers go by their machines', and take each for at most %v off true time: by one that is further off, IDs are taken from owners that are at work.", off)
	}
	return f
}
