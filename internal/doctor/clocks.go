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

// clocks compares the store's clock with this process's, by the shortest of some round trips: the store's clock was
// read at some time during it.
func (c *check) clocks(ctx context.Context, store registry.Store) ([]Finding, error) {
	var trips []roundTrip
	for range 5 {
		before := c.Now()
		_, theirs, err := store.Namespaces(ctx)
		if retry.IsTransient(err) || theirs.Now.IsZero() {
			return Unknown("clocks", err)
		}
		trips = append(trips, roundTrip{before, theirs.Now, c.Now(), theirs.Error})
	}
	best := slices.MinFunc(trips, func(a, b roundTrip) int { return cmp.Compare(a.took(), b.took()) })
	return []Finding{best.judge()}, nil
}

// A roundTrip is a reading of the store's clock, between two readings of ours.
type roundTrip struct {
	before, theirs, after time.Time
	off                   time.Duration // the largest error of the store's clock
}

func (t roundTrip) took() time.Duration { return max(0, t.after.Sub(t.before)) }

func (t roundTrip) judge() Finding {
	const unit = time.Millisecond
	// The store's clock is ahead of ours by offset, give or take bound.
	offset, bound := t.theirs.Sub(t.before)-t.took()/2, (t.took()+1)/2
	value := fmt.Sprintf("the store's is %+d ms from ours, ± %d ms", offset.Round(unit)/unit, (bound+unit-1)/unit)
	if t.off > 0 {
		value += fmt.Sprintf(", and off by %v at most", t.off)
	}
	apart := max(0, offset.Abs()-bound)
	const sync = "Run a time service (chrony, ntpd, systemd-timesyncd) on "
	return Fine("clocks", value).
		But(apart > maxClockSkew || t.off > maxClockSkew-apart, LevelError, "", fmt.Sprintf("They may be more than %v "+
			"apart, at which workers refuse to start.", maxClockSkew), sync+"both machines.").
		But(apart > maxClockSkew/4, LevelWarn, "", fmt.Sprintf("Above %v workers refuse to start.", maxClockSkew),
			sync+"both machines.").
		But(bound > maxClockSkew, LevelNote, "", "The store answered too slowly to compare them.",
			"Check again, from a machine nearer to it.").
		But(t.off > 0, LevelNote, "", fmt.Sprintf("The store has no clock of its own. Workers use their machines' "+
			"clocks, and assume that each is at most %v off true time: a clock that is further off takes IDs from "+
			"live owners.", t.off), sync+"all machines of workers, and monitor their error.")
}
