package segmenttest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
)

var historyChecks = []check{
	{Name: "histories", Contract: "nobody else can change what decide sees before the outcome is stored; nil means stored, and any other error " +
		"after decide has run that it may be", Run: histories},
}

func histories(p *probe) {
	n := 0
	p.Record(func(r *suite.Recorder) {
		n++
		(&recorder{Recorder: r, p: p, n: n, rows: map[string]segment.Row{}}).record()
	})
}

// A recorder makes calls at random and records them.
type recorder struct {
	*suite.Recorder
	p *probe
	n int // of the history; each has its own tags

	mu   sync.Mutex
	rows map[string]segment.Row // what was written, by token, which is its Description
}

// tags is how many there are in a history: few, so that calls meet.
const tags = 2

func (r *recorder) tag(i int) string { return fmt.Sprintf("history %d, tag %d", r.n, i) }

// record runs the clients, and checks at the end what the store holds.
func (r *recorder) record() {
	if r.Seed%4 > 0 { // else all rows are created at once
		r.change(r.p.open(), suite.Clients, 0, suite.Plan{})
	}
	r.Each(func(i int) func(*rand.Rand) {
		c := r.p.open()
		return func(random *rand.Rand) { r.call(c, i, random) }
	})
	last := r.p.open()
	for range 2 {
		for tag := range tags {
			r.change(last, suite.Clients, tag, suite.Plan{Refuse: true})
		}
		if r.p.Deliver == nil {
			break
		}
		r.p.Deliver()
	}
}

func (r *recorder) call(c *client, i int, random *rand.Rand) {
	if r.Faults {
		fault := OK
		if suite.Chance(random, 20) {
			fault = Fault(1 + random.IntN(int(Delay)))
		}
		r.p.fault(c, fault)
		if suite.Chance(random, 15) && r.p.Deliver != nil {
			r.p.Deliver()
		}
	}
	plan := suite.RandomPlan(random)
	if suite.Chance(random, 10) {
		r.list(c)
		return
	}
	r.change(c, i, random.IntN(tags), plan)
}

func (r *recorder) change(c *client, i, tag int, plan suite.Plan) {
	ctx, cancel := context.WithCancel(r.p.Ctx)
	defer cancel()
	o, ran := r.Begin("Change", i), false
	err := c.Change(ctx, r.tag(tag), func(row *segment.Row) error {
		ran = true
		o.On[tag] = suite.Access{Looked: true, Saw: r.sees(row)}
		err := r.Decide(plan, cancel)
		o.On[tag].Wrote = r.writes(row)
		return err
	})
	r.End(o, ran, err, passes)
}

// list looks whether Rows returns rows that were written.
func (r *recorder) list(c *client) {
	rows, err := c.Rows(r.p.Ctx, fmt.Sprintf("history %d,", r.n), tags)
	if err != nil && !passes(err) {
		r.p.Errorf("Rows came to an error that is final: %v", err)
	}
	for _, row := range rows {
		if row.Tag == r.tag(0) || row.Tag == r.tag(1) {
			r.sees(&row)
		}
	}
}

// sees checks that a row was written as a whole, and returns its token.
func (r *recorder) sees(row *segment.Row) (token string) {
	if row.Fresh {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if was, found := r.rows[row.Description]; !found {
		r.p.Errorf("there is a row that nobody has written: %+v", *row)
	} else if d := diff(*row, was); d != "" {
		r.p.Errorf("there is a row that nobody has written: %s", d)
	}
	return row.Description
}

func (r *recorder) writes(row *segment.Row) (token string) {
	token = r.p.Token()
	kept := row.Takers[len(row.Takers)/4:]
	*row = segment.Row{
		Tag: row.Tag, Updated: row.Updated, Next: row.Next + rand.Int64N(5), Step: 1 + rand.Int64N(segment.MaxStep), Description: token,
		Takers: append(kept, segment.Taker{Nonce: token, Last: rand.Int64()}),
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows[token] = copied(row)
	return token
}
