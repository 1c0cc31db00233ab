package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

var pruneChecks = []check{
	{"Prune offers what is old", "Prune calls decide with those rows whose leases have been over, by the Clock, for longer than old and the Clock's Error", offersOld},
	{"Prune removes what decide names", "decide returns the IDs whose rows can go; Prune removes those and raises the namespace's Floor to the largest High among them", prunes},
	{"Prune stores all or nothing", "when decide returns an error it removes nothing; after another error the rows may be removed or not, all or nothing", prunesAll},
	{"Prune loses no last tick", "a namespace without a row of its own (Fresh) loses no rows", prunesNothing},
	{"Prune spares what has changed", "each only if it still is exactly as it was read", prunesUnchanged},
	{"decisions from before a Prune", "no Take is stored after it that was decided before; nobody else can change what decide sees before the outcome is stored", decidedBefore},
	{"late writes after a Prune", "a write that is on its way may still arrive, unless the row was written again since", lateAfterPrune},
	{"Prunes at once", "it returns the IDs whose rows it has removed", prunesAtOnce},
	{"Prunes among owners", "Prune removes rows and raises the Floor, all or nothing: no tick of a worker ID is had twice", prunesAmongOwners},
}

func offersOld(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	now := c.now()
	ago := func(id int64, d time.Duration) lease.Row {
		return lease.Row{WorkerID: id, Until: now.Add(-d), High: 10 * id, Nonce: p.Token(), Holder: "it died"}
	}
	c.put(ago(0, 5*time.Hour), ago(1, -time.Hour), ago(2, 3*time.Hour), ago(3, 10*time.Minute), ago(9, 4*time.Hour), ago(10, 100*time.Hour), ago(11, 2*time.Hour))
	released := ago(10, 100*time.Hour)
	released.Nonce = ""
	c.set(released)
	elsewhere, other := p.made()
	elsewhere.put(ago(4, 99*time.Hour))
	for _, try := range []struct {
		above int64
		most  int
		old   time.Duration
		wants []int64
	}{
		{-1, 100, time.Hour, []int64{0, 2, 9, 10, 11}},
		{-1, 100, 0, []int64{0, 2, 3, 9, 10, 11}},
		{-1, 100, 210 * time.Minute, []int64{0, 9, 10}},
		{-1, 100, 101 * time.Hour, nil},
		{-1, 3, time.Hour, []int64{0, 2, 9}},
		{-1, 1, time.Hour, []int64{0}},
		{0, 2, time.Hour, []int64{2, 9}},
		{2, 100, time.Hour, []int64{9, 10, 11}},
		{9, 100, time.Hour, []int64{10, 11}},
		{11, 100, time.Hour, nil},
	} {
		if got := idsOf(k.old(namespace, try.above, try.most, try.old).Rows); !slices.Equal(got, try.wants) {
			p.Errorf("up to %d rows above %d that are over for %v are of worker IDs %v, wanted are %v", try.most, try.above, try.old, got, try.wants)
		}
	}
	page := k.old(namespace, 9, 1, time.Hour)
	if all := k.rows(namespace, 9, 1); !samePage(page, all) {
		p.Errorf("Prune reads %+v, Rows reads %+v", page, all)
	}
	if page := k.old(other, -1, 9, 0); !slices.Equal(idsOf(page.Rows), []int64{4}) {
		p.Errorf("of another namespace Prune offers %v", idsOf(page.Rows))
	}
	if now := c.now(); p.Advance == nil || !now.Equal(c.now()) {
		p.Notef("not tried: to the microsecond (the clock does not stand still)")
		return
	}
	_, _, clock := c.row(0)
	c.set(lease.Row{WorkerID: 0, Until: clock.Now.Add(-time.Hour - clock.Error)})
	if got := idsOf(k.old(namespace, -1, 1, time.Hour).Rows); !slices.Equal(got, []int64{2}) {
		p.Errorf("worker ID 0 is over for exactly an hour, and Prune offers %v of what is over for longer", got)
	}
	p.Advance(time.Microsecond)
	if got := idsOf(k.old(namespace, -1, 1, time.Hour).Rows); !slices.Equal(got, []int64{0}) {
		p.Errorf("worker ID 0 is over for an hour and a microsecond, and Prune offers %v of what is over for an hour", got)
	}
}

// A left is what there is of a namespace.
type left struct {
	floor int64
	ids   []int64
}

func (k *clerk) left(namespace string) left {
	page := k.rows(namespace, -1, 1000)
	return left{page.Namespace.Floor, idsOf(page.Rows)}
}

// leaves checks what is left.
func (k *clerk) leaves(what, namespace string, floor int64, ids ...int64) {
	if got := k.left(namespace); got.floor != floor || !slices.Equal(got.ids, ids) {
		k.p.Errorf("%s: the Floor is %d and the rows are of worker IDs %v, wanted are %d and %v", what, got.floor, got.ids, floor, ids)
	}
}

func prunes(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	now := c.now()
	highs := []int64{500, -1, 400, 900, 1000, 2000, 700}
	for id, high := range highs {
		row := lease.Row{WorkerID: int64(id), High: high, Until: now.Add(-5 * time.Hour), Holder: "it died", Layout: "x", Nonce: p.Token()}
		if id == 4 {
			row.Until = now.Add(time.Hour)
		}
		c.put(row)
	}
	elsewhere, other := p.made()
	elsewhere.put(lease.Row{WorkerID: 0, High: 5, Until: early})
	own, kept := c.namespace(), k.rows(namespace, -1, 100).Rows
	removed := func(ids []int64, wants ...int64) {
		slices.Sort(ids)
		if !slices.Equal(ids, wants) {
			p.Errorf("Prune returned %v, wanted is %v", ids, wants)
		}
	}
	removed(k.prune(namespace))
	k.leaves("nothing is named", namespace, -1, 0, 1, 2, 3, 4, 5, 6)
	removed(k.prune(namespace, 1), 1)
	k.leaves("an ID that was never used", namespace, -1, 0, 2, 3, 4, 5, 6)
	removed(k.prune(namespace, 2, 0), 0, 2)
	k.leaves("two IDs", namespace, 500, 3, 4, 5, 6)
	removed(k.prune(namespace, 4, 8, 0, -1))
	k.leaves("IDs that are live, not there and not of workers", namespace, 500, 3, 4, 5, 6)
	again, err := p.clerk().Prune(p.Ctx, namespace, 3, 2, time.Hour, func(registry.Page) ([]int64, error) { return []int64{3, 5}, nil })
	if err == nil {
		removed(again, 5)
		k.leaves("one of the page, and one before it", namespace, 2000, 3, 4, 6)
	}
	removed(k.prune(namespace, 3), 3)
	k.leaves("a High below the Floor", namespace, 2000, 4, 6)
	k.leaves("another namespace", other, -1, 0)
	page := k.rows(namespace, -1, 100)
	own.Floor, own.Renewed = 2000, page.Namespace.Renewed
	if d := namespaceDiff(page.Namespace, own); d != "" {
		p.Errorf("Prune has changed the namespace: %s", d)
	}
	for _, row := range page.Rows {
		if d := rowDiff(row, kept[row.WorkerID]); d != "" {
			p.Errorf("Prune has changed worker ID %d, which it did not remove: %s", row.WorkerID, d)
		}
	}
	// What is removed is as if it had never been.
	c.offered("an ID whose row was removed", wanted(3, 3), 3, true)
	if row, found, _ := c.row(3); found {
		p.Errorf("Change offers %+v, which was removed", row)
	}
	var floor, high int64
	err = p.open(namespace).Take(p.Ctx, wanted(3, 3), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
		floor, high = n.Floor, r.High
		r.High, r.Until = 2001, late
		return nil
	})
	if err != nil {
		p.Errorf("Take of an ID whose row was removed: %v", err)
	}
	if floor != 2000 || high != -1 {
		p.Errorf("after a Prune a Take sees the Floor %d and a High of %d, wanted are 2000 and -1", floor, high)
	}
	k.leaves("an ID that was taken again", namespace, 2000, 3, 4, 6)
}

// gone looks at a namespace and one of its rows at once, and says if the row is gone. The Floor
// then has to be high at least.
func (c *client) gone(what string, id, high int64) (gone bool) {
	var floor int64
	c.p.Look(func() error {
		return c.Take(c.p.Ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			gone, floor = r.Fresh, n.Floor
			return errLook
		})
	})
	if gone && floor < high {
		c.p.Errorf("%s: the row of worker ID %d with a High of %d is gone, the Floor is %d", what, id, high, floor)
	} else if !gone && floor >= high {
		c.p.Errorf("%s: the row of worker ID %d with a High of %d is there, the Floor is %d all the same", what, id, high, floor)
	}
	return gone
}

func prunesAll(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, High: 10, Until: early}, lease.Row{WorkerID: 1, High: 20, Until: early})
	refused := errors.New("refused")
	if _, err := k.Prune(p.Ctx, namespace, -1, 9, time.Hour, func(registry.Page) ([]int64, error) { return []int64{0, 1}, refused }); !errors.Is(err, refused) {
		p.Errorf("Prune returned %v, wanted is what decide returned", err)
	}
	k.leaves("decide refused", namespace, -1, 0, 1)
	// A context that ends while decide runs leaves the outcome open.
	for i := range int64(4) {
		id, high := 10+i, 100+i
		c.put(lease.Row{WorkerID: id, High: high, Until: early})
		ctx, cancel := context.WithCancel(p.Ctx)
		removed, err := k.Prune(ctx, namespace, id-1, 1, time.Hour, func(registry.Page) ([]int64, error) {
			cancel()
			return []int64{id}, nil
		})
		cancel()
		gone := p.open(namespace).gone("a context that ended", id, high)
		if err == nil && gone != slices.Equal(removed, []int64{id}) {
			p.Errorf("Prune returned %v, and the row of worker ID %d is gone: %v", removed, id, gone)
		}
		if !gone {
			k.prune(namespace, id) // now or meanwhile
		}
	}
}

func prunesNothing(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	c.put(lease.Row{WorkerID: 0, High: 10, Until: early})
	if removed := k.prune("never-made", 0, 1); len(removed) > 0 {
		p.Errorf("Prune of a namespace that nobody has made, beside one that is used, has removed %v", removed)
	}
	if !p.open("never-made").namespace().Fresh {
		p.Errorf("Prune has made a namespace")
	}
	if p.RemoveNamespace == nil {
		p.Notef("not tried: a namespace of which only rows are left (the Subject has no RemoveNamespace)")
		return
	}
	if err := p.RemoveNamespace(namespace); err != nil {
		p.Fatalf("RemoveNamespace: %v", err)
	}
	page := k.old(namespace, -1, 9, time.Hour)
	if !page.Namespace.Fresh || !slices.Equal(idsOf(page.Rows), []int64{0}) {
		p.Errorf("of a namespace of which only rows are left Prune offers %+v", page)
	}
	if removed := k.prune(namespace, 0); len(removed) > 0 {
		p.Errorf("Prune has removed %v of a namespace that has no row of its own", removed)
	}
	if page := k.rows(namespace, -1, 9); !page.Namespace.Fresh || !slices.Equal(idsOf(page.Rows), []int64{0}) {
		p.Errorf("Prune of a namespace of which only rows are left leaves %+v", page)
	}
}

// meanwhile runs f beside a decision. It returns when f has, or when f seems to wait for the
// decision's end.
func (p *probe) meanwhile(all *sync.WaitGroup, f func()) {
	done := make(chan struct{})
	all.Go(func() {
		defer close(done)
		p.Guarded(f)
	})
	timer := time.NewTimer(5 * p.Patience)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

func prunesUnchanged(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	other := p.open(namespace)
	now := c.now()
	for i, change := range []struct {
		what string
		to   func(r *lease.Row)
	}{
		{"a renewal", func(r *lease.Row) { r.Nonce, r.High, r.Until = p.Token(), r.High+100, now.Add(time.Hour) }},
		{"a renewal of a lease that is over", func(r *lease.Row) { r.Nonce, r.High = p.Token(), r.High+100 }},
		{"a release", func(r *lease.Row) { r.Nonce, r.Until = "", now.Add(-10*time.Hour) }},
		{"a new nonce", func(r *lease.Row) { r.Nonce = p.Token() }},
		{"a new end", func(r *lease.Row) { r.Until = now.Add(time.Hour) }},
		{"a new High", func(r *lease.Row) { r.High += 100 }},
	} {
		id := int64(i)
		was := lease.Row{WorkerID: id, Nonce: p.Token(), High: 1000 * (id + 1), Until: now.Add(-9 * time.Hour)}
		c.put(was)
		var changed lease.Row // as it was stored; without a High when it was not
		var seen lease.Row    // what the last run of decide has seen
		var all sync.WaitGroup
		var once sync.Once
		removed, err := k.Prune(p.Ctx, namespace, id-1, 1, time.Hour, func(page registry.Page) ([]int64, error) {
			if seen = (lease.Row{}); len(page.Rows) == 1 {
				seen = page.Rows[0]
			}
			once.Do(func() {
				p.meanwhile(&all, func() {
					var to lease.Row
					err := other.Change(p.Ctx, id, func(r *lease.Row, _ lease.Clock) error {
						if to = (lease.Row{High: -1}); r == nil {
							return errLook
						}
						change.to(r)
						to = *r
						return nil
					})
					if err == nil {
						changed = to
					} else if !errors.Is(err, errLook) && !retry.IsTransient(err) {
						p.Errorf("%s beside a Prune came to %v", change.what, err)
					}
				})
			})
			return []int64{id}, nil
		})
		all.Wait()
		if err != nil && !retry.IsTransient(err) {
			p.Errorf("a Prune beside %s came to %v", change.what, err)
		}
		now, found, _ := p.open(namespace).row(id)
		switch stored := changed.Nonce != "" || changed.High > 0; {
		case err == nil && found == slices.Contains(removed, id):
			p.Errorf("beside %s Prune removed %v, and the row is there: %v", change.what, removed, found)
		case found && stored && rowDiff(now, changed) != "":
			p.Errorf("beside a Prune %s was stored as %+v, and there is %+v", change.what, changed, now)
		case !found && stored && rowDiff(seen, changed) != "":
			p.Errorf("Prune has removed the row of worker ID %d in spite of %s", id, change.what)
		}
		if !found {
			p.open(namespace).gone(change.what, id, max(was.High, changed.High))
		}
	}
}

// decidedBefore lets a Take or a Change decide, then removes the row, and looks what becomes of
// the decision.
func decidedBefore(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	for i := range int64(3) {
		// A Take of an ID without a row, which another client takes and gives up meanwhile.
		id, high := 10+i, 1000*(i+1)
		var base, got int64
		var all sync.WaitGroup
		var once sync.Once
		err := c.Take(p.Ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			base = max(n.Floor, r.High)
			once.Do(func() {
				p.meanwhile(&all, func() {
					other := p.open(namespace)
					err := other.Take(p.Ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
						got = max(n.Floor, r.High)
						r.Until, r.High = early, high
						return nil
					})
					if err == nil {
						p.clerk().prune(namespace, id)
					}
				})
			})
			r.Until, r.High = early.Add(time.Second), base+10
			return nil
		})
		all.Wait()
		if err == nil && base < high && got < base+10 {
			p.Errorf("of worker ID %d a Take used ticks above %d up to %d, its row was removed, and a Take that had decided before used those above %d", id, got, high, base)
		}
		k.prune(namespace, id)
	}
	for i := range int64(3) {
		// A Prune, and the namespace is written meanwhile.
		id, floor := 15+i, 4000+100*i
		c.put(lease.Row{WorkerID: id, High: floor - 50, Until: early})
		var stored bool
		var all sync.WaitGroup
		var once sync.Once
		removed, _ := k.Prune(p.Ctx, namespace, id-1, 1, time.Hour, func(registry.Page) ([]int64, error) {
			once.Do(func() {
				p.meanwhile(&all, func() {
					stored = p.open(namespace).Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error {
						n.Floor, n.Reach = max(n.Floor, floor), time.Duration(floor)*time.Second
						return nil
					}) == nil
				})
			})
			return []int64{id}, nil
		})
		all.Wait()
		if n := c.namespace(); stored && (n.Floor < floor || n.Reach != time.Duration(floor)*time.Second) {
			p.Errorf("beside a Prune that removed %v an Init wrote a Floor of %d and a Reach of %v, and there are %d and %v", removed, floor, time.Duration(floor)*time.Second, n.Floor, n.Reach)
		}
	}
	for i := range int64(3) {
		// A Change of a row that is removed meanwhile.
		id := 20 + i
		c.put(lease.Row{WorkerID: id, High: 5000 + i, Until: early, Nonce: p.Token()})
		var removed []int64
		var all sync.WaitGroup
		var once sync.Once
		err := c.Change(p.Ctx, id, func(r *lease.Row, _ lease.Clock) error {
			if r == nil {
				return errLook
			}
			once.Do(func() { p.meanwhile(&all, func() { removed = p.clerk().prune(namespace, id) }) })
			r.Nonce, r.High, r.Until = p.Token(), 9000, late
			return nil
		})
		all.Wait()
		_, found, _ := p.open(namespace).row(id)
		if gone := slices.Contains(removed, id); gone && (found || err == nil) {
			p.Errorf("the row of worker ID %d was removed, and a Change that had decided before returned %v; the row is there: %v", id, err, found)
		} else if !gone && !found {
			p.Errorf("the row of worker ID %d is gone, and no Prune has removed it", id)
		}
	}
}

func lateAfterPrune(p *probe) {
	k := p.clerk()
	c, namespace := p.made()
	now := c.now()
	delayed := func(what string, call func() error) bool {
		if !p.fault(c, Delay) {
			p.Notef("not tried: %v", Delay)
			return false
		}
		if err := call(); err == nil {
			p.Errorf("%s: it returned nil, though it was not stored", what)
		}
		return true
	}
	renew := func() error {
		return c.Change(p.Ctx, 0, func(r *lease.Row, _ lease.Clock) error {
			if r == nil {
				return errLook
			}
			r.Nonce, r.High, r.Until = p.Token(), r.High+1000, now.Add(time.Hour)
			return nil
		})
	}
	take := func() error {
		return c.Take(p.Ctx, wanted(0, 0), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			r.Nonce, r.High, r.Until = p.Token(), max(n.Floor, r.High)+1, now.Add(time.Hour)
			return nil
		})
	}
	old := func(high int64) {
		p.open(namespace).put(lease.Row{WorkerID: 0, Nonce: p.Token(), High: high, Until: early})
	}
	for i, try := range []struct {
		what          string
		before, after bool // there is a row of the ID when the call decides, and when it arrives
		call          func() error
	}{
		{"a Change, and the row is gone", true, false, renew},
		{"a Change, and the row is another one", true, true, renew},
		{"a Take, and the row is gone", true, false, take},
		{"a Take of a new ID, and it was used", false, false, take},
		{"a Take, and the row is another one", true, true, take},
	} {
		high := int64(10 * (i + 1))
		if try.before {
			old(high)
		}
		if !delayed(try.what, try.call) {
			return
		}
		if !try.before {
			old(high)
		}
		k.prune(namespace, 0)
		if try.after {
			old(high + 5)
		}
		before := fmt.Sprint(p.open(namespace).everything())
		p.Deliver()
		if after := fmt.Sprint(p.open(namespace).everything()); before != after {
			p.Errorf("%s: when it arrived after a Prune there was %s, then %s", try.what, before, after)
		}
		k.prune(namespace, 0)
	}
}

func prunesAtOnce(p *probe) {
	const n, rows = 4, 12
	c, namespace := p.made()
	for id := range int64(rows) {
		c.put(lease.Row{WorkerID: id, High: 10 * id, Until: early})
	}
	crowd := p.Crowd()
	var mu sync.Mutex
	var all []int64
	open := false
	p.Each(n, func(i int) {
		k := p.clerk()
		p.Again("Prune at once with others", func() error {
			removed, err := k.Prune(p.Ctx, namespace, -1, 100, time.Hour, func(page registry.Page) (ids []int64, _ error) {
				crowd.Meet()
				for _, id := range idsOf(page.Rows) {
					if id%n == int64(i) || id >= rows-n { // its own, and some of all
						ids = append(ids, id)
					}
				}
				return ids, nil
			})
			mu.Lock()
			defer mu.Unlock()
			all, open = append(all, removed...), open || err != nil
			return err
		})
	})
	slices.Sort(all)
	if twice := slices.Compact(slices.Clone(all)); len(twice) != len(all) {
		p.Errorf("of %d Prunes at once two say that they have removed the same row: %v", n, all)
	} else if !open && len(all) != rows {
		p.Errorf("%d Prunes at once have removed %v of %d rows", n, all, rows)
	}
	p.clerk().leaves("Prunes at once", namespace, 10*(rows-1))
}

// prunesAmongOwners lets owners use tick after tick of few IDs while their rows are removed. A
// tick counts as used when the write is acknowledged.
func prunesAmongOwners(p *probe) {
	const ids, clients, turns = 3, 4, 25
	_, namespace := p.made()
	type tick struct{ id, tick int64 }
	var mu sync.Mutex
	used := map[tick]string{}
	use := func(by string, err error, t tick) {
		if err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if before := used[t]; before != "" {
			p.Errorf("tick %d of worker ID %d is had by a %s and by a %s", t.tick, t.id, before, by)
		}
		used[t] = by
	}
	crowd := p.Crowd()
	p.Each(clients, func(i int) {
		random := rand.New(rand.NewPCG(p.Seed, uint64(i)))
		c, k := p.open(namespace), p.clerk()
		for range turns {
			if random.IntN(3) == 0 && i > 0 {
				_, err := k.Prune(p.Ctx, namespace, -1, ids, time.Hour, func(page registry.Page) ([]int64, error) {
					crowd.Meet()
					return idsOf(page.Rows), nil
				})
				p.mayPass("Prune", err)
				continue
			}
			var got tick
			id := random.Int64N(ids)
			if random.IntN(2) == 0 {
				err := c.Take(p.Ctx, wanted(id, id), func(n *lease.Namespace, r *lease.Row, _ lease.Clock) error {
					crowd.Meet()
					got = tick{id, max(n.Floor, r.High) + 1}
					r.High, r.Nonce, r.Until = got.tick, p.Token(), early
					return nil
				})
				use("Take", err, got)
				p.mayPass("Take", err)
				continue
			}
			err := c.Change(p.Ctx, id, func(r *lease.Row, _ lease.Clock) error {
				if r == nil {
					return errLook
				}
				crowd.Meet()
				got = tick{id, r.High + 1}
				r.High, r.Nonce = got.tick, p.Token()
				return nil
			})
			use("Change", err, got)
			p.mayPass("Change", err)
		}
	})
}

// mayPass checks that concurrency alone brings no error that is final.
func (p *probe) mayPass(doing string, err error) {
	if err != nil && !errors.Is(err, errLook) && !retry.IsTransient(err) && p.Ctx.Err() == nil {
		p.Errorf("%s at once with others came to an error that is final: %v", doing, err)
	}
}
