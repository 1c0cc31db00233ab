package segment

import (
	"cmp"
	"fmt"
	"log/slog"
	"math"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/settings"
	"github.com/uidgen/uid/internal/storage"
)

// Defaults of a zero Config.
const (
	defaultMinStep = 1000
	defaultMaxStep = 1000000
	defaultLasting = 15 * time.Minute
	defaultTimeout = 5 * time.Second
)

// Config configures a generator. The zero value works for a tag that exists.
type Config struct {
	// First and Last bound the numbers that are issued, whatever the store has: after a move from other numbers, First
	// follows their largest. First is 1 or more, the default 1; Last is below 2^63-1, by default the largest.
	First, Last int64

	// MinStep and MaxStep bound the step: how many numbers the generator takes from the store at once. It begins with
	// MinStep and follows the rate, so that a step lasts for Lasting, unless the row's Step is larger. The defaults
	// are 1,000 and 1,000,000, or the other one where that is beyond; MaxStep is at most 2,147,483,647. A killed
	// process skips up to two steps.
	MinStep, MaxStep int64

	// Lasting is how long a step is to last, and so how long a generator does without its store: it takes the next
	// numbers when a tenth of the last ones is used. The default is 15 minutes.
	Lasting time.Duration

	// Total, if above 0, is how many numbers it takes in all, whatever the row's Step. Then calls return
	// [uid.ErrExhausted].
	Total int64

	// Create makes the row of a tag that the store does not have, to begin with First; else a misspelt tag is
	// [ErrNoTag].
	Create bool

	// LossyStore accepts a store that can lose numbers that it has given out, which then come twice; else that is
	// [uid.ErrLossy].
	LossyStore bool

	// Timeout bounds an attempt to take numbers. The default is 5 s.
	Timeout time.Duration

	// OnRejectedTake decides what a call does while numbers are on their way. Nil lets it wait.
	OnRejectedTake func(uid.Rejection) error

	// Logger gets what an operator wants to know. Nil is slog.Default().
	Logger *slog.Logger

	// Now is the wall clock, by which steps adapt. Any number of goroutines call it at once. Nil is time.Now.
	Now func() time.Time
}

// withDefaults returns c with every zero field replaced by its default, or an error that wraps
// uid.ErrConfig and names the field and the number.
func (c Config) withDefaults() (Config, error) {
	refuse := func(format string, args ...any) (Config, error) {
		return c, fmt.Errorf("segment: %w: "+format, append([]any{uid.ErrConfig}, args...)...)
	}
	const most = math.MaxInt64 - 1
	c.First, c.Last = cmp.Or(c.First, 1), cmp.Or(c.Last, most)
	c.Lasting, c.Timeout = cmp.Or(c.Lasting, defaultLasting), cmp.Or(c.Timeout, defaultTimeout)
	switch {
	case c.First < 1 || c.First > most:
		return refuse("First %d: want 1 to %d", c.First, int64(most))
	case c.Last < c.First || c.Last > most:
		return refuse("Last %d: want First, %d, to %d", c.Last, c.First, int64(most))
	case c.MinStep < 0 || c.MinStep > storage.MaxStep:
		return refuse("MinStep %d: want 1 to %d", c.MinStep, int64(storage.MaxStep))
	case c.MaxStep < 0 || c.MaxStep > storage.MaxStep:
		return refuse("MaxStep %d: want 1 to %d", c.MaxStep, int64(storage.MaxStep))
	case c.Total < 0:
		return refuse("Total %d is negative", c.Total)
	case c.Lasting < 0:
		return refuse("Lasting %v is negative", c.Lasting)
	}
	if err := settings.Timeout(c.Timeout); err != nil {
		return c, fmt.Errorf("segment: %w", err)
	}
	switch {
	case c.MinStep == 0 && c.MaxStep == 0:
		c.MinStep, c.MaxStep = defaultMinStep, defaultMaxStep
	case c.MinStep == 0:
		c.MinStep = min(defaultMinStep, c.MaxStep)
	case c.MaxStep == 0:
		c.MaxStep = max(defaultMaxStep, c.MinStep)
	case c.MinStep > c.MaxStep:
		return refuse("MinStep %d is above MaxStep %d", c.MinStep, c.MaxStep)
	}
	if c.OnRejectedTake == nil {
		c.OnRejectedTake = settings.Wait
	}
	c.Logger, c.Now = settings.Logger(c.Logger), settings.Clock(c.Now)
	return c, nil
}
