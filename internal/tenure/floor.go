package tenure

import (
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/ticks"
)

// A Floor is a UID at or below which a generator issues nothing.
type Floor struct {
	// After is the UID, or 0 for no floor.
	After uid.UID
	// Ahead is how far ahead of the clock the first tick above it may begin.
	Ahead time.Duration
}

// tick returns the first tick above the floor. It returns an error, with the numbers, when the
// layout cannot pass the floor, or not within Ahead.
func (f Floor) tick(l bits.Layout, now time.Time) (int64, error) {
	if f.After == 0 {
		return 0, nil
	}
	if f.After < 0 {
		return 0, fmt.Errorf("%w: After %d is negative", uid.ErrConfig, int64(f.After))
	}
	tick, err := ticks.Above(l, f.After)
	if err != nil {
		return 0, fmt.Errorf("the floor After %d cannot be passed: %w", int64(f.After), err)
	}
	if begins := l.TimeOf(tick); begins.Sub(now) > f.Ahead {
		return 0, fmt.Errorf("%w: the first tick above After %d begins at %s, %v ahead of the clock; %v is allowed",
			uid.ErrRange, int64(f.After), begins.Format(time.RFC3339Nano),
			begins.Sub(now).Round(time.Millisecond), f.Ahead)
	}
	return tick, nil
}
