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

// A roundTrip is a reading of the store's clock, between two readings of ours. It may itself be off.
type roundTrip struct {
	before, theirs, after time.Time
	off                   time.Duration
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
		But(apart > maxClockSkew || t.off > maxClockSkew-apart, LevelError, "",
			fmt.Sprintf("They may be more than %v apart, at which workers refuse to start.", maxClockSkew),
			sync+"both machines.").
		But(apart > maxClockSkew/4, LevelWarn, "", fmt.Sprintf("Above %v workers refuse to start.", maxClockSkew),
			sync+"both machines.").
		But(bound > maxClockSkew, LevelNote, "", "The answers took too long to tell.",
			"Check again, from nearer by.").
		But(t.off > 0, LevelNote, "",
			fmt.Sprintf("The store has no clock of its own. Workers go by their machines', and take each for at most "+
				"%v off true time: by one that is further off, IDs are taken from owners that are at work.", t.off),
			sync+"all machines of workers, and watch that each is so near.")
}
