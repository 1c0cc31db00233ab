package segmenttest

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
)

var changeChecks = []check{
	{Name: "a row that is not there", Contract: "the row is Fresh when there is none; a decision creates it; neither a look nor Rows nor Inspect does", Run: freshRows},
	{Name: "a refused decision stores nothing", Contract: "when decide returns an error the Store writes nothing and returns that error, wrapped or not", Run: refusals},
	{Name: "what is no row is refused", Contract: "it returns an error that wraps ErrRange, with the numbers, when the row cannot be stored", Run: noRows},
}

func freshRows(p *probe) {
	c, other := p.open(), p.open()
	for range 2 {
		if row := c.read("orders"); !row.Fresh {
			p.Errorf("nobody has written the tag, and it is offered as %+v", row)
		}
		if got := other.tags(nil); len(got) > 0 {
			p.Errorf("nobody has written anything, and Rows returned tags %q", got)
		}
		if _, err := other.Inspect(p.Ctx); err != nil {
			p.Errorf("Inspect of a store that has nothing yet: %v", err)
		}
	}
	want := segment.Row{Tag: "orders", Step: 1}
	c.set(want)
	for _, s := range []*client{c, other} {
		if d := s.differs(want); d != "" {
			p.Errorf("a row was created, and is read with other values: %s", d)
		}
	}
	for _, tag := range []string{"order", "orders1", "rders"} {
		if row := other.read(tag); !row.Fresh {
			p.Errorf("tag \"orders\" was created, and %q is offered as %+v", tag, row)
		}
	}
	if got := other.tags([]string{"orders"}); !slices.Equal(got, []string{"orders"}) {
		p.Errorf("tag \"orders\" was created, and Rows returned tags %q", got)
	}
}

// old writes a row of a tag.
func (c *client) old(tag string) segment.Row {
	row := segment.Row{
		Tag: tag, Next: 50, Step: 5, Description: "as it was",
		Writes: 2, Floor: 50, Takers: []segment.Taker{{Nonce: "a", Last: 3}, {Nonce: "b", Last: 49}},
	}
	c.set(row)
	return row
}

// oldAndNew are a row, and one that is not there.
func (c *client) oldAndNew() []segment.Row {
	return []segment.Row{c.old("old"), {Tag: "new", Fresh: true}}
}

func refusals(p *probe) {
	c, other := p.open(), p.open()
	for _, row := range c.oldAndNew() {
		for what, refused := range map[string]error{
			"refused": errors.New("refused"), "an error of the package": uid.ErrExhausted, "an error that may pass": retry.Transient(errors.New("may pass")),
		} {
			runs := 0
			ctx, cancel := context.WithTimeout(p.Ctx, p.Soon)
			err := c.Change(ctx, row.Tag, func(r *segment.Row) error {
				runs++
				r.Fresh, r.Next, r.Step, r.Description = false, r.Next+10, 9, "refused"
				for i := range r.Takers {
					r.Takers[i].Last++ // in place
				}
				return refused
			})
			cancel()
			if runs != 1 || !errors.Is(err, refused) {
				p.Errorf("tag %q, %s: decide ran %d times, and Change returned %v, wanted is what decide returned first", row.Tag, what, runs, err)
			}
			for _, s := range []*client{c, other} {
				if d := s.differs(row); d != "" {
					p.Errorf("tag %q, %s: decide refused, and the row has changed: %s", row.Tag, what, d)
				}
			}
		}
	}
	if got := other.tags([]string{"old"}); !slices.Equal(got, []string{"old"}) {
		p.Errorf("decide refused a new row, and Rows returned tags %q", got)
	}
}

func noRows(p *probe) {
	c, other := p.open(), p.open()
	for _, row := range c.oldAndNew() {
		for _, spoil := range []func(*segment.Row){
			func(r *segment.Row) { r.Next = -1 },
			func(r *segment.Row) { r.Step = 0 },
			func(r *segment.Row) { r.Step = segment.MaxStep + 1 },
			func(r *segment.Row) { r.Description = strings.Repeat("x", 257) },
			func(r *segment.Row) { r.Description = strings.Repeat("\U0001F984", 257) },
			func(r *segment.Row) {
				r.Takers = slices.Repeat([]segment.Taker{{Nonce: "a", Last: 1}}, segment.MaxTakers+1)
			},
			func(r *segment.Row) { r.Writes = -1 },
			func(r *segment.Row) { r.Floor = -1 },
			func(r *segment.Row) { r.Takers = []segment.Taker{{Last: 1}} },
			func(r *segment.Row) { r.Takers = []segment.Taker{{Nonce: "a:b", Last: 1}} },
			func(r *segment.Row) { r.Takers = []segment.Taker{{Nonce: strings.Repeat("a", 33), Last: 1}} },
			func(r *segment.Row) { r.Takers = []segment.Taker{{Nonce: "a", Last: -2}} },
		} {
			var why error
			err := c.Change(p.Ctx, row.Tag, func(r *segment.Row) error {
				r.Fresh, r.Next, r.Step = false, 60, 6
				spoil(r)
				why = r.Check()
				return nil
			})
			if !errors.Is(err, uid.ErrRange) || !strings.Contains(err.Error(), why.Error()) || retry.IsTransient(err) {
				p.Errorf("Change returned %v (which may pass: %v), wanted is one for good: %v", err, retry.IsTransient(err), why)
			}
			if d := other.differs(row); d != "" {
				p.Errorf("no row should be stored (%v), and it has changed: %s", why, d)
			}
		}
	} // Row.Check says nothing of a row that is Fresh, and a decision may leave it so.
	fresh := segment.Row{Tag: "fresh", Fresh: true}
	_ = c.Change(p.Ctx, fresh.Tag, func(r *segment.Row) error { r.Next = 60; return nil })
	if d := other.differs(fresh); d != "" {
		p.Errorf("a row with a step of 0 that decide left Fresh was stored: %s", d)
	}
}
