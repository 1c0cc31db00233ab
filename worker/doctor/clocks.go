package doctor

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid/internal/database"
)

// clocks compares the database's clock with this process's.
func (c *check) clocks(ctx context.Context) error {
	var trips []roundTrip
	for range 5 {
		before := c.Now()
		theirs, err := c.clock(ctx)
		if err != nil {
			return err
		}
		trips = append(trips, roundTrip{before, theirs, c.Now()})
	}
	offset, bound := clockOffset(trips)
	c.add(judgeClock(offset, bound, c.MaxClockOffset))
	return nil
}

// clock reads the database's clock.
func (c *check) clock(ctx context.Context) (time.Time, error) {
	var now database.Micros
	if err := c.conn.GetContext(ctx, &now, c.dialect.Clock()); err != nil {
		return time.Time{}, database.Failed("ask for the database's time", err)
	}
	return now.Time(), nil
}

// A roundTrip is a reading of the database's clock, between two readings of ours.
type roundTrip struct{ before, theirs, after time.Time }

// clockOffset returns how far the database's clock is ahead of ours, give or take bound. It uses
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

// judgeClock judges the database's clock, which is ahead of ours by offset, give or
// take bound.
func judgeClock(offset, bound, most time.Duration) Finding {
	const unit = time.Millisecond
	f := Finding{Level: LevelOK, What: "clocks", Value: fmt.Sprintf("the database's is %+d ms from ours, ± %d ms",
		offset.Round(unit)/unit, (bound+unit-1)/unit)}
	const sync = "Run a time service (chrony, ntpd, systemd-timesyncd) on both machines."
	switch apart := offset.Abs() - bound; {
	case apart > most:
		f.Level, f.Do = LevelError, sync
		f.Why = fmt.Sprintf("They are more than %v apart, at which workers refuse to start.", most)
	case apart > most/4:
		f.Level, f.Do = LevelWarn, sync
		f.Why = fmt.Sprintf("Above %v workers refuse to start.", most)
	case bound > most:
		f.Level, f.Do = LevelNote, "Check again, from nearer by."
		f.Why = "The answers took too long to tell."
	}
	return f
}
