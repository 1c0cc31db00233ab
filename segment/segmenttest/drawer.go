package segmenttest

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
)

// A drawer takes numbers of a tag as a generator does, and gives some back. By its entry in Takers
// it learns what became of a write whose outcome was open.
type drawer struct {
	c     *client
	tag   string
	nonce string
	got   []segment.Range // that it has taken and not given back
	last  int64           // of its entry in Takers, -1 when it has none
	open  []outcome       // that may be stored, the latest last
	meet  func()          // lets its decision meet those of others
}

// An outcome is what a drawer has when its entry in Takers has that last number.
type outcome struct {
	last int64
	got  []segment.Range
}

// errKept is returned by a decision that finds an outcome stored that was open.
var errKept = errors.New("already stored")

// change carries out a decision, which returns nil when there is nothing to do.
func (d *drawer) change(ctx context.Context, decide func(*segment.Row) *outcome) error {
	var now *outcome
	err := d.c.Change(ctx, d.tag, func(r *segment.Row) error {
		if now = d.stored(r); now != nil {
			return errKept
		}
		d.meet()
		if now = decide(r); now == nil {
			return suite.ErrLook
		}
		return nil
	})
	switch {
	case err == nil || errors.Is(err, errKept):
		d.got, d.last, d.open = now.got, now.last, nil
		return nil
	case errors.Is(err, suite.ErrLook):
		return nil
	case now != nil:
		d.open = append(d.open, *now)
	}
	return err
}

// stored returns the outcome that the row shows to be stored, of those that were open. Once the
// row was written since, at most the latest of those that end alike can be.
func (d *drawer) stored(r *segment.Row) *outcome {
	last := int64(-1)
	if i := d.find(r); i >= 0 {
		last = r.Takers[i].Last
	}
	if last == d.last {
		return nil
	}
	for _, o := range slices.Backward(d.open) {
		if o.last == last {
			return &o
		}
	}
	d.c.p.Fatalf("tag %q: by Takers %s has taken up to %d, but it took up to %d; the row is %+v", d.tag, d.nonce, last, d.last, *r)
	return nil
}

func (d *drawer) find(r *segment.Row) int {
	return slices.IndexFunc(r.Takers, func(t segment.Taker) bool { return t.Nonce == d.nonce })
}

// take takes n numbers.
func (d *drawer) take(ctx context.Context, n int64) error {
	return d.change(ctx, func(r *segment.Row) *outcome {
		got := take(r, d.nonce, n)
		return &outcome{got.Last, append(slices.Clone(d.got), got)}
	})
}

// giveBack gives back half of what it took last, if nobody has taken since.
func (d *drawer) giveBack(ctx context.Context) error {
	return d.change(ctx, func(r *segment.Row) *outcome {
		i := d.find(r)
		if i < 0 || len(d.got) == 0 || d.got[len(d.got)-1].Last != r.Next-1 {
			return nil
		}
		got := slices.Clone(d.got)
		half := &got[len(got)-1]
		half.Last -= (half.Len() + 1) / 2
		r.Next, r.Takers[i].Last = half.Last+1, half.Last
		return &outcome{half.Last, got}
	})
}

// A draw says how numbers of a tag are drawn.
type draw struct {
	tag     string
	first   int64
	shared  bool // all have one client
	foreign bool
	faults  bool
}

const (
	drawers  = 6
	drawings = 12
)

// run lets many clients draw at once, and checks that each number is given out once.
func (w draw) run(p *probe) {
	one := p.open()
	one.set(segment.Row{Tag: w.tag, Next: w.first, Step: 1})
	all, crowd := make([]*drawer, drawers), p.Crowd()
	var foreign []segment.Range
	p.Each(drawers+1, func(i int) {
		random := rand.New(rand.NewPCG(p.Seed, uint64(i)))
		if i == drawers {
			for range drawings {
				if w.foreign {
					foreign = append(foreign, p.foreign(w.tag, 1+random.Int64N(20)))
				}
			}
			return
		}
		c := one
		if !w.shared {
			c = p.open()
		}
		d := &drawer{c: c, tag: w.tag, nonce: p.Token(), last: -1, meet: func() {
			if suite.Chance(random, 30) {
				crowd.Meet()
			}
		}}
		all[i] = d
		for range drawings {
			d.once(w, random)
		}
		// After one that is acknowledged nothing is open, nor can still be stored.
		p.fault(d.c, OK)
		p.Again("the last of many draws", func() error { return d.take(p.Ctx, 1) })
	})
	if len(p.Found()) > 0 {
		return
	}
	if p.Deliver != nil {
		p.Deliver()
	}
	got := foreign
	for _, d := range all {
		got = append(got, d.got...)
	}
	w.dense(p, got)
}

// once takes numbers, or gives some back, perhaps with a fault.
func (d *drawer) once(w draw, random *rand.Rand) {
	p := d.c.p
	if w.faults && suite.Chance(random, 40) {
		p.fault(d.c, Fault(1+random.IntN(int(Delay))))
	}
	if w.faults && p.Deliver != nil && suite.Chance(random, 15) {
		p.Deliver()
	}
	ctx, cancel := context.WithCancel(p.Ctx)
	defer cancel()
	if w.faults && suite.Chance(random, 10) {
		ctx, cancel = context.WithTimeout(ctx, time.Duration(random.Int64N(int64(p.Patience))))
		defer cancel()
	}
	var err error
	if suite.Chance(random, 25) {
		err = d.giveBack(ctx)
	} else {
		err = d.take(ctx, 1+random.Int64N(20))
	}
	if err != nil && !passes(err) {
		p.Fatalf("one of many draws came to an error that is final: %v", err)
	}
}

// dense checks that ranges are apart, and all numbers that the row says were given out.
func (w draw) dense(p *probe, got []segment.Range) {
	got = slices.DeleteFunc(got, func(r segment.Range) bool { return r.Len() == 0 })
	slices.SortFunc(got, func(a, b segment.Range) int { return cmp.Compare(a.First, b.First) })
	next := w.first
	for _, r := range got {
		switch {
		case r.First < next:
			p.Errorf("tag %q: numbers from %d to %d were given out twice", w.tag, r.First, min(r.Last, next-1))
		case r.First > next:
			p.Errorf("tag %q: numbers from %d to %d were given to nobody", w.tag, next, r.First-1)
		}
		next = max(next, r.Last+1)
	}
	if row := p.open().read(w.tag); row.Next != next {
		p.Errorf("tag %q: the last number that anybody has is %d, the row's next is %d", w.tag, next-1, row.Next)
	}
}

// foreign draws n numbers as others do.
func (p *probe) foreign(tag string, n int64) segment.Range {
	first, err := p.Foreign(tag, n)
	if err != nil {
		p.Fatalf("Foreign(%q, %d): %v", tag, n, err)
	}
	return segment.Range{First: first, Last: first + n - 1}
}
