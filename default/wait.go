package uncached

import (
	"context"
	"fmt"
	"time"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/tenure"
)

// maxSleep is the longest sleep before another reading of the clock. Timers have a clock of
// their own: meanwhile the wall clock may be set forward, or the machine suspended.
const maxSleep = time.Second

func (g *Generator) usedUpError(tick int64, pause time.Duration) error {
	return &usedUpError{tick, g.layout.MaxSequence(), pause}
}

// A usedUpError is an ErrRejectedTake, formatted when somebody reads it: Logical makes one for each call
// that then waits.
type usedUpError struct {
	tick, sequence int64
	pause          time.Duration
}

func (e *usedUpError) Error() string {
	return fmt.Sprintf("%v: the sequence of tick %d is used up, up to %d; the next tick is %v away",
		uid.ErrRejectedTake, e.tick, e.sequence, e.pause)
}

func (e *usedUpError) Unwrap() error { return uid.ErrRejectedTake }

// awaitReservation waits until the grant, which does not reach up to the tick, may have been
// replaced, or returns why it was not. w is the place of a call that waits.
func (g *Generator) awaitReservation(ctx context.Context, h hurdle, wait bool, w *waiter) error {
	news, err := g.tenure.Await(h.gr, h.tick, g.wish(h.tick), wait)
	if err != nil || news == nil {
		return err
	}
	select {
	case <-news:
		return nil
	case <-w.Turn():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// exhaust ends the generator for good because the time field is full, even if the clock
// goes back later.
func (g *Generator) exhaust(gr *tenure.Grant) {
	g.tenure.End(gr, tenure.Exhausted(g.layout))
}
