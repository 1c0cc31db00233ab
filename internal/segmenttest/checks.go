package segmenttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
)

// A check tries some sentences of the contract.
type check = suite.Check[*probe]

// checks are those of Run, ordered so that the first failure says most. They make calls; what is offered and
// stored is judged by the model, in each call.
var checks = []check{
	{Name: "values", Run: values, Contract: "rows are read back as they were written: numbers up to MaxInt64, " +
		"descriptions of 256 characters, MaxTakers takers in their order"},
	{Name: "tags", Run: tags, Contract: "a row for each tag that CheckTag allows; Rows returns those of up to most " +
		"tags, in the order of the tags' bytes, from the first one after the tag after"},
	{Name: "refusals", Run: refusals, Contract: "when decide returns an error the Store writes nothing and returns " +
		"that error, wrapped or not; an error that wraps ErrRange, with the numbers, when the row cannot be stored"},
	{Name: "names", Run: names, Contract: "Name is for people; Inspect changes nothing, and what is missing so far " +
		"is no error"},
	{Name: "others", Run: others, Contract: "nobody else can change the row before the outcome is stored, or the " +
		"Store refuses the write and starts again, each time with a row read anew"},
	{Name: "strangers", Run: strangers, Contract: "a row is offered as it is; programs that know nothing of Takers " +
		"leave them as they are"},
	{Name: "lost writes", Run: lostWrites, Contract: "a row is offered as it is now, whatever was read before; if " +
		"something of what was read is no longer so the Store refuses the write"},
	{Name: "faults", Run: faults, Contract: "any error after decide has run leaves the outcome open, and is marked " +
		"if it may pass"},
	{Name: "late writes", Run: lateWrites, Contract: "a write that is on its way may still arrive, unless the row " +
		"was written again since"},
	{Name: "contexts", Run: contexts, Contract: "the Store starts again until its context ends; a call returns soon " +
		"after that, with an error that wraps the context's or is marked; decide does not run once Change has " +
		"returned"},
	{Name: "histories", Run: histories, Contract: "nobody else can change what decide sees before the outcome is " +
		"stored; nil means stored, and any other error after decide has run that it may be; programs that know " +
		"nothing of Takers leave them as they are"},
}

func values(p *probe) {
	c, other, all := p.open(), p.open(), []string{"orders"}
	for i, old := range extremes("orders") { // each as a new row, and over each other one
		tag := "new " + string(rune('a'+i))
		all = append(all, tag)
		old.Tag = tag
		c.set(old)
		other.look(tag)
		for _, row := range extremes("orders") {
			old.Tag = row.Tag
			c.set(old)
			other.set(row)
			c.look(row.Tag)
		}
		c.set(old)
		other.list(all, "", 99)
	}
}

func tags(p *probe) {
	c, other, all := p.open(), p.open(), oddTags()
	for i := range 250 {
		// Not the order of letters without case, of lengths, of numbers, or of what is encoded.
		all = append(all, fmt.Sprintf([]string{"q%d", "B%d", "q/%d", "Q.%d", "q %d/x", "_%d", "b%dx", "%d"}[i%8], i*i))
	}
	all = append(all, "Orders")
	c.list(all, "", 9)
	_ = other.Inspect(p.Ctx)
	for i, tag := range all {
		c.look(tag)
		if i == len(all)/2 {
			c.list(all, "", 1000) // neither a look nor Rows nor Inspect creates a row
		}
		c.set(row{Tag: tag, Next: int64(i), Step: 1, Takers: []taker{{Nonce: "a", Last: int64(i)}}})
	}
	for _, tag := range append([]string{"Order", "Orders1", "rders"}, all...) {
		other.look(tag)
	}
	for _, most := range []int{1, 7, len(all) - 1, len(all), len(all) + 1} {
		c.list(all, "", most)
	}
	for i, tag := range slices.Sorted(slices.Values(all)) {
		for _, after := range []string{tag, tag + "!", tag[:len(tag)-1], tag + "0"} { // which have no row, most of them
			if i%7 == 0 && storage.CheckTag(after) == nil {
				c.list(all, after, 3)
			}
		}
	}
	// A store may take tags that differ only in the case of letters for the same one.
	if p.letters = p.unjudged("orders") != ""; p.letters {
		p.Model.Set("orders", p.Model.Text("Orders"))
	} else {
		all = append(all, "orders")
	}
	for n, tag := range []string{"orders", "Orders"} {
		other.change(tag, func(r *row) { r.Fresh, r.Next, r.Step = false, 1000+int64(n), 1 })
		c.look("orders")
		c.look("Orders")
	}
	if !p.letters {
		c.list(all, "", 1000)
	}
}

// old writes a row of a tag.
func (c *client) old(tag string) {
	c.set(row{
		Tag: tag, Next: 50, Step: 5, Description: "as it was",
		Writes: 2, Floor: 50, Takers: []taker{{Nonce: "a", Last: 3}, {Nonce: "b", Last: 49}},
	})
}

func refusals(p *probe) {
	c, other := p.open(), p.open()
	c.old("old")
	all := []string{"old", "new", "fresh"}
	for _, tag := range all[:2] {
		passing := retry.Transient(errors.New("may pass"))
		for _, refused := range []error{errors.New("refused"), uid.ErrExhausted, passing} {
			runs := 0
			ctx, cancel := context.WithTimeout(p.Ctx, 5*time.Second)
			err := c.Change(ctx, tag, func(r *row) error {
				runs++
				r.Fresh, r.Next, r.Step, r.Description = false, r.Next+10, 9, "refused"
				for i := range r.Takers {
					r.Takers[i].Last++ // in place
				}
				return refused
			})
			cancel()
			if runs != 1 || !errors.Is(err, refused) {
				p.Errorf("tag %q: decide ran %d times, and Change returned %v, wanted is what decide returned: %v",
					tag, runs, err, refused)
			}
			other.look(tag)
		}
		for _, spoil := range noRows() {
			var why error
			err := c.Change(p.Ctx, tag, func(r *row) error {
				r.Fresh, r.Next, r.Step = false, 60, 6
				spoil(r)
				why = r.Check()
				return nil
			})
			if !errors.Is(err, uid.ErrRange) || !strings.Contains(err.Error(), why.Error()) || retry.IsTransient(err) {
				p.Errorf("Change returned %v (it may pass: %v), wanted is one for good: %v",
					err, retry.IsTransient(err), why)
			}
			if other.look(tag); p.Model.Text(tag) != text(&row{Fresh: true}) && tag == "new" {
				p.Errorf("what is no row was stored: %v", why)
			}
		}
	} // Row.Check says nothing of a row that is Fresh, and a decision may leave it so.
	_ = c.Change(p.Ctx, "fresh", func(r *row) error { r.Next = 60; return nil })
	if row := other.look("fresh"); !row.Fresh {
		p.Errorf("a row with a step of 0 that decide left Fresh was stored: %+v", row)
	}
	other.list(all, "", 9)
}

func names(p *probe) {
	c, other := p.open(), p.open()
	name := c.Name()
	for range 2 {
		for _, s := range []*client{c, other, p.open()} {
			if err := s.Inspect(p.Ctx); err != nil {
				p.Errorf("Inspect: %v", err)
			}
			if n := s.Name(); n == "" || n != name {
				p.Errorf("Name() was %q, and is %q", name, n)
			}
		}
		c.look("orders")
		c.list([]string{"orders"}, "", 9)
		c.old("orders") // for the second round
	}
	ctx, cancel := context.WithCancel(p.Ctx)
	cancel()
	_ = c.Inspect(ctx) // only for its error, which must not hold the secret
}

// A meddler changes a row in one of the ways in which it can be other than it was.
type meddler struct {
	name  string // also the tag
	fresh bool   // the row is not there
	steps []edit
}

func meddlers() []meddler {
	takers := func(a, b int64) []taker { return []taker{{Nonce: "a", Last: a}, {Nonce: "b", Last: b}} }
	giveBack := func(r *row) { r.Next, r.Takers = 45, takers(3, 44) }
	return []meddler{
		{"numbers are taken", false, []edit{func(r *row) { take(r, "c", 10) }}},
		{"numbers are given back", false, []edit{giveBack}},
		{"numbers are given back, and others take them", false, []edit{giveBack, func(r *row) { take(r, "c", 5) }}},
		{"a taker's last number alone", false, []edit{func(r *row) { r.Takers = takers(4, 49) }}},
		{"the step alone", false, []edit{func(r *row) { r.Step++ }}},
		{"the description alone", false, []edit{func(r *row) { r.Description = "another" }}},
		{"the writes and the floor alone", false, []edit{func(r *row) { r.Writes, r.Floor = r.Writes+1, r.Floor+1 }}},
		{"the row is created", true, []edit{func(r *row) { r.Fresh, r.Next, r.Step = false, 7, 3 }}},
		{"the row is created, with a next number of 0", true, []edit{func(r *row) { r.Fresh, r.Step = false, 1 }}},
	}
}

// take takes n numbers, as generators do.
func take(r *row, nonce string, n int64) {
	if r.Fresh {
		r.Fresh, r.Next, r.Step = false, 1, 1
	}
	r.Next += n
	r.Takers = slices.DeleteFunc(r.Takers, func(t taker) bool { return t.Nonce == nonce })
	if len(r.Takers) == storage.MaxTakers {
		r.Takers = slices.Delete(r.Takers, 0, 1)
	}
	r.Takers = append(r.Takers, taker{Nonce: nonce, Last: r.Next - 1})
}

// way is a Change of one row after another.
func (c *client) way(name, tag string, steps ...edit) suite.Way {
	return suite.Way{Name: name, Call: func(ctx context.Context, at func()) (err error) {
		for _, step := range steps {
			err = cmp.Or(err, c.once(ctx, tag, func(r *row) { at(); step(r) }))
		}
		return err
	}}
}

// late is a Change that takes numbers.
func (c *client) late(tag string) suite.Way {
	return c.way("a Change", tag, func(r *row) { take(r, "late", 1000) })
}

// stages are those of a row that is there, and of one that is not.
func (p *probe) stages() (stages []func() suite.Scene) {
	for _, fresh := range []bool{false, true} {
		stages = append(stages, func() suite.Scene {
			c, other, tag := p.open(), p.open(), "row "+p.Token()
			s := suite.Scene{Mine: c.late(tag), Fault: func(f Fault) bool { return p.fault(c, f) }}
			s.Look = func() { other.look(tag); p.open().look(tag) }
			for _, m := range meddlers() {
				if m.fresh == fresh {
					s.Theirs = append(s.Theirs, other.way(m.name, tag, m.steps...))
				}
			}
			s.Since = []suite.Way{{Name: "nothing", Call: func(context.Context, func()) error { return nil }}}
			if fresh {
				return s
			}
			c.old(tag)
			s.Since = append(s.Since, other.way("the row is changed and changed back", tag,
				func(r *row) { r.Next, r.Step = 60, 6 }, func(r *row) { r.Next, r.Step = 50, 5 }))
			s.Since = append(s.Since, other.way("the row is written as it is", tag, func(*row) {}))
			if p.Foreign != nil {
				s.Since = append(s.Since, suite.Way{Name: "Foreign", Call: func(context.Context, func()) error {
					p.foreign(tag, 0, 10)
					return nil
				}})
			}
			return s
		})
	}
	return stages
}

func others(p *probe) { p.Others(p.stages()) }

func faults(p *probe) { p.Faults(p.stages(), p.Deliver) }

func lateWrites(p *probe) { p.LateWrites(p.stages(), p.Deliver) }

// lostWrites looks whether something is stored that was decided about a row that is lost, even if other rows followed.
func lostWrites(p *probe) {
	if !p.Can(p.Backup != nil, "the Subject has no Backup") {
		return
	}
	c := p.open()
	c.old("old")
	restore, forget := p.Backup(), p.Model.Backup()
	p.Until(c.late("lost"))
	restore()
	forget()
	for range 2 {
		c.list([]string{"old", "lost"}, "", 9)
		p.Until(c.late("lost"))
	}
	p.LostWrites(p.stages(), p.Backup)
}

// strangers lets programs that know nothing of Takers write, and people.
func strangers(p *probe) {
	tries := map[string]func(tag string){}
	if p.Foreign != nil {
		tries["Foreign"] = func(tag string) { p.foreign(tag, 0, 10) }
	}
	if p.Lower != nil {
		tries["Lower"] = func(tag string) { p.lower(tag, 10) }
		tries["Lower to less than nothing"] = func(tag string) { p.lower(tag, -1) }
	}
	p.Can(len(tries) == 3, "what others do to Next (the Subject lacks Foreign or Lower)")
	c, other, all := p.open(), p.open(), []string(nil)
	for tag, try := range tries {
		all = append(all, tag)
		for n := range int64(3) {
			c.old(tag)
			c.change(tag, func(r *row) { r.Next, r.Floor = 1<<53+1, n<<60 })
			try(tag)
			other.look(tag)
			c.list(all, "", 9)
			c.old(tag)
			p.Short(func() {
				_ = p.Between(c.late(tag), func() { p.Meanwhile(func() { try(tag) }) })
				other.look(tag)
			})
			p.Model.Set(tag, p.unjudged(tag))
		}
	}
}

// unjudged returns what is there after calls that no model has judged.
func (p *probe) unjudged(tag string) (is string) {
	p.Look(func() error {
		return p.open().store.Change(p.Ctx, tag, func(r *row) error { is = text(r); return suite.ErrLook })
	})
	return is
}

// foreign draws n numbers as others do.
func (p *probe) foreign(tag string, client int, n int64) {
	p.Step("Foreign", tag, client, func() (func(string) (string, bool), bool) {
		first, err := p.Foreign(tag, n)
		if err != nil {
			p.Fatalf("Foreign(%q, %d): %v", tag, n, err)
		}
		return moves(func(next int64) (int64, bool) { return next + n, next == first }), true
	})
}

// lower sets a number as people do.
func (p *probe) lower(tag string, next int64) {
	p.Step("Lower", tag, 1, func() (func(string) (string, bool), bool) {
		if err := p.Lower(tag, next); err != nil {
			p.Fatalf("Lower(%q, %d): %v", tag, next, err)
		}
		return moves(func(int64) (int64, bool) { return next, true }), true
	})
}

// fault makes a client's next Change fail, if the store can.
func (p *probe) fault(c *client, f Fault) bool {
	can := p.Subject.Fault != nil && (f != Delay || p.Deliver != nil) && p.Subject.Fault(c.store, f)
	return p.Can(can, f.String())
}

func contexts(p *probe) {
	p.Contexts(p.stages())
	c, other := p.open(), p.open()
	c.old("old")
	over, cancel := context.WithCancel(p.Ctx)
	cancel()
	rows := func(ctx context.Context, _ func()) error { _, err := other.Rows(ctx, "", 10); return err }
	for _, w := range []suite.Way{
		{Name: "Rows", Call: rows},
		{Name: "Inspect", Call: func(ctx context.Context, _ func()) error { return other.Inspect(ctx) }},
	} {
		p.MayPass(w.Name, w.Call(over, nil))
		_ = p.Between(c.late("old"), func() { _ = p.Within(w) })
		c.look("old")
	}
	// The store starts again for as long as others write, and its context has not ended.
	const races = 30
	var runs int
	var enough atomic.Bool
	rival := other.way("a Change", "races", func(r *row) { take(r, "other", 1) })
	race := func(ctx context.Context, cancel func()) error {
		runs = 0
		return c.once(ctx, "races", func(r *row) {
			if runs++; runs == races {
				cancel()
			}
			if runs == 100*races {
				p.Errorf("a Change starts again whatever its context")
				enough.Store(true)
			}
			if !enough.Load() && p.Within(rival) != nil {
				enough.Store(true)
			}
			take(r, "late", 1000)
		})
	}
	if err := race(p.Ctx, func() { enough.Store(true) }); err != nil && runs < races {
		p.Errorf("%d times others wrote before a Change did, and it came to %v", runs, err)
	}
	c.look("races")
	if runs < races {
		return // the store locks
	}
	enough.Store(false)
	ctx, cancel := context.WithCancel(p.Ctx)
	_ = p.Soon("a Change that races forever", func() error { return race(ctx, cancel) })
	enough.Store(true)
}
