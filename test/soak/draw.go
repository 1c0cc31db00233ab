package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/segment"
)

// The ways to draw. A slot has a goroutine for each that it lists.
const (
	strict    = "GetUID"
	lane      = "Lane"
	fill      = "Fill"
	unordered = "Unordered"
	try       = "TryGetUID"
)

const (
	// batch is how many calls are timed together: a look at the clock takes as long as
	// several of them.
	batch    = 16
	fillSize = 4096
)

// A drawing is one goroutine's.
type drawing struct {
	checker  *checker
	counters *counters
	one      uid.Drawer                             // draws one at a time,
	many     func(dst []uid.UID) (n int, err error) // or this draws many
	rate     float64                                // UIDs a second, on the average
	buf      []uid.UID
}

// run draws until the context ends or the generator is closed. It returns errors that
// callers need not expect from a generator.
func (d *drawing) run(ctx context.Context) error {
	began := d.checker.clock.elapsed()
	var drawn float64
	for ctx.Err() == nil {
		now := d.checker.clock.elapsed()
		if behind := (now-began).Seconds()*d.rate - drawn; behind <= 0 {
			// Draw little at a time or much at once, up to some ticks' worth of borrowed UIDs.
			time.Sleep(time.Millisecond << rand.IntN(11))
			continue
		}
		n, err := d.draw()
		drawn += float64(n)
		d.counters.uids.Add(uint64(n))
		switch {
		case err == nil:
		case errors.Is(err, uid.ErrClosed):
			return nil
		case errors.Is(err, segment.ErrLost) && d.checker.ledger != nil:
			d.checker.ledger.lost.Add(1)
			time.Sleep(2 * time.Millisecond)
		case errors.Is(err, uid.ErrNoReservation), errors.Is(err, uid.ErrRejectedTake),
			errors.Is(err, uid.ErrClockBack):
			d.counters.refused.Add(1)
			time.Sleep(2 * time.Millisecond)
		default:
			return err
		}
	}
	return nil
}

// draw makes some calls, marks what they return, and checks its time.
func (d *drawing) draw() (n int, err error) {
	c := d.checker
	pauses := d.counters.pauses.Load()
	from := c.clock.elapsed()
	if d.one != nil {
		var u uid.UID
		for n < batch {
			if u, err = d.one.GetUID(); err != nil {
				break
			}
			c.note(u)
			n++
		}
	} else {
		n, err = d.many(d.buf)
	}
	to := c.clock.elapsed()
	if d.many != nil {
		for _, u := range d.buf[:n] {
			c.note(u)
		}
	}
	if l := c.ledger; l != nil {
		l.drew(n, c.prev)
	}
	if d.counters.pauses.Load() != pauses {
		c.late = false // the process has not run for a while
	} else if n > 0 && !c.numbers && !c.foreign {
		c.timely(from, to)
	}
	return n, err
}
