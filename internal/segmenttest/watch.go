package segmenttest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
)

type (
	row   = storage.Segment
	taker = storage.Taker
	edit  = func(*row)
)

// A probe is one run of a check.
type probe struct {
	*suite.Probe
	Subject
	began   time.Time
	letters bool // tags that differ only in the case of letters are the same one
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

// key is what a tag's row is under in the model.
func (p *probe) key(tag string) string {
	if p.letters {
		return strings.ToLower(tag)
	}
	return tag
}

// A client is a store under watch: it checks in each call what holds for every call, and has the model judge what
// is offered and stored.
type client struct {
	p     *probe
	store segment.Store
	id    int // in a history
}

// errNothing is returned by a decision that gets nil.
var errNothing = errors.New("nothing is offered")

// Change calls the store's Change under watch.
func (c *client) Change(ctx context.Context, tag string, decide func(*row) error) error {
	k := c.p.Call("Change", c.id)
	return k.End(c.store.Change(ctx, tag, func(r *row) error {
		return k.Run(func() error {
			if r == nil {
				c.p.Errorf("Change of tag %q offers no row", tag)
				return errNothing
			}
			if !strings.EqualFold(r.Tag, tag) {
				c.p.Errorf("Change of tag %q offers the row of tag %q", tag, r.Tag)
			}
			c.row("Change", r)
			k.Sees(c.p.key(tag), text(r))
			err := decide(r)
			written := *r
			written.Fresh = false
			k.Writes(c.p.key(tag), text(&written))
			return err
		})
	}))
}

// row checks what holds for all rows that a store offers.
func (c *client) row(from string, r *row) {
	fresh := row{Tag: r.Tag, Fresh: true, Writes: r.Writes, Floor: r.Floor, Takers: r.Takers}
	if r.Fresh && !(r.Equal(&fresh) && r.Updated.IsZero()) {
		c.p.Errorf("%s offers the Fresh row %+v, wanted is nothing of the number", from, *r)
	}
	if err := r.Check(); err != nil {
		c.p.Errorf("%s offers what is no row: %v", from, err)
	}
	first, last := c.p.began.Add(-suite.Limit), time.Now().Add(suite.Limit)
	if at := r.Updated; !at.IsZero() && (at.Before(first) || at.After(last)) {
		c.p.Errorf("%s offers a row of tag %q that was Updated at %v, not from %v to %v", from, r.Tag, at, first, last)
	}
}

// text is all of a row but its tag and Updated, beginning with Next; "" where there is nothing.
func text(r *row) string {
	beside := fmt.Appendf(nil, "Writes:%d Floor:%d Takers:[", r.Writes, r.Floor)
	for _, t := range r.Takers { // which are many
		beside = strconv.AppendInt(append(append(beside, t.Nonce...), ' '), t.Last, 10)
		beside = append(beside, ", "...)
	}
	switch {
	case !r.Fresh:
		return fmt.Sprintf("Next:%d Step:%d Description:%q %s]", r.Next, r.Step, r.Description, beside)
	case r.Writes == 0 && r.Floor == 0 && len(r.Takers) == 0:
		return ""
	}
	return fmt.Sprintf("Fresh %s]", beside)
}

// moves returns a function that replaces Next in a text.
func moves(to func(next int64) (int64, bool)) func(text string) (string, bool) {
	return func(text string) (string, bool) {
		var next int64
		if _, err := fmt.Sscanf(text, "Next:%d ", &next); err != nil {
			return "", false
		}
		n, can := to(next)
		_, rest, _ := strings.Cut(text, " ")
		if n < 0 {
			return "Fresh " + rest[strings.LastIndex(rest, "Writes:"):], can
		}
		return fmt.Sprintf("Next:%d %s", n, rest), can
	}
}

// Rows calls the store's Rows under watch.
func (c *client) Rows(ctx context.Context, after string, most int) ([]row, error) {
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
func (c *client) Inspect(ctx context.Context) error { return c.p.Inspect(ctx, c.store.Inspect) }

// Name calls the store's Name under watch.
func (c *client) Name() string { return c.p.Named(c.store.Name()) }

// copied returns a row that shares nothing with another one.
func copied(r *row) row {
	is := *r
	is.Takers = slices.Clone(r.Takers)
	return is
}

// change changes the row of a tag, and tries again while the store's errors may pass.
func (c *client) change(tag string, decide edit) {
	c.p.Again(fmt.Sprintf("Change of tag %q", tag), func() error { return c.once(c.p.Ctx, tag, decide) })
}

// once changes the row of a tag, or tries to.
func (c *client) once(ctx context.Context, tag string, decide edit) error {
	err := c.Change(ctx, tag, func(r *row) error { decide(r); return nil })
	c.p.MayPass(fmt.Sprintf("Change of tag %q", tag), err)
	return err
}

// set writes the row of a tag, whatever there is.
func (c *client) set(is row) {
	c.change(is.Tag, func(r *row) {
		stored := copied(&is)
		stored.Tag, stored.Updated = r.Tag, r.Updated
		*r = stored
	})
}

// look reads the row of a tag, for the model to judge.
func (c *client) look(tag string) (is row) {
	c.p.Look(func() error {
		return c.Change(c.p.Ctx, tag, func(r *row) error {
			is = copied(r)
			return suite.ErrLook
		})
	})
	return is
}

// list compares a page with what the model has. Rows may lag behind, so it tries for a while.
func (c *client) list(tags []string, after string, most int) {
	var wanted []string
	slices.Sort(tags)
	for _, tag := range tags {
		if text := c.p.Model.Text(c.p.key(tag)); strings.HasPrefix(text, "Next") && tag > after && len(wanted) < most {
			wanted = append(wanted, tag+" "+text)
		}
	}
	pause := time.NewTicker(100 * time.Millisecond)
	defer pause.Stop()
	for began := time.Now(); ; <-pause.C {
		var got []string
		c.p.Again("Rows", func() error {
			rows, err := c.Rows(c.p.Ctx, after, most)
			got = nil
			for _, r := range rows {
				got = append(got, r.Tag+" "+text(&r))
			}
			return err
		})
		if slices.Equal(got, wanted) {
			return
		}
		if time.Since(began) > 5*time.Second {
			differs := suite.Differs(strings.Join(got, "\n"), strings.Join(wanted, "\n"))
			c.p.Fatalf("up to %d rows after tag %q: %s", most, after, differs)
		}
	}
}
