package redis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

const (
	// firstLook is how many rows a Take reads to choose from. Only those are passed over whose
	// ticks lie in the future.
	firstLook = 4
	// widest bounds among how many choices a Take chooses that others have been faster than.
	widest = 4096
)

// Take implements [lease.Store]. It takes two round trips, and two more each time that another
// client was faster. It then chooses at random among four times as many IDs as before, so that
// many who start at once soon have one each.
func (l *Leases) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	if w.IDs.First < 0 {
		return fmt.Errorf("%w: the worker IDs %d to %d are not all positive", uid.ErrRange, w.IDs.First, w.IDs.Last)
	}
	choices := int64(1)
	for {
		c, err := l.choose(ctx, w, rand.Int64N(choices))
		if err != nil {
			return err
		}
		n := c.namespace
		if err := decide(&n, &c.row, c.clock); err != nil {
			return err
		}
		text := ""
		if n != c.namespace {
			if text, err = namespaceText(n); err != nil {
				return err
			}
		}
		change, err := rowChange(c.id, c.rowText, c.row)
		if err != nil {
			return err
		}
		// The namespace is compared even if it stays, since an ID without a row may have had one.
		if stored, err := l.write(ctx, c.history, c.namespaceText, text, change); stored || err != nil {
			return err
		}
		choices = min(4*choices, widest)
	}
}

// A choice is the row that a Take offers.
type choice struct {
	state
	namespace     lease.Namespace
	namespaceText string
	id            int64
	row           lease.Row
	rowText       string // empty for a Fresh row
}

// choose reads what is free, and chooses as [lease.Store] says; skip passes over so many.
func (l *Leases) choose(ctx context.Context, w lease.Wanted, skip int64) (c choice, err error) {
	for most := firstLook; ; most *= 16 {
		free, err := l.readFree(ctx, w, skip, most)
		if err != nil {
			return c, err
		}
		if free.namespace == "" {
			return c, l.missing()
		}
		c = choice{state: free.state, namespaceText: free.namespace}
		if c.namespace, err = l.parseNamespace(free.namespace); err != nil {
			return c, err
		}
		ids, err := w.Within(c.namespace)
		if err != nil {
			return c, err
		}
		chosen, err := l.among(free, w)
		switch {
		case err != nil:
			return c, err
		case chosen == nil && !free.all:
			skip = 0
			continue
		case chosen == nil && free.fresh >= 0:
			c.id, c.row = free.fresh, lease.Row{WorkerID: free.fresh, High: -1, Fresh: true}
			return c, nil
		case chosen == nil && len(free.over) > 0:
			chosen = &free.over[0]
		case chosen == nil:
			return c, l.noneFree(free, ids, w.Rest)
		}
		c.id, c.rowText = chosen.id, chosen.text
		c.row, err = l.parseRow(chosen.id, chosen.text)
		return c, err
	}
}

// among returns the first row that is over and whose ticks are not too far in the future.
func (l *Leases) among(free freeRows, w lease.Wanted) (*stored, error) {
	highest := w.Highest(free.clock.Now)
	for i, s := range free.over {
		row, err := l.parseRow(s.id, s.text)
		if err != nil {
			return nil, err
		}
		if !row.Until.Add(w.Rest).Before(free.clock.Now) {
			return nil, l.unreadable(l.keys[2], s.id, fmt.Errorf("it says that the lease has ended, and the row ends at %s", row.Until.Format(time.RFC3339Nano)))
		}
		if row.High <= highest {
			return &free.over[i], nil
		}
	}
	return nil, nil
}

func (l *Leases) noneFree(free freeRows, ids lease.Range, rest time.Duration) error {
	if free.coming == nil {
		return fmt.Errorf("%w: no worker IDs are wanted: %d to %d", uid.ErrRange, ids.First, ids.Last)
	}
	row, err := l.parseRow(free.coming.id, free.coming.text)
	if err != nil {
		return err
	}
	return lease.NoneFree(ids, row.Until.Add(rest))
}

// missing returns the error of a namespace that is not there.
func (l *Leases) missing() error {
	return fmt.Errorf("%w: there is no key %s", worker.ErrNoNamespace, l.keys[0])
}
