package segmenttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
)

// A probe is one run of a check.
type probe struct {
	*suite.Probe
	Subject
	began time.Time
}

func newProbe(ctx context.Context, s suite.Settings, subject Subject) *probe {
	return &probe{Probe: suite.NewProbe(ctx, s, subject.Secret), Subject: subject, began: time.Now()}
}

// open returns a new client.
func (p *probe) open() *client {
	s, err := p.Subject.Open()
	if err != nil {
		p.Fatalf("Open: %v", err)
	}
	return &client{p: p, store: s}
}

// A client is a store under watch: it checks in each call what holds for every call.
type client struct {
	p     *probe
	store segment.Store
}

// errNothing is returned by a decision that gets nil.
var errNothing = errors.New("nothing is offered")

// Change calls the store's Change under watch.
func (c *client) Change(ctx context.Context, tag string, decide func(*segment.Row) error) error {
	k := c.p.Call("Change")
	return k.End(c.store.Change(ctx, tag, func(r *segment.Row) error {
		return k.Run(func() error {
			if r == nil {
				c.p.Errorf("Change of tag %q offers no row", tag)
				return errNothing
			}
			if !strings.EqualFold(r.Tag, tag) {
				c.p.Errorf("Change of tag %q offers the row of tag %q", tag, r.Tag)
			}
			c.row("Change", r)
			return decide(r)
		})
	}))
}

// row checks what holds for all rows that a store offers.
func (c *client) row(from string, r *segment.Row) {
	fresh := segment.Row{Tag: r.Tag, Fresh: true, Writes: r.Writes, Floor: r.Floor, Takers: r.Takers}
	if r.Fresh && !(r.Equal(&fresh) && r.Updated.IsZero()) {
		c.p.Errorf("%s offers the Fresh row %+v, wanted is nothing of the number", from, *r)
	}
	if err := r.Check(); err != nil {
		c.p.Errorf("%s offers what is no row: %v", from, err)
	}
	if now := time.Now(); !r.Updated.IsZero() && (r.Updated.Before(c.p.began.Add(-suite.Limit)) || r.Updated.After(now.Add(suite.Limit))) {
		c.p.Errorf("%s offers a row of tag %q that was Updated at %v, it is %v now and the check began at %v", from, r.Tag, r.Updated, now, c.p.began)
	}
}

// Rows calls the store's Rows under watch.
func (c *client) Rows(ctx context.Context, after string, most int) ([]segment.Row, error) {
	rows, err := c.store.Rows(ctx, after, most)
	c.p.NoSecrets("Rows", err)
	if err != nil {
		return rows, err
	}
	if len(rows) > most {
		c.p.Errorf("Rows returned %d rows, asked for were up to %d", len(rows), most)
	}
	for _, r := range rows {
		if r.Fresh || r.Tag <= after {
			c.p.Errorf("Rows returned %+v after tag %q", r, after)
		}
		c.row("Rows", &r)
		after = r.Tag
	}
	return rows, nil
}

// Inspect calls the store's Inspect under watch.
func (c *client) Inspect(ctx context.Context) ([]string, error) {
	lossy, err := c.store.Inspect(ctx)
	c.p.NoSecret("what Inspect says", strings.Join(lossy, "\n"))
	c.p.NoSecrets("Inspect", err)
	return lossy, err
}

// Name calls the store's Name under watch.
func (c *client) Name() string {
	name := c.store.Name()
	c.p.NoSecret("Name", name)
	return name
}

// copied returns a row that shares nothing with another one.
func copied(r *segment.Row) segment.Row {
	row := *r
	row.Takers = slices.Clone(r.Takers)
	return row
}

// change changes the row of a tag, and tries again while the store's errors may pass.
func (c *client) change(tag string, decide func(*segment.Row)) {
	c.p.Again(fmt.Sprintf("Change of tag %q", tag), func() error {
		return c.Change(c.p.Ctx, tag, func(r *segment.Row) error { decide(r); return nil })
	})
}

// set writes the row of a tag, whatever there is.
func (c *client) set(row segment.Row) {
	c.change(row.Tag, func(r *segment.Row) {
		stored := copied(&row)
		stored.Tag, stored.Updated = r.Tag, r.Updated
		*r = stored
	})
}

// read returns the row of a tag.
func (c *client) read(tag string) (row segment.Row) {
	c.p.Look(func() error {
		return c.Change(c.p.Ctx, tag, func(r *segment.Row) error {
			row = copied(r)
			return suite.ErrLook
		})
	})
	return row
}

// rows reads a page, until it is as wanted: Rows may lag behind.
func (c *client) rows(after string, most int, wanted func([]segment.Row) bool) (rows []segment.Row) {
	pause := time.NewTicker(10 * time.Millisecond)
	defer pause.Stop()
	for began := time.Now(); ; <-pause.C {
		c.p.Again("Rows", func() (err error) {
			rows, err = c.Rows(c.p.Ctx, after, most)
			return err
		})
		if wanted(rows) || time.Since(began) > c.p.Soon {
			return rows
		}
	}
}

// differs returns in what the row of a tag differs from the one that is wanted.
func (c *client) differs(want segment.Row) string { return diff(c.read(want.Tag), want) }

// passes reports whether an error is one that may pass, or of a context.
func passes(err error) bool {
	return retry.IsTransient(err) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// diff lists the fields in which two rows differ, except for Updated.
func diff(got, want segment.Row) string {
	var d []string
	compare := func(field string, got, want any) {
		if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
			d = append(d, fmt.Sprintf("%s is %s, not %s", field, g, w))
		}
	}
	compare("Tag", got.Tag, want.Tag)
	compare("Fresh", got.Fresh, want.Fresh)
	compare("Next", got.Next, want.Next)
	compare("Step", got.Step, want.Step)
	compare("Description", got.Description, want.Description)
	compare("Writes", got.Writes, want.Writes)
	compare("Floor", got.Floor, want.Floor)
	compare("Takers", got.Takers, want.Takers)
	return strings.Join(d, "; ")
}
