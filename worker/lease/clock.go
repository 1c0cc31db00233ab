package lease

import (
	"fmt"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker"
)

// compare refuses a store's clock, read since asked, that differs from this process's by more
// than limit.
func (l *lessee) compare(asked time.Time, now storage.Clock, limit time.Duration) error {
	return compareClocks(asked, now.Now, l.now(), now.Error, limit)
}

// compareClocks returns an error that wraps [worker.ErrClock] when a store's clock may be further from
// this process's than limit. theirs is the store's time, read at some time between asked and
// answered, two readings of this process's clock. off bounds the error of theirs: 0 where the
// store has a clock of its own. Neither off nor limit is negative.
func compareClocks(asked, theirs, answered time.Time, off, limit time.Duration) error {
	apart := max(asked.Sub(theirs), theirs.Sub(answered), 0)
	if apart <= limit && off <= limit-apart {
		return nil
	}
	may := ""
	if off > 0 {
		may = fmt.Sprintf(" and up to %v more", off)
	}
	return fmt.Errorf("%w: this process's shows %s, the store's %s, %v apart%s; at most %v are allowed",
		worker.ErrClock, stamp(answered), theirs.UTC().Format("2006-01-02T15:04:05.000Z07:00"),
		apart.Round(time.Millisecond), may, limit)
}

// tickAt returns the tick at d after the store's time.
func (l *lessee) tickAt(now storage.Clock, d time.Duration) int64 {
	return l.terms.TickAt(now.Now.Add(d))
}

// highest returns the last tick that may have been used by the time given, of the store's.
func (l *lessee) highest(now time.Time) int64 {
	return max(l.terms.TickAt(now.Add(mostAhead)), -1)
}

// stamp formats a time for error texts.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
