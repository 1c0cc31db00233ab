package uncached

import (
	"cmp"
	"log/slog"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/settings"
)

// maxFloorAhead is how far ahead of the clock the first tick above Config.After may begin.
const maxFloorAhead = 2 * time.Minute

// Config configures a generator. Its zero value works.
type Config struct {
	// Layout of the UIDs. The zero value is bits.Default().
	Layout bits.Layout

	// ClockBack is what to do when the wall clock is behind the last UID. The zero value is [Logical].
	ClockBack Policy

	// After is the floor: no UID at or below it is issued. When you move from another generator or layout, set it to
	// the largest UID made before. The UIDs begin with the next tick; until the clock is there, ClockBack decides.
	// Leases, state files and disposable rows keep the floor. Zero is no floor. New refuses one that is negative, that
	// no UID of the layout is above, or whose next tick begins more than two minutes (a tick, if that is longer) ahead
	// of the clock.
	After uid.UID

	// RandomStart begins each tick at a random sequence in its first half, so that UIDs drawn at a low rate are spread
	// evenly modulo any small number. A tick holds at least half of its UIDs then.
	RandomStart bool

	// Expiry is what to do near the end of the layout's time field.
	Expiry bits.Expiry

	// Logger gets what an operator wants to know, never UIDs. Nil is slog.Default().
	Logger *slog.Logger

	// Now is the wall clock, read for each UID. It may jump in either direction, and any number of goroutines call it
	// at once. Timers use the real clock. Nil is time.Now.
	Now func() time.Time
}

// withDefaults returns c with every zero field replaced by its default, or an error
// that wraps uid.ErrConfig and names what is wrong.
func (c Config) withDefaults() (Config, error) {
	if err := c.ClockBack.check(); err != nil {
		return c, err
	}
	c.Logger, c.Now = settings.Logger(c.Logger), settings.Clock(c.Now)
	var err error
	c.Layout, err = c.ClockBack.layout(cmp.Or(c.Layout, bits.Default()))
	return c, err
}
