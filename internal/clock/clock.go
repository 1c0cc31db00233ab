// Package clock compares the clock of a store of worker IDs with this process's.
package clock

import (
	"fmt"
	"time"

	"github.com/uidgen/uid/worker"
)

// Compare returns an error that wraps [worker.ErrClock] when theirs, the time that a store
// told some time between two looks at this process's clock, asked and answered, may be
// further from this process's than limit. off is by how much theirs may be off by itself:
// 0 where the store has a clock of its own. None of them is negative.
func Compare(asked, theirs, answered time.Time, off, limit time.Duration) error {
	apart := max(asked.Sub(theirs), theirs.Sub(answered), 0)
	if apart <= limit && off <= limit-apart {
		return nil
	}
	may := ""
	if off > 0 {
		may = fmt.Sprintf(" and up to %v more", off)
	}
	return fmt.Errorf("%w: this process's shows %s, the store's %s, %v apart%s; at most %v are allowed", worker.ErrClock,
		answered.UTC().Format(time.RFC3339Nano), theirs.UTC().Format("2006-01-02T15:04:05.000Z07:00"), apart.Round(time.Millisecond), may, limit)
}
