package segmenttest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
)

// A history is of many clients that change few rows at random.
type history struct {
	*suite.Recorder
	p    *probe
	tags [2]string

	mu      sync.Mutex
	written map[string]bool // texts of rows
}

func histories(p *probe) {
	p.Record(func(r *suite.Recorder, n int) {
		h := &history{Recorder: r, p: p, written: map[string]bool{}}
		for i := range h.tags {
			h.tags[i] = fmt.Sprintf("history %d, tag %d", n, i)
		}
		h.record()
	})
}

// record runs the clients, and looks at the end what the store holds.
func (h *history) record() {
	one := h.p.open()
	if h.Seed%4 > 0 { // else all rows are created at once
		one.change(h.tags[0], func(r *row) { h.writes(r, rand.New(rand.NewPCG(h.Seed, 9))) })
	}
	h.Each(func(i int) func(*rand.Rand) {
		c := h.p.open()
		if h.Seed%3 == 0 { // all are goroutines of one client
			c = &client{p: h.p, store: one.store}
		}
		c.id = i
		return func(random *rand.Rand) { h.call(c, random) }
	})
	last := h.p.open()
	for range 2 {
		for _, tag := range h.tags {
			last.look(tag)
		}
		if h.p.Deliver == nil {
			break
		}
		h.p.Deliver()
	}
}

func (h *history) call(c *client, random *rand.Rand) {
	suite.RandomFault(h.Recorder, random, c.store, Delay, h.p.Subject.Fault, h.p.Deliver)
	tag, plan := h.tags[random.IntN(len(h.tags))], h.Plan(random)
	switch kind := random.IntN(100); {
	case kind < 10:
		h.list(c)
		return
	case kind < 25 && h.p.Foreign != nil && h.Seed%4 == 1 && tag == h.tags[0]:
		h.p.foreign(tag, c.id, 1+random.Int64N(20))
		return
	}
	ctx, cancel := context.WithCancel(h.p.Ctx)
	defer cancel()
	_ = c.Change(ctx, tag, func(r *row) error {
		h.sees(r)
		err := plan(cancel)
		h.writes(r, random)
		return err
	})
}

// list looks whether Rows returns rows that were written.
func (h *history) list(c *client) {
	rows, err := c.Rows(h.p.Ctx, h.tags[0][:len(h.tags[0])-1], len(h.tags))
	h.p.MayPass("Rows", err)
	for _, r := range rows {
		if slices.Contains(h.tags[:], r.Tag) {
			h.sees(&r)
		}
	}
}

// sees checks that a row was written as a whole, at some time. Programs that know nothing of Takers write a part.
func (h *history) sees(r *row) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !r.Fresh && !h.written[text(r)] && !(h.Seed%4 == 1 && h.p.Foreign != nil) {
		h.p.Errorf("there is a row that nobody has written: %+v", *r)
	}
}

// writes changes something of a row.
func (h *history) writes(r *row, random *rand.Rand) {
	switch token := h.p.Token(); random.IntN(6) {
	case 0:
		r.Step = 1 + random.Int64N(storage.MaxStep-1)
	case 1:
		r.Description = token
	case 2:
		r.Writes, r.Floor = random.Int64(), random.Int64()
	case 3:
		if n := len(r.Takers); n > 0 {
			r.Takers[random.IntN(n)].Last = random.Int64()
		}
	default:
		take(r, token, 1+random.Int64N(20))
	}
	if r.Fresh {
		r.Fresh, r.Step = false, max(r.Step, 1)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.written[text(r)] = true
}
