package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

// newChecks are about worker IDs that never had a row.
var newChecks = []check{
	{"Take makes new rows", "the NewRow of the first of the IDs that NewIDs returns; " +
		"it makes those of the rest, and raises Given to the last of them", makesNew},
	{"a row that vanished makes no ID new",
		"an ID up to Given without a row is never offered; NoneFree names those whose rows are missing", neverAgain},
	{"new rows are all or nothing",
		"with what decide has changed, all or nothing and only if the namespace is as it was read", growsWhole},
	{"no row is overwritten",
		"it overwrites no row; where the store sees a row above Given it gives that row's ID, and keeps it", overwritesNone},
	{"new IDs at once", "many that start at once share what one of them makes", growAtOnce},
}

// hold takes the row that Take offers, and holds it.
func (c *client) hold(w lease.Wanted) (id int64) {
	c.p.Again("Take", func() error {
		return c.Take(c.p.Ctx, w, func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			n.Given += 5 // decide does not set it
			id, r.Until, r.Nonce = r.WorkerID, late, c.p.Token()
			return nil
		})
	})
	return id
}

// rowsUpTo checks that IDs have rows, and the next one has none.
func (c *client) rowsUpTo(what string, first, last int64) {
	for _, id := range []int64{first, (first + last) / 2, last} {
		if _, found, _ := c.row(id); !found {
			c.p.Errorf("%s: worker ID %d has no row, wanted are rows up to %d", what, id, last)
		}
	}
	if row, found, _ := c.row(last + 1); found {
		c.p.Errorf("%s: wanted are rows up to %d, and there is %+v", what, last, row)
	}
	if given := c.namespace().Given; given != last {
		c.p.Errorf("%s: Given is %d, wanted is %d", what, given, last)
	}
}

func makesNew(p *probe) {
	c, namespace := p.made()
	other := p.open(namespace)
	w := wanted(0, 1<<40)
	c.offered("an empty namespace", w, 0, true)
	c.offered("an empty namespace, a range from 3", wanted(3, 4), 3, true)
	if row, found, _ := other.row(0); found {
		p.Errorf("decide refused a new row, and it is there: %+v", row)
	}
	want := lease.Namespace{Given: -1}
	for next := int64(0); next < 150; {
		made, _ := want.NewIDs(w.IDs)
		for ; next <= made.Last; next++ {
			if next > made.First {
				c.offered("a row that was made with others", w, next, true)
			}
			if id := c.hold(w); id != next {
				p.Fatalf("Take offers worker ID %d, wanted is %d", id, next)
			}
			if next == made.First {
				other.rowsUpTo("the first of some new IDs was taken", made.First, made.Last)
			}
		}
		want.Given = made.Last
	}
	// A row that is over goes before a new ID, and no other is made.
	c.set(lease.Row{WorkerID: 3, Until: c.now().Add(-time.Hour)})
	c.offered("a row that is over, and new IDs", w, 3, false)
	c.hold(w)
	other.rowsUpTo("a row that is over was taken", 0, want.Given)

	// The last IDs of a range, and of the namespace.
	c, _ = p.made()
	if id := c.hold(wanted(0, 2)); id != 0 {
		p.Errorf("Take offers worker ID %d, wanted is 0", id)
	}
	c.rowsUpTo("a range of three IDs", 0, 0)
	c, _ = p.made()
	err := c.Init(p.Ctx,
		func(n *lease.Namespace, _ lease.Clock) error { n.IDs = lease.Range{First: 10, Last: 12}; return nil })
	if err != nil {
		p.Fatalf("Init: %v", err)
	}
	if id := c.hold(w); id != 10 {
		p.Errorf("Take in a namespace of the worker IDs 10 to 12 offers %d", id)
	}
	c.rowsUpTo("a namespace of the worker IDs 10 to 12", 10, 10)
	c.hold(w)
	c.hold(w)
	c.noneFree("a namespace of three IDs, all held", w, lease.Range{First: 10, Last: 12}, late)

	// decide reads Given, and does not set it.
	for _, given := range []int64{-1, 99} {
		err := c.Init(p.Ctx,
			func(n *lease.Namespace, _ lease.Clock) error { n.Given, n.Floor = given, given; return nil })
		if n := c.namespace(); err != nil || n.Given != 12 || n.Floor != given {
			p.Errorf("Init with a decision that sets Given returned %v, and the namespace is %+v", err, n)
		}
	}
}

func neverAgain(p *probe) {
	c, _ := p.made()
	c.put(lease.Row{WorkerID: 2, Until: late}, lease.Row{WorkerID: 6, Until: late})
	c.offered("a gap below the end", wanted(0, 7), 7, true)
	c.noneFree("gaps", wanted(0, 6), lease.Range{Last: 6}, late,
		lease.Range{First: 0, Last: 1}, lease.Range{First: 3, Last: 5})
	c.noneFree("one gap", wanted(2, 3), lease.Range{First: 2, Last: 3}, late, lease.Range{First: 3, Last: 3})
	c.noneFree("nothing but a gap", wanted(4, 5), lease.Range{First: 4, Last: 5},
		time.Time{}, lease.Range{First: 4, Last: 5})
	c.set(lease.Row{WorkerID: 6, Until: early, High: 1000})
	ahead := wanted(0, 6)
	ahead.Highest = func(time.Time) int64 { return 999 }
	c.offered("a gap, and a row used too far ahead", ahead, 6, false)

	if p.RemoveRow == nil {
		p.Notef("not tried: rows that somebody removes (the Subject has no RemoveRow)")
		return
	}
	c, namespace := p.made()
	c.hold(wanted(0, 40))
	made := c.namespace().Given
	for _, id := range []int64{made, made - 1} {
		if err := p.RemoveRow(namespace, id); err != nil {
			p.Fatalf("RemoveRow: %v", err)
		}
	}
	if n := c.namespace(); n.Given != made {
		p.Errorf("the last rows that were made are removed, and Given is %d, was %d", n.Given, made)
	}
	c, namespace = p.made()
	w := wanted(0, 40)
	for range 18 {
		c.hold(w)
	}
	made = c.namespace().Given // 21
	for _, id := range []int64{0, 3, 4, 16, made - 1, made} {
		if err := p.RemoveRow(namespace, id); err != nil {
			p.Fatalf("RemoveRow: %v", err)
		}
	}
	if n := c.namespace(); n.Given != made {
		p.Errorf("rows were removed, and Given is %d, was %d", n.Given, made)
	}
	for id := int64(18); id < made-1; id++ {
		c.offered("rows were removed, others are free", w, id, true)
		c.hold(w)
	}
	c.offered("rows were removed, none is free", w, made+1, true)
	for id := made + 1; id <= 40; id++ {
		if got := c.hold(w); got != id {
			p.Errorf("rows were removed, and Take offers worker ID %d, wanted is %d", got, id)
		}
	}
	missing := []lease.Range{{First: 0, Last: 0}, {First: 3, Last: 4},
		{First: 16, Last: 16}, {First: made - 1, Last: made}}
	c.noneFree("nothing but what was removed", w, w.IDs, late, missing...)
	for id := range int64(41) {
		if err := p.RemoveRow(namespace, id); err != nil {
			p.Fatalf("RemoveRow: %v", err)
		}
	}
	c.noneFree("all rows were removed", w, w.IDs, time.Time{}, w.IDs)
	c.offered("all rows were removed, and there are more IDs", wanted(0, 1<<40), 41, true)
}

// grown checks that a Take that made new rows has stored all of it, or nothing.
func (c *client) grown(token string, made lease.Range) (stored bool) {
	for { // the Take may still be under way
		before := c.namespace()
		rows := 0
		for id := made.First; id <= made.Last; id++ {
			if row, found, _ := c.row(id); found {
				rows++
				if taken := row.Nonce == token; taken != (id == made.First) || !taken && !row.Unused() {
					c.p.Errorf("of the new worker IDs %v there is %+v", made, row)
				}
			}
		}
		n := c.namespace()
		if n != before {
			continue
		}
		given := made.First - 1
		if stored = rows > 0; stored {
			given = made.Last
		}
		if n.Given != given || stored != (n.Layout == token) || stored && int64(rows) != made.Last-made.First+1 {
			c.p.Errorf("a Take has stored a part of it: %d of the rows %v, and the namespace is %+v", rows, made, n)
		}
		return stored
	}
}

func growsWhole(p *probe) {
	refused := errors.New("refused")
	for _, f := range []Fault{OK, LoseWrite, LoseReply, Delay, Refuse} {
		for _, decided := range []string{"agrees", "refuses", "agrees, and the context ends"} {
			c, namespace := p.made()
			if f != OK && !p.fault(c, f) {
				p.Notef("not tried: %v", f)
				break
			}
			token, other, made := p.Token(), p.open(namespace), lease.Range{Last: 15}
			ctx, cancel := context.WithCancel(p.Ctx)
			err := c.Take(ctx, wanted(0, 1<<40), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
				n.Layout, r.Nonce, r.Until = token, token, late
				switch decided {
				case "refuses":
					return refused
				case "agrees, and the context ends":
					cancel()
				}
				return nil
			})
			stored := other.grown(token, made)
			switch {
			case err == nil && !stored:
				p.Errorf("decide %s, %v: Take returned nil, and has stored nothing", decided, f)
			case decided == "refuses" && (stored || !errors.Is(err, refused) && !retry.IsTransient(err)):
				p.Errorf("decide %s, %v: Take returned %v; stored: %v", decided, f, err, stored)
			}
			if f == Delay {
				p.Deliver()
				other.grown(token, made)
			}
			cancel()
		}
	}
}

func overwritesNone(p *probe) {
	if p.SetGiven == nil {
		p.Notef("not tried: rows above Given (the Subject has no SetGiven)")
		return
	}
	for _, at := range []int64{0, 3, 9, 15, 16} {
		c, namespace := p.made()
		row := lease.Row{WorkerID: at, Until: late, High: 77, Nonce: p.Token(), Holder: "somebody"}
		c.put(row)
		if err := p.SetGiven(namespace, -1); err != nil {
			p.Fatalf("SetGiven: %v", err)
		}
		what := fmt.Sprintf("a row of worker ID %d above Given", at)
		if n := c.namespace(); n.Given != at {
			p.Errorf("%s: Init gives %+v", what, n)
		}
		got := map[int64]bool{}
		for range 20 {
			id := c.hold(wanted(0, 1<<40))
			if got[id] || id <= at {
				p.Errorf("%s: Take offers worker ID %d, which is held, or is none above all rows", what, id)
			}
			got[id] = true
		}
		if is, _, _ := p.open(namespace).row(at); rowDiff(is, row) != "" {
			p.Errorf("%s: it was overwritten: %s", what, rowDiff(is, row))
		}
	}
	// It is a row like any other.
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 3, Until: early, High: 77})
	if err := p.SetGiven(namespace, -1); err != nil {
		p.Fatalf("SetGiven: %v", err)
	}
	c.offered("a row above Given that is over", wanted(0, 1<<40), 3, false)
	c.hold(wanted(0, 1<<40))
	c.offered("new IDs begin above it", wanted(0, 1<<40), 4, true)
	c.noneFree("a row above Given, and gaps below it", wanted(0, 3), lease.Range{Last: 3}, late, lease.Range{Last: 2})
	if p.RemoveRow != nil {
		if err := p.RemoveRow(namespace, 3); err != nil {
			p.Fatalf("RemoveRow: %v", err)
		}
		c.offered("a row above Given was taken, and removed", wanted(0, 1<<40), 4, true)
	}
	// A Given above all rows holds.
	if err := p.SetGiven(namespace, 50); err != nil {
		p.Fatalf("SetGiven: %v", err)
	}
	c.offered("a Given above all rows", wanted(0, 1<<40), 51, true)
	if id := c.hold(wanted(0, 1<<40)); id != 51 {
		p.Errorf("Take offers worker ID %d, where 50 was given last", id)
	}
	c.rowsUpTo("a Given above all rows", 51, 66)
}

func growAtOnce(p *probe) {
	const n = 20
	c, namespace := p.made()
	crowd := p.Crowd()
	all := p.attempts(n, namespace, func(c *client, _ int, ran *outcome) error {
		return c.Take(p.Ctx, wanted(0, 1<<40), func(ns *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			crowd.Meet()
			*ran = outcome{id: r.WorkerID}
			r.Until, r.Nonce = late, p.Token()
			return nil
		})
	})
	ids := map[int64]bool{}
	for _, o := range all.stored {
		if ids[o.id] {
			p.Errorf("two of %d Takes at once got worker ID %d", n, o.id)
		}
		ids[o.id] = true
	}
	ns := lease.Namespace{Given: -1}
	for taken := int64(len(all.stored) + all.open); ns.Given+1 < taken; {
		made, _ := ns.NewIDs(lease.Range{Last: 1 << 40})
		ns.Given = made.Last
	}
	if given := c.namespace().Given; given > ns.Given {
		p.Errorf("%d Takes at once (%d more may have been stored) have made rows up to %d, where %d are enough",
			n, all.open, given, ns.Given)
	}
	for id := range c.namespace().Given + 1 {
		if _, found, _ := c.row(id); !found {
			p.Errorf("worker ID %d has no row, Given is %d", id, c.namespace().Given)
		}
	}
}
