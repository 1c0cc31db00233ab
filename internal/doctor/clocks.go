package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
)

// clocks compares the store's clock with this process's. It judges by the shortest of some round trips:
// the store's clock was read some time during it.
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
			c.add(Finding{LevelNote, "clocks", "could not be told",
				fmt.Sprintf("The store does not say what time it is: %v.", err),
				"Check with an account that may read."})
			return nil
		}
		off = theirs.Error
		trips = append(trips, roundTrip{before, theirs.Now, c.Now()})
	}
	shortest := slices.MinFunc(trips, func(a, b roundTrip) int { return cmp.Compare(a.took(), b.took()) })
	c.judge(shortest.rows(off)...)
	return nil
}

// A roundTrip is a reading of the store's clock, between two readings of ours.
type roundTrip struct{ before, theirs, after time.Time }

func (t roundTrip) took() time.Duration { return max(0, t.after.Sub(t.before)) }

// rows judge the store's clock, which may itself be off.
func (t roundTrip) rows(off time.Duration) []Row {
	const unit = time.Millisecond
	// The store's clock is ahead of ours by offset, give or take bound.
	offset, bound := t.theirs.Sub(t.before)-t.took()/2, (t.took()+1)/2
	value := fmt.Sprintf("the store's is %+d ms from ours, ± %d ms", offset.Round(unit)/unit, (bound+unit-1)/unit)
	if off > 0 {
		value += fmt.Sprintf(", and off by %v at most", off)
	}
	apart := max(0, offset.Abs()-bound)
	const what, sync = "clocks", "Run a time service (chrony, ntpd, systemd-timesyncd) on both machines."
	return []Row{
		{apart > maxClockSkew || off > maxClockSkew-apart, LevelError, what, value,
			fmt.Sprintf("They may be more than %v apart, at which workers refuse to start.", maxClockSkew), sync},
		{apart > maxClockSkew/4, LevelWarn, what, value,
			fmt.Sprintf("Above %v workers refuse to start.", maxClockSkew), sync},
		{bound > maxClockSkew, LevelNote, what, value, "The answers took too long to tell.",
			"Check again, from nearer by."},
		{off > 0, LevelNote, what, value,
			fmt.Sprintf("The store has no clock of its own. Workers go by their machines', and take each for at most "+
				"%v off true time: by one that is further off, IDs are taken from owners that are at work.", off),
			"Run a time service (chrony, ntpd, systemd-timesyncd) on all machines of workers, " +
				"and watch that each is so near."},
		{true, LevelOK, what, value, "", ""},
	}
}
