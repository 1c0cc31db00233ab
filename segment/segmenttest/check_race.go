package segmenttest

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid/segment"
)

var raceChecks = []check{
	{Name: "creators at once", Contract: "a row is created by the write that finds none; whoever else wanted to decides again", Run: creatorsAtOnce},
	{Name: "a race is decided anew", Contract: "if something of what was read is no longer so the Store refuses the write and starts again, each time with a row read anew", Run: racesDecidedAnew},
	{Name: "many races", Contract: "the Store starts again until its context ends", Run: manyRaces},
	{Name: "contexts", Contract: "a call returns soon after its context has ended, with an error that wraps the context's or is marked; decide does not run once Change has returned", Run: contextsEnd},
}

func creatorsAtOnce(p *probe) {
	const n = 8
	for _, tag := range []string{"a", "b", "c"} {
		crowd := p.Crowd()
		var created, stored, open atomic.Int64
		p.Each(n, func(int) {
			c := p.open()
			var fresh bool
			open.Add(int64(c.p.Again("Change by one of many", func() error {
				return c.Change(p.Ctx, tag, func(r *segment.Row) error {
					crowd.Meet()
					fresh = r.Fresh
					r.Fresh, r.Next, r.Step = false, r.Next+1, 1
					return nil
				})
			})))
			stored.Add(1)
			if fresh {
				created.Add(1)
			}
		})
		row := p.open().read(tag)
		if n := created.Load(); n > 1 || n == 0 && open.Load() == 0 {
			p.Errorf("%d clients created the row of one tag", n)
		}
		if row.Next < stored.Load() || row.Next > stored.Load()+open.Load() {
			p.Errorf("%d clients at once added 1 to the next number of one tag, %d more may have; it is %d", stored.Load(), open.Load(), row.Next)
		}
	}
	if got, want := p.open().tags([]string{"a", "b", "c"}), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		p.Errorf("Rows returned tags %q, created were %q", got, want)
	}
}

// A meddler changes the row of a tag, in steps.
type meddler struct {
	name  string // also the tag
	fresh bool   // the row is not there
	steps []func(*segment.Row)
}

// begin writes the row that the meddler changes.
func (m meddler) begin(c *client) {
	if !m.fresh {
		c.old(m.name)
	}
}

// meddlers change a row in each of the ways in which it can be other than it was.
func meddlers() []meddler {
	one := func(name string, step func(*segment.Row)) meddler {
		return meddler{name: name, steps: []func(*segment.Row){step}}
	}
	created := one("the row is created", func(r *segment.Row) { r.Fresh, r.Next, r.Step = false, 7, 3 })
	created.fresh = true
	zero := one("the row is created, with a next number of 0", func(r *segment.Row) { r.Fresh, r.Step = false, 1 })
	zero.fresh = true
	giveBack := func(r *segment.Row) { r.Next, r.Takers[1].Last = 45, 44 }
	return []meddler{
		one("numbers are taken", func(r *segment.Row) { take(r, "c", 10) }),
		one("numbers are given back", giveBack),
		{name: "numbers are given back, and others take them: only Takers differ", steps: []func(*segment.Row){giveBack, func(r *segment.Row) { take(r, "c", 5) }}},
		one("a taker's last number alone", func(r *segment.Row) { r.Takers[0].Last++ }),
		one("the step alone", func(r *segment.Row) { r.Step++ }),
		one("the description alone", func(r *segment.Row) { r.Description = "another" }),
		created, zero,
	}
}

// take takes n numbers, as generators do.
func take(r *segment.Row, nonce string, n int64) segment.Range {
	if r.Fresh {
		r.Fresh, r.Next, r.Step = false, 1, 1
	}
	got := segment.Range{First: r.Next, Last: r.Next + n - 1}
	r.Next += n
	r.Takers = slices.DeleteFunc(r.Takers, func(t segment.Taker) bool { return t.Nonce == nonce })
	if len(r.Takers) == segment.MaxTakers {
		r.Takers = slices.Delete(r.Takers, 0, 1)
	}
	r.Takers = append(r.Takers, segment.Taker{Nonce: nonce, Last: got.Last})
	return got
}

// meddle changes a row while a decision about it runs. A store that locks makes it wait, so it
// gives up after Patience, and returns false.
func (c *client) meddle(tag string, steps []func(*segment.Row)) (row segment.Row, done bool) {
	for _, step := range steps {
		ctx, cancel := context.WithTimeout(c.p.Ctx, c.p.Patience)
		err := c.Change(ctx, tag, func(r *segment.Row) error {
			step(r)
			row = copied(r)
			return nil
		})
		cancel()
		if err != nil {
			return row, false
		}
	}
	return row, true
}

func racesDecidedAnew(p *probe) {
	c, other := p.open(), p.open()
	met := 0
	for _, m := range meddlers() {
		m.begin(c)
		runs, done := 0, false
		var meddled, saw segment.Row
		err := c.Change(p.Ctx, m.name, func(r *segment.Row) error {
			if runs++; runs == 1 {
				meddled, done = other.meddle(m.name, m.steps)
			}
			saw = copied(r)
			take(r, "late", 1000)
			return nil
		})
		if err != nil {
			if !passes(err) {
				p.Errorf("%s while decide runs: Change came to %v", m.name, err)
			}
			continue
		}
		if !done {
			continue // with a lock
		}
		met++
		if d := diff(saw, meddled); d != "" {
			p.Errorf("%s while decide runs: what was stored was decided about another row than there was: %s", m.name, d)
		}
		take(&saw, "late", 1000)
		if d := other.differs(saw); d != "" {
			p.Errorf("%s while decide runs: stored is another row than was decided last: %s", m.name, d)
		}
	}
	if met == 0 {
		p.Notef("nobody else could write while decide ran: the store locks, or Patience is less than the duration of a call")
	}
}

func manyRaces(p *probe) {
	c, other := p.open(), p.open()
	const races = 30
	runs, done := int64(0), true
	err := c.Change(p.Ctx, "orders", func(r *segment.Row) error {
		if runs++; runs <= races && done {
			_, done = other.meddle("orders", []func(*segment.Row){func(r *segment.Row) { take(r, "other", 1) }})
		}
		take(r, "late", 1000)
		return nil
	})
	switch {
	case err != nil && done:
		p.Errorf("%d times others wrote before a Change did, and it came to %v", min(runs, races), err)
	case err != nil:
		if !passes(err) {
			p.Errorf("Change came to %v", err)
		}
	case done && c.read("orders").Next != 1+races+1000:
		p.Errorf("others took %d numbers one by one, and then 1000 at once; the row is %+v", races, c.read("orders"))
	}
	if !done {
		return
	}
	// Now the races do not end before the context does.
	ctx, cancel := context.WithCancel(p.Ctx)
	defer cancel()
	runs = 0
	var all sync.WaitGroup
	var over atomic.Bool
	p.soon("a Change that races forever", &all, func() error {
		return c.Change(ctx, "orders", func(r *segment.Row) error {
			if runs++; runs == 3 {
				cancel()
			}
			if !over.Load() {
				other.meddle("orders", []func(*segment.Row){func(r *segment.Row) { take(r, "other", 1) }})
			}
			take(r, "late", 1000)
			return nil
		})
	})
	over.Store(true)
	all.Wait()
}

// soon makes a call whose context ends within Patience, and checks that it returns soon after
// that, and with which error. It does not wait longer; all does.
func (p *probe) soon(what string, all *sync.WaitGroup, call func() error) {
	returned := make(chan error, 1)
	all.Go(func() { p.Guarded(func() { returned <- call() }) })
	timer := time.NewTimer(p.Patience + p.Soon)
	defer timer.Stop()
	select {
	case err := <-returned:
		if err != nil && !passes(err) {
			p.Errorf("%s: it came to %v, which neither wraps its context's error nor is marked as one that may pass", what, err)
		}
	case <-timer.C:
		p.Errorf("%s: %v after its context has ended it has not returned", what, p.Soon)
	}
}

func contextsEnd(p *probe) {
	c := p.open()
	row := c.old("old")
	ways := map[string]func(ctx context.Context, s *client) error{
		"Change": func(ctx context.Context, s *client) error {
			return s.Change(ctx, row.Tag, func(r *segment.Row) error { r.Step = 5; return nil })
		},
		"Change of a new tag": func(ctx context.Context, s *client) error {
			return s.Change(ctx, "new", func(r *segment.Row) error { r.Fresh, r.Step = false, 5; return nil })
		},
		"Rows":    func(ctx context.Context, s *client) error { _, err := s.Rows(ctx, "", 10); return err },
		"Inspect": func(ctx context.Context, s *client) error { _, err := s.Inspect(ctx); return err },
	}
	over, cancel := context.WithCancel(p.Ctx)
	cancel()
	for name, call := range ways {
		if err := call(over, c); err != nil && !passes(err) || err == nil && name != "Inspect" {
			p.Errorf("%s: a call whose context had ended came to %v, wanted is an error that wraps that or is marked as one that may pass", name, err)
		}
	}
	if d := c.differs(row); d != "" {
		p.Errorf("a Change whose context had ended has written: %s", d)
	}
	for name, call := range ways {
		var all sync.WaitGroup
		var once sync.Once
		err := c.Change(p.Ctx, row.Tag, func(*segment.Row) error {
			once.Do(func() {
				ctx, cancel := context.WithTimeout(p.Ctx, p.Patience)
				defer cancel()
				p.soon(name+" while another one decides", &all, func() error { return call(ctx, p.open()) })
			})
			return nil
		})
		all.Wait()
		if err != nil && !passes(err) {
			p.Errorf("%s: a Change that stood in decide came to %v", name, err)
		}
		// The clients still work, and nothing of the ended call runs on.
		for range 3 {
			c.read(row.Tag)
			c.read("other")
			p.open().read("new")
		}
	}
}
