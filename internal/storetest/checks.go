package storetest

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// A check tries some sentences of the contract.
type check = suite.Check[*probe]

// checks are those of Run, ordered so that the first failure says most. They make calls; what is offered and
// stored is judged by the model, in each call.
var checks = []check{
	{Name: "values", Run: values, Contract: "rows are read back as they were written: times of 1970 to 9999 in " +
		"microseconds, nonces of 32 letters and digits, layouts of 255 bytes, holders of 128 characters; and so are " +
		"namespaces"},
	{Name: "names", Run: names, Contract: "Name and Durable are the same in every process, at all times; Inspect " +
		"changes nothing, and what is missing so far is no error; a History is of MostHistory bytes of ASCII, and " +
		"the same as long as no writes are lost"},
	{Name: "namespaces", Run: apart, Contract: "a Store keeps the rows of one namespace; nothing makes one but " +
		"Init; a missing one is ErrNoNamespace; where the store sees a row above what it has stored it gives that " +
		"row's ID"},
	{Name: "choices", Run: choices, Contract: "the first of those that Take names; none are the error of NoneFree; " +
		"w.Within's error is Take's"},
	{Name: "new IDs", Run: newIDs, Contract: "the NewRow of the first of the IDs that NewIDs returns; it makes " +
		"those of the rest, and raises Given to the last of them; an ID up to Given without a row is never offered; " +
		"it overwrites no row"},
	{Name: "refusals", Run: refusals, Contract: "when decide returns an error the Store writes nothing and returns " +
		"that error, wrapped or not; Change creates nothing"},
	{Name: "contexts", Run: contexts, Contract: "a call returns soon after its context has ended, even while it " +
		"waits for a lock; decide does not run once the method has returned"},
	{Name: "others", Run: others, Contract: "nobody else can change what decide sees before the outcome is stored; " +
		"the Clock is read after the rows are locked or read"},
	{Name: "lost writes", Run: lostWrites, Contract: "a store that has lost writes must not store anything that was " +
		"decided before it lost them"},
	{Name: "faults", Run: faults, Contract: "any other error after decide has run leaves the outcome open, all or " +
		"nothing; what may pass is marked; decide may run several times, as long as nothing of the run before is " +
		"stored or still can be"},
	{Name: "late writes", Run: lateWrites, Contract: "a write that is on its way may still arrive, unless the row " +
		"was written again since"},
	{Name: "crowds", Run: crowds, Contract: "many that start at once share what one of them makes"},
	{Name: "histories", Run: histories, Contract: "nobody else can change what decide sees before the outcome is " +
		"stored; nil means stored, and any other error after decide has run that it may be"},
}

func values(p *probe) {
	c, other := p.stocked()
	now := c.now()
	for _, id := range []int64{0, 1, 1 << 40} {
		for i, of := range extremes(id, now) {
			if i == 0 {
				c.put(of)
			} else {
				c.set(of)
			}
			other.row(id)
			// Take has its own way of reading and writing rows.
			of.Until = now.Add(-time.Hour)
			c.set(of)
			for _, is := range extremes(id, now) {
				p.Again("Take", func() error { return other.Take(p.Ctx, wanted(id, id), becomes(is)) })
				c.row(id)
				c.set(of)
			}
		}
	}
	c, other = p.stocked(row{WorkerID: 0, Until: early})
	for i, n := range []common{
		{Layout: "x", Floor: -1, Made: zero, Renewed: early},
		{Layout: ascii, IDs: lease.Range{Last: math.MaxInt64}, Floor: math.MaxInt64,
			History: ascii[:storage.MostHistory], Made: early, Renewed: late},
		{Layout: "sign=1 time=28", IDs: lease.Range{Last: 100}, Floor: 1<<53 + 1,
			History: "1 2;a=b|c", Made: now.Add(-time.Microsecond), Renewed: now},
		{Layout: "y", IDs: lease.Range{First: 2, Last: 100}, Floor: 0, History: "x", Made: now, Renewed: zero},
	} {
		n.Given = 7 // which decide does not set
		c.init(func(is *common) { *is = n })
		other.own()
		n.Layout, n.Floor, n.History, n.Made, n.Renewed = "other", 5, "other", n.Renewed, n.Made
		p.Again("Take", func() error {
			only := wanted(int64(i), int64(i))
			return c.Take(p.Ctx, only, func(is *common, _ *row, _ clock) error { *is = n; return nil })
		})
		other.own()
		other.row(int64(i))
	}
}

func names(p *probe) {
	c := p.open(p.name())
	name, durable := c.Name(), c.store.Durable()
	for range 2 {
		for _, s := range []*client{c, p.open(c.namespace), p.open(c.namespace)} {
			if n := s.Name(); n != name || !strings.Contains(n, c.namespace) {
				p.Errorf("Name() was %q, and is %q; wanted is what tells of the namespace %s", name, n, c.namespace)
			}
			if s.store.Durable() != durable || p.open(p.name()).store.Durable() != durable {
				p.Errorf("Durable() was %v, and is %v, or that of another namespace is", durable, s.store.Durable())
			}
			if err := s.Inspect(p.Ctx); err != nil {
				p.Errorf("Inspect: %v", err)
			}
			clear(p.told) // others may talk to other servers, each with a history of its own
			s.takes(wanted(0, 1), false)
			s.own()
			s.peek(0)
			if len(p.told) != 1 {
				p.Errorf("Clock has the histories %q, wanted is one", slices.Sorted(maps.Keys(p.told)))
			}
			for text := range p.told {
				odd := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
				if n, most := len(text), storage.MostHistory; n > most || odd {
					p.Errorf("the History %q has %d bytes, %d are allowed, or not of ASCII alone", text, n, most)
				}
			}
		}
		if p.Model.Text(c.namespace) == "" { // for the second round
			c.init(func(*common) {})
			c.put(base()...)
		}
	}
	ctx, cancel := context.WithCancel(p.Ctx)
	cancel()
	_ = c.Inspect(ctx) // only for its error, which must not hold the secret
}

// peek looks at a row where there may be no namespace, which Change judges.
func (c *client) peek(id int64) {
	c.p.Look(func() error {
		err := c.Change(c.p.Ctx, id, look)
		if errors.Is(err, errMissing) {
			return suite.ErrLook
		}
		return err
	})
}

func apart(p *probe) {
	// Names that a store might confuse.
	var clients []*client
	for i, name := range []string{"orders", "Orders", "orders.eu", "order", "order_", "orders/1", "1"} {
		c := p.open(name)
		clients = append(clients, c)
		for range 2 { // none of that makes the namespace
			c.own()
			c.peek(0)
			c.takes(wanted(0, 9), false)
		}
		c.init(func(*common) {})
		c.takes(wanted(0, 3), false)
		c.put(base()...)
		c.set(row{WorkerID: 0, Until: early, High: int64(i), Holder: name})
		c.init(func(n *common) { n.Floor = int64(i) })
	}
	for _, c := range clients {
		c.all()
		p.Until(c.way(ways[1]))
		if p.RemoveNamespace == nil {
			continue
		}
		p.removed(c.namespace, func() error { return p.RemoveNamespace(c.namespace) })
		c.takes(wanted(0, 9), false)
		c.peek(0)
		c.init(func(*common) {})
		c.all()
	}
	p.Can(p.RemoveNamespace != nil, "namespaces that are lost (the Subject has no RemoveNamespace)")
}

func choices(p *probe) {
	random := rand.New(rand.NewPCG(p.Seed, 1))
	for _, ids := range []lease.Range{{}, {First: 1, Last: 5}, {First: 2, Last: 40}} {
		c, other := p.stocked()
		elsewhere, _ := p.stocked(row{WorkerID: 0, Until: early.Add(time.Hour)})
		now := c.now()
		for i, ago := range []time.Duration{3, 5, -1, 4, 20, 50, 2} {
			c.put(row{WorkerID: int64(i), Until: now.Add(-ago * time.Hour), High: []int64{1001, 1000, -1}[i%3]})
		}
		c.set(row{WorkerID: 5, Until: now.Add(-50 * time.Hour), Nonce: p.Token(), Holder: "died"})
		c.init(func(n *common) { n.IDs = ids })
		for i := range 120 {
			w := wanted(random.Int64N(6), 0)
			w.IDs.Last = w.IDs.First + []int64{0, 1, 3, 5, 1 << 40}[random.IntN(5)]
			const century = 100 * 365 * 24 * time.Hour
			w.Rest = []time.Duration{0, time.Microsecond, time.Minute, 150 * time.Minute, century}[random.IntN(5)]
			highest := []int64{-2, -1, 999, 1000, math.MaxInt64}[random.IntN(5)]
			w.Highest = func(at time.Time) int64 {
				if at.Before(now.Add(-suite.Limit)) {
					return -2
				}
				return highest
			}
			switch random.IntN(4) {
			case 0:
				w.Must = w.IDs
			case 1:
				w.Must = ids
			}
			(&client{p: p, store: other.store, namespace: c.namespace}).takes(w, i%10 == 9)
		}
		all := wanted(0, 6) // one after another, until there is none
		all.Rest = time.Hour
		for range 8 {
			other.takes(all, true)
		}
		elsewhere.all()
		c.all()
	}
	c, _ := p.stocked(base()...)
	now := c.now()
	stands := p.Advance != nil && now.Equal(c.now())
	if !p.Can(stands, "Rest to the microsecond (the clock does not stand still)") {
		return
	}
	w := wanted(0, 0)
	w.Rest = time.Hour
	c.set(row{WorkerID: 0, Until: c.now().Add(-time.Hour - p.latest().Error)})
	c.takes(w, false)
	p.Advance(time.Microsecond)
	c.own()
	c.takes(w, false)
}

func newIDs(p *probe) {
	c, other := p.stocked()
	w := wanted(0, 1<<40)
	c.takes(w, false)
	c.takes(wanted(3, 4), false)
	for range 150 {
		c.takes(w, true)
	}
	c.set(row{WorkerID: 3, Until: early}) // goes before a new ID
	c.takes(w, false)
	c.takes(w, true)
	c.init(func(n *common) { n.Given = 99 }) // decide does not set it
	c.init(func(n *common) { n.Given = -1 })
	other.all()
	for _, in := range []lease.Range{{First: 0, Last: 2}, {First: 10, Last: 12}} { // the last IDs
		c, _ := p.stocked()
		c.init(func(n *common) { n.IDs = in })
		for range 5 {
			c.takes(w, true)
		}
		c.all()
	}
	// Gaps are no new IDs.
	c, _ = p.stocked(row{WorkerID: 2, Until: late}, row{WorkerID: 6, Until: late})
	for _, in := range []lease.Range{{Last: 6}, {First: 2, Last: 3}, {First: 4, Last: 5}, {Last: 7}} {
		c.takes(wanted(in.First, in.Last), false)
	}
	c.set(row{WorkerID: 6, Until: early, High: 1000})
	ahead := wanted(0, 6)
	ahead.Highest = func(time.Time) int64 { return 999 }
	c.takes(ahead, false)
	if len(p.Found()) == 0 { // else a store may go on for ever
		removedRows(p)
		rowsAboveGiven(p)
	}
}

// removedRows looks whether an ID whose row somebody has removed is offered again.
func removedRows(p *probe) {
	if !p.Can(p.RemoveRow != nil, "rows that somebody removes (the Subject has no RemoveRow)") {
		return
	}
	c, _ := p.stocked()
	remove := func(ids ...int64) {
		for _, id := range ids {
			p.removed(c.key(id), func() error { return p.RemoveRow(c.namespace, id) })
		}
	}
	for range 18 {
		c.takes(wanted(0, 40), true)
	}
	remove(0, 3, 4, 16, c.own().Given-1, c.own().Given)
	for range 42 { // the last ones find none
		c.takes(wanted(0, 40), true)
	}
	c.all()
	remove(slices.Sorted(maps.Keys(c.space().rows))...)
	c.takes(wanted(0, 40), false)
	c.takes(wanted(0, 1<<40), true)
	c.all()
}

// rowsAboveGiven looks what becomes of rows that a namespace which was put back does not know.
func rowsAboveGiven(p *probe) {
	if !p.Can(p.SetGiven != nil, "rows above Given (the Subject has no SetGiven)") {
		return
	}
	given := func(c *client, n int64) {
		is := *c.space().namespace
		if err := p.SetGiven(c.namespace, n); err != nil {
			p.Fatalf("SetGiven: %v", err)
		}
		is.Given = n
		p.Model.Set(c.namespace, p.namespaceText(is))
	}
	for _, at := range []int64{0, 3, 9, 15, 16} {
		c, _ := p.stocked(row{WorkerID: at, Until: late, High: 77, Nonce: p.Token(), Holder: "somebody"})
		given(c, -1)
		c.own()
		for range 20 {
			c.takes(wanted(0, 1<<40), true)
		}
		given(c, 50) // holds above all rows
		for range 20 {
			c.takes(wanted(0, 1<<40), true)
		}
		c.all()
	}
	c, _ := p.stocked(row{WorkerID: 3, Until: early, High: 77})
	given(c, -1)
	c.takes(wanted(0, 1<<40), true) // it is a row like any other
	c.takes(wanted(0, 1<<40), false)
	c.takes(wanted(0, 3), false)
	if p.RemoveRow != nil {
		p.removed(c.key(3), func() error { return p.RemoveRow(c.namespace, 3) })
		c.takes(wanted(0, 1<<40), false)
	}
}

func refusals(p *probe) {
	c, other := p.stocked(base()...)
	for _, w := range ways {
		for range 2 {
			refused := errors.New("refused")
			err := w.call(c, p.Ctx, func(n *common, r *row, now clock) error {
				return cmp.Or(p.stamp(n, r, now), refused)
			})
			if !errors.Is(err, refused) {
				p.Errorf("%s returned %v, wanted is what decide returned", w.name, err)
			}
			other.all()
			p.Until(c.way(w))
			other.all()
		}
	}
	for _, id := range []int64{1 << 39, 1 << 40} { // Change creates nothing
		c.row(id)
		c.row(id)
	}
	fresh := p.open(p.name())
	for range 2 {
		p.Look(func() error {
			return fresh.Init(p.Ctx, func(n *common, _ clock) error {
				n.Layout, n.Floor = "refused", 99
				return suite.ErrLook
			})
		})
		fresh.own()
	}
}

// stages are for each way: the same one by another client, all others, and what puts a row back as it was.
func (p *probe) stages() (stages []func() suite.Scene) {
	floor := way{"Init of the Floor alone", func(c *client, ctx context.Context, _ decision) error {
		return c.Init(ctx, func(n *common, _ clock) error { n.Floor++; return nil })
	}}
	for _, w := range ways {
		stages = append(stages, func() suite.Scene {
			c, other := p.stocked(base()...)
			before := other.history()
			s := suite.Scene{Mine: c.way(w), Look: other.all, Fault: func(f Fault) bool { return p.fault(c, f) }}
			for _, o := range append([]way{w, floor}, ways...) {
				s.Theirs = append(s.Theirs, other.way(o))
			}
			for id, w := range []way{ways[0], ways[2]} {
				s.Since = append(s.Since, suite.Way{Name: w.name + " that is undone, but for High",
					Call: func(context.Context, func()) error {
						was := other.row(int64(id))
						p.Until(other.way(w))
						was.High++
						other.set(was)
						return nil
					}})
			}
			s.Lost = func() {
				if after := other.history(); !c.store.Durable() && before != "" && after == before {
					p.Errorf("%s: the History is %q before and after writes were lost", w.name, after)
				}
			}
			return s
		})
	}
	return stages
}

// history returns that which the store tells.
func (c *client) history() string {
	c.own()
	return c.p.latest().History
}

func others(p *probe) {
	p.Others(p.stages())
	// One waits for a lock, or sees what was written meanwhile: its Clock is at the time after that.
	for _, w := range ways {
		for range 2 {
			c, other := p.stocked(base()...)
			p.waits(c, other, w)
		}
	}
}

func lostWrites(p *probe) {
	if p.Can(p.Backup != nil, "the Subject has no Backup") {
		p.LostWrites(slices.Delete(p.stages(), 3, 4), p.Backup) // a store may remember the IDs that were given
	}
}

func faults(p *probe) { p.Faults(p.stages(), p.Deliver) }

func lateWrites(p *probe) { p.LateWrites(p.stages(), p.Deliver) }

func contexts(p *probe) { p.Contexts(p.stages()) }

// waits lets a call begin while another one's decision runs, during which time passes.
func (p *probe) waits(c, other *client, w way) {
	defer p.Wait()
	var passed time.Time
	run := func(n *common, r *row, now clock) error {
		_ = p.stamp(n, r, now)
		if passed.IsZero() {
			began := time.Now()
			p.Meanwhile(func() { _ = other.once(p.Ctx, w, p.stamp) })
			if passed = now.Now.Add((time.Since(began) / 2).Truncate(time.Microsecond)); p.Advance != nil {
				p.Advance(time.Hour)
				passed = now.Now.Add(time.Hour)
			}
		}
		if n != nil {
			n.Renewed = passed
		}
		if r != nil {
			r.Renewed = passed
		}
		return nil
	}
	p.Short(func() { _ = c.once(p.Ctx, w, run); p.Wait() })
}

func crowds(p *probe) {
	const n = 8
	c, _ := p.stocked()
	p.Short(func() {
		p.Each(n, func(i int) {
			s := p.open(c.namespace)
			s.id = i
			p.Again("one of many Takes", func() error {
				return s.Take(p.Ctx, wanted(0, 1<<40), func(n *common, r *row, now clock) error {
					p.Meet()
					_ = p.stamp(n, r, now)
					r.Until = late
					return nil
				})
			})
		})
		most := int64(31)
		if p.Steps {
			most = 2 * 100 // where a Take has met another one it makes 100
		}
		if given := c.own().Given; given < n-1 || given > most {
			p.Errorf("%d Takes at once have made rows up to %d, where 15 are enough", n, given)
		} else {
			for id := range given + 1 {
				p.Look(func() error {
					return c.store.Change(p.Ctx, id, func(_ *common, r *row, _ clock) error {
						if r == nil {
							p.Errorf("worker ID %d has no row, Given is %d", id, given)
						}
						return suite.ErrLook
					})
				})
			}
		}
	})
	p.Short(func() {
		fresh := p.name()
		p.Each(n, func(i int) {
			s := p.open(fresh)
			s.id = i
			_ = s.once(p.Ctx, inits, func(n *common, r *row, now clock) error { p.Meet(); return p.stamp(n, r, now) })
		})
		p.open(fresh).own()
	})
}

// A history is of several clients that take and change few rows at random.
func histories(p *probe) {
	const ids = 3
	if p.Advance != nil { // what turns the clock does not wait for statements that have its time already
		p.behind = time.Minute
	}
	p.Record(func(r *suite.Recorder, _ int) {
		name := p.name()
		if r.Seed%4 > 0 { // else they make the namespace while they run
			p.open(name).init(func(*common) {})
		}
		r.Each(func(i int) func(*rand.Rand) {
			c := p.open(name)
			c.id = i
			if i == 0 {
				_ = c.once(p.Ctx, inits, func(*common, *row, clock) error { return nil })
			}
			return func(random *rand.Rand) { c.random(r, random, ids) }
		})
		last := p.open(name)
		for range 2 {
			last.own()
			for id := range int64(ids) {
				last.peek(id)
			}
			if p.Deliver == nil {
				break
			}
			p.Deliver()
		}
	})
}

// random makes one call of a history.
func (c *client) random(r *suite.Recorder, random *rand.Rand, ids int64) {
	p := c.p
	suite.RandomFault(r, random, c.store, Delay, p.Subject.Fault, p.Deliver)
	plan, held, keep := r.Plan(random), suite.Chance(random, 40), suite.Chance(random, 50)
	ctx, cancel := context.WithCancel(p.Ctx)
	defer cancel()
	decide := func(n *common, row *row, now clock) error {
		err := plan(cancel)
		if p.Advance != nil {
			p.Advance(time.Second)
		}
		if keep {
			n = nil
		}
		if _ = p.stamp(n, row, now); row != nil {
			row.Until = now.Now.Add(-time.Hour)
			if held {
				row.Until = now.Now.Add(time.Hour)
			}
			row.Layout, row.Holder = "of "+row.Nonce, "holder of "+row.Nonce
			row.Acquired = now.Now.Add(-time.Second)
		}
		return err
	}
	w := wanted(0, ids-1)
	w.Rest = time.Minute
	switch kind := random.IntN(100); {
	case kind < 40:
		_ = c.Take(ctx, w, decide)
	case kind < 85:
		_ = c.Change(ctx, random.Int64N(ids), func(n *common, r *row, now clock) error {
			if r == nil {
				return suite.ErrLook
			}
			return decide(nil, r, now)
		})
	default:
		_ = c.Init(ctx, func(n *common, now clock) error { keep = false; return decide(n, nil, now) })
	}
}
