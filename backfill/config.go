package backfill

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/tenure"
	"github.com/uidgen/uid/internal/ticks"
	"github.com/uidgen/uid/worker/lease"
)

// Config configures a [Generator]. Its zero value works.
type Config struct {
	// Layout of the UIDs: that of the live ones. The zero value is bits.Default(). A part of the worker ID named
	// "rollback" is refused.
	Layout bits.Layout

	// From and To bound the times of the run, both ticks included. The defaults are the layout's epoch and the present,
	// or the end of the layout if that is earlier. A time outside the layout, and a To after the present, is refused.
	// The more a run covers, the fewer worker IDs of [FromLeases] can serve it.
	From, To time.Time

	// Workers is how many worker IDs the run takes, each of which has 2^sequence bits UIDs in a tick. The default is 1,
	// the most as many as the layout has.
	Workers int

	// Sorted says that the times do not go back, or by Back at most: a time whose tick lies more ticks before the
	// newest one than Back has, rounded up, fails with [ErrOrder]. Else any time is allowed, and the generator
	// remembers each tick that it has issued a UID of, in 25 to 40 bytes: 0.8 to 1.2 GB for each second of a year. A
	// Back that is negative, or without Sorted, is refused.
	Sorted bool
	Back   time.Duration

	// Apart are namespaces of leases, other than the source's own, whose UIDs stand in the same column. New refuses a
	// worker ID that one of them has, and writes nothing there.
	Apart []lease.Store

	// Logger gets a record for each worker ID. Nil is slog.Default().
	Logger *slog.Logger

	// Now is the clock; New reads it once. Nil is time.Now.
	Now func() time.Time
}

// withDefaults checks the settings and fills in the defaults.
func (c Config) withDefaults() (Config, error) {
	c.Logger, c.Now = settings.Logger(c.Logger), settings.Clock(c.Now)
	c.Layout, c.Workers = cmp.Or(c.Layout, bits.Default()), cmp.Or(c.Workers, 1)
	if err := tenure.RefuseRollback(c.Layout.Fields()); err != nil {
		return c, err
	}
	if c.Back < 0 || c.Back > 0 && !c.Sorted {
		return c, fmt.Errorf("%w: Back %v is negative, or not for times that are Sorted", uid.ErrConfig, c.Back)
	}
	if c.Workers < 0 || int64(c.Workers)-1 > c.Layout.MaxWorkerID() {
		return c, fmt.Errorf("%w: Workers %d is not within 1 and %d, the worker IDs of the layout", uid.ErrConfig,
			c.Workers, c.Layout.MaxWorkerID()+1)
	}
	for _, n := range c.Apart {
		if n == nil {
			return c, fmt.Errorf("%w: Apart has a store that is nil", uid.ErrConfig)
		}
	}
	return c.withTimes()
}

// window is how many ticks before the newest one are remembered.
func (c Config) window() int64 {
	if !c.Sorted {
		return math.MaxInt64
	}
	return ticks.Count(c.Back, c.Layout.Unit())
}

func (c Config) withTimes() (Config, error) {
	now, first, last := c.Now(), c.Layout.Epoch(), c.Layout.Expires()
	if c.From.IsZero() {
		c.From = first
	}
	if c.To.IsZero() {
		if c.To = now; now.After(last) {
			c.To = last
		}
	}
	end := last.Add(c.Layout.Unit())
	switch {
	case c.To.After(now):
		return c, fmt.Errorf("%w: To %s is after the present, %s: a run gives UIDs for times that are past",
			uid.ErrRange, stamp(c.To), stamp(now))
	case c.From.After(c.To):
		return c, fmt.Errorf("%w: From %s is after To %s", uid.ErrRange, stamp(c.From), stamp(c.To))
	case c.From.Before(first) || !c.To.Before(end):
		return c, fmt.Errorf("%w: the run goes from %s to %s, the layout %s from %s to %s: older times need a layout "+
			"with an earlier epoch", uid.ErrRange,
			stamp(c.From), stamp(c.To), c.Layout, stamp(first), stamp(end))
	}
	return c, nil
}
