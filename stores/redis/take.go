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
	// crowd is among how many rows a Take chooses that others have been faster than: as many as are
	// made at once. widest is among how many it does in the end.
	crowd, widest = 16, 4096
)

// Take implements [lease.Store]. It takes two round trips, and two more each time that another
// client was faster. It then chooses at random among many times as many rows as before, so that
// many who start at once soon have one each.
func (l *Leases) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	if w.IDs.First < 0 || w.IDs.First > w.IDs.Last {
		return fmt.Errorf("%w: no worker IDs are wanted: %d to %d", uid.ErrRange, w.IDs.First, w.IDs.Last)
	}
	choices := int64(1)
	var raced choice // with new IDs
	for {
		c, err := l.choose(ctx, w, rand.Int64N(choices))
		if err != nil {
			return err
		}
		if c.rowText == "" && c.namespaceText == raced.namespaceText && c.history == raced.history {
			return l.unreadable(l.keys[1], raced.id,
				fmt.Errorf("it, or one of those up to %d, has a row that %s does not name", raced.last, l.keys[3]))
		}
		n := c.namespace
		if err := decide(&n, &c.row, c.clock); err != nil {
			return err
		}
		if n.Given = c.namespace.Given; c.rowText == "" {
			n.Given = c.last
		}
		text := ""
		if n != c.was {
			if text, err = namespaceText(n); err != nil {
				return err
			}
		}
		first, err := rowChange(c.id, c.rowText, c.row)
		if err != nil {
			return err
		}
		changes := []change{first}
		for id := c.id + 1; id <= c.last; id++ {
			change, err := rowChange(id, "", lease.NewRow(id))
			if err != nil {
				return err
			}
			changes = append(changes, change)
		}
		if stored, err := l.write(ctx, c.history, c.namespaceText, text, changes...); stored || err != nil {
			return err
		}
		if choices = min(crowd*choices, widest); c.rowText == "" {
			raced = c
		}
	}
}

// A choice is the row that a Take offers.
type choice struct {
	state
	was           lease.Namespace // as it is stored
	namespace     lease.Namespace // as decide sees it
	namespaceText string
	id            int64
	row           lease.Row
	rowText       string // empty for a new row
	last          int64  // with a new row: the last ID whose row is made with it
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
		if c.was, err = l.parseNamespace(free.namespace); err != nil {
			return c, err
		}
		c.namespace = c.was
		c.namespace.Given = max(c.was.Given, free.top)
		ids, err := w.Within(c.namespace)
		if err != nil {
			return c, err
		}
		chosen, err := l.among(free, w)
		fresh, some := c.namespace.NewIDs(ids)
		switch {
		case err != nil:
			return c, err
		case chosen == nil && !free.all:
			skip = 0
			continue
		case chosen == nil && some:
			c.id, c.row, c.last = fresh.First, lease.NewRow(fresh.First), fresh.Last
			return c, nil
		case chosen == nil && len(free.over) > 0:
			chosen = &free.over[0]
		case chosen == nil:
			return c, l.noneFree(ctx, ids, w.Rest)
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

func (l *Leases) noneFree(ctx context.Context, ids lease.Range, rest time.Duration) error {
	next, missing, err := l.readNone(ctx, ids)
	if err != nil {
		return err
	}
	var until time.Time
	for _, s := range next {
		row, err := l.parseRow(s.id, s.text)
		if err != nil {
			return err
		}
		until = row.Until.Add(rest)
	}
	return lease.NoneFree(ids, until, missing)
}

// missing returns the error of a namespace that is not there.
func (l *Leases) missing() error {
	return fmt.Errorf("%w: there is no key %s", worker.ErrNoNamespace, l.keys[0])
}
