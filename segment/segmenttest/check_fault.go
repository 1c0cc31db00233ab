package segmenttest

import (
	"fmt"
	"slices"
	"sync"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
)

var faultChecks = []check{
	{Name: "open outcomes are left alone", Contract: "any error after decide has run leaves the outcome open, and is marked if it may pass; decide may run several times, the last run counts", Run: openOutcomes},
	{Name: "late writes", Contract: "a write that is on its way may still arrive, unless the row was written again since", Run: lateWrites},
	{Name: "lost writes", Contract: "a row is offered as it is now, whatever was read before; if something of what was read is no longer so the Store refuses the write", Run: lostWrites},
}

// fault makes a client's next Change fail, if the store can.
func (p *probe) fault(c *client, f Fault) bool {
	return p.Subject.Fault != nil && (f != Delay || p.Deliver != nil) && p.Subject.Fault(c.store, f)
}

func openOutcomes(p *probe) {
	c := p.open()
	for _, f := range []Fault{Refuse, LoseWrite, LoseReply} {
		for _, before := range []segment.Row{c.old("old " + f.String()), {Tag: "new " + f.String(), Fresh: true}} {
			if !p.fault(c, f) {
				p.Notef("not tried: %v", f)
				break
			}
			var decided []segment.Row
			err := c.Change(p.Ctx, before.Tag, func(r *segment.Row) error {
				for i := range decided {
					if diff(*r, decided[i]) == "" {
						p.Errorf("%v, tag %q: decide runs again after what it decided was stored", f, before.Tag)
					}
				}
				take(r, "a", 10)
				decided = append(decided, copied(r))
				return nil
			})
			if err != nil && !retry.IsTransient(err) {
				p.Errorf("%v, tag %q: the error is not marked as one that may pass: %v", f, before.Tag, err)
			}
			after := p.open().read(before.Tag)
			switch stored := len(decided) > 0 && diff(after, decided[len(decided)-1]) == ""; {
			case err == nil && !stored:
				p.Errorf("%v, tag %q: it returned nil, and has not stored what decide wrote", f, before.Tag)
			case !stored && diff(after, before) != "":
				p.Errorf("%v, tag %q: the row is neither what was there (%s) nor what decide wrote last", f, before.Tag, diff(after, before))
			}
		}
	}
}

func lateWrites(p *probe) {
	c, other := p.open(), p.open()
	late := func(tag string) (row segment.Row, delayed bool) {
		if !p.fault(c, Delay) {
			p.Notef("not tried: %v", Delay)
			return row, false
		}
		err := c.Change(p.Ctx, tag, func(r *segment.Row) error {
			take(r, "late", 1000)
			row = copied(r)
			return nil
		})
		if err == nil {
			p.Errorf("%s: a write that is late was acknowledged", tag)
		} else if !retry.IsTransient(err) {
			p.Errorf("%s: a write that is late came to %v, which is not marked as one that may pass", tag, err)
		}
		return row, true
	}
	for _, before := range []segment.Row{c.old("written late"), {Tag: "created late", Fresh: true}} {
		row, delayed := late(before.Tag)
		if !delayed {
			return
		}
		p.Deliver()
		if after := other.read(before.Tag); diff(after, before) != "" && diff(after, row) != "" {
			p.Errorf("%s: the row is neither what was there (%s) nor what was late (%s)", before.Tag, diff(after, before), diff(after, row))
		}
	}
	was := c.old("old")
	all := append(meddlers(),
		meddler{name: "numbers are taken and given back: nothing differs", steps: []func(*segment.Row){
			func(r *segment.Row) { r.Next, r.Takers[1].Last = 60, 59 },
			func(r *segment.Row) { r.Next, r.Takers[1].Last = was.Next, was.Takers[1].Last },
		}},
		meddler{name: "the row is written as it is", steps: []func(*segment.Row){func(*segment.Row) {}}},
	)
	for _, m := range all {
		m.begin(c)
		if _, delayed := late(m.name); !delayed {
			return
		}
		for _, step := range m.steps {
			other.change(m.name, step)
		}
		want := other.read(m.name)
		p.Deliver()
		if d := other.differs(want); d != "" {
			p.Errorf("%s: when a write arrived that was decided before, it was stored: %s", m.name, d)
		}
	}
	if p.Foreign == nil {
		return
	}
	c.old("foreign")
	if _, delayed := late("foreign"); delayed {
		p.foreign("foreign", 10)
		want := other.read("foreign")
		p.Deliver()
		if d := other.differs(want); d != "" {
			p.Errorf("when a write arrived that was decided before a foreign draw, it was stored: %s", d)
		}
	}
}

func lostWrites(p *probe) {
	if p.Backup == nil {
		p.Notef("not tried: the Subject has no Backup")
		return
	}
	c, other := p.open(), p.open()
	takes := func(nonce string) func(*segment.Row) {
		return func(r *segment.Row) { take(r, nonce, 10) }
	}
	// Each client offers what is there now.
	was := c.old("old")
	restore := p.Backup()
	for _, tag := range []string{"old", "new"} {
		c.change(tag, takes("lost"))
		other.read(tag)
	}
	restore()
	for _, s := range []*client{c, other, p.open()} {
		for _, want := range []segment.Row{was, {Tag: "new", Fresh: true}} {
			if d := s.differs(want); d != "" {
				p.Errorf("writes were lost, and the row is not as it was before: %s", d)
			}
		}
	}
	if got := c.tags([]string{"old"}); !slices.Equal(got, []string{"old"}) {
		p.Errorf("writes were lost, and Rows returned tags %q, wanted is \"old\"", got)
	}
	// What was decided about a row that is lost is not stored, even if other rows followed.
	for _, followed := range []bool{false, true} {
		c.old("old")
		for _, tag := range []string{"old", fmt.Sprintf("new, and others followed: %v", followed)} {
			restore := p.Backup()
			c.change(tag, takes("lost"))
			lost := c.read(tag)
			var once sync.Once
			var saw segment.Row
			err := c.Change(p.Ctx, tag, func(r *segment.Row) error {
				once.Do(func() {
					restore()
					if followed {
						other.meddle(tag, []func(*segment.Row){takes("since")})
					}
				})
				saw = copied(r)
				take(r, "late", 1000)
				return nil
			})
			if err != nil && !passes(err) {
				p.Errorf("a Change that ran while writes were lost came to %v", err)
			}
			after := other.read(tag)
			switch {
			case slices.ContainsFunc(after.Takers, func(t segment.Taker) bool { return t.Nonce == "lost" }):
				p.Errorf("what was decided about a row that was lost since was stored: lost was %+v, stored is %+v", lost, after)
			case err == nil:
				if take(&saw, "late", 1000); diff(after, saw) != "" {
					p.Errorf("a Change that ran while writes were lost returned nil; the row is not what it decided last: %s", diff(after, saw))
				}
			}
		}
	}
}
