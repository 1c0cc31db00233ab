package segmenttest

import (
	"time"

	"github.com/uidgen/uid/segment"
)

var lowerChecks = []check{
	{
		Name: "a number that is lowered by hand",
		Contract: "a row is offered as it is; " +
			"Writes, Floor and Takers are zero in a Fresh row unless somebody has removed the number alone",
		Run: lowered,
	},
}

func lowered(p *probe) {
	if p.Lower == nil {
		p.Notef("not tried: the Subject has no Lower")
		return
	}
	c, other := p.open(), p.open()
	lower := func(tag string, next int64) {
		if err := p.Lower(tag, next); err != nil {
			p.Fatalf("Lower(%q, %d): %v", tag, next, err)
		}
	}
	row := c.old("orders")
	for _, next := range []int64{49, 0, 1 << 40, 20} {
		lower(row.Tag, next)
		want := row
		want.Next = next
		for _, s := range []*client{c, other} {
			if d := s.differs(want); d != "" {
				p.Errorf("the next number was set to %d by hand, and the row is offered with other values: %s", next, d)
			}
		}
	}
	lower(row.Tag, -1)
	for _, s := range []*client{c, other} {
		want := segment.Row{Tag: row.Tag, Fresh: true, Writes: row.Writes, Floor: row.Floor, Takers: row.Takers}
		if d := s.differs(want); d != "" {
			p.Errorf("the number was removed by hand, and what stands beside it is offered with other values: %s", d)
		}
		if got := s.tags(nil); len(got) > 0 {
			p.Errorf("the number was removed by hand, and Rows returned tags %q", got)
		}
	}
	row.Next, row.Description = 100, "made anew"
	c.set(row)
	for _, s := range []*client{c, other} {
		if d := s.differs(row); d != "" {
			p.Errorf("a number that was removed by hand is made anew, and the row is offered with other values: %s", d)
		}
	}
	for _, next := range []int64{10, -1} {
		lowerMeets(p, next)
	}
}

// lowerMeets lowers a number between the read and the write of a decision.
func lowerMeets(p *probe, next int64) {
	c := p.open()
	row := c.old("meets")
	done := make(chan struct{})
	lowered, runs := false, 0
	var failed error
	err := c.Change(p.Ctx, row.Tag, func(r *segment.Row) error {
		if runs++; runs == 1 {
			go func() {
				defer close(done)
				failed = p.Lower(row.Tag, next)
			}()
			timer := time.NewTimer(p.Patience)
			defer timer.Stop()
			select {
			case <-done:
				lowered = failed == nil
			case <-timer.C: // a store that locks lets nobody write meanwhile
			}
		}
		if r.Fresh {
			r.Fresh, r.Step = false, 1
		}
		r.Description = "decided"
		return nil
	})
	<-done
	if err == nil && lowered && runs < 2 {
		p.Errorf("the next number was set to %d by hand after a decision had read %d, "+
			"and the decision was stored all the same", next, row.Next)
	}
}
