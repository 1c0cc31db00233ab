package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

// batchChecks are about stores that are a [lease.BatchStore].
var batchChecks = []check{
	{"TakeBatch offers what Takes would", "n rows of different IDs, in the order in which as many Takes would be offered them; it may offer fewer, though not none", batchOffers},
	{"TakeBatch says when none is free", "all else is as in Take: the error of NoneFree, of Within, and of a missing namespace", batchNone},
	{"TakeBatch stores all or nothing", "rows are written with the namespace, all or nothing; those that it sets to nil are not", batchWhole},
	{"TakeBatches at once", "nobody else can change what decide sees before the outcome is stored", batchesAtOnce},
	{"late TakeBatches", "a write that is on its way may still arrive, unless a row of it was written again since", lateBatches},
}

// batches reports whether the store is a BatchStore, and notes if it is not.
func (p *probe) batches(c *client) bool {
	if _, is := c.store.(lease.BatchStore); is {
		return true
	}
	p.Notef("not tried: the Store is no BatchStore")
	return false
}

// batch returns the rows that TakeBatch offers, and leaves them as they are.
func (c *client) batch(w lease.Wanted, n int) (offered []lease.Row, err error) {
	c.p.Look(func() error {
		err = c.TakeBatch(c.p.Ctx, w, n, func(_ *lease.Namespace, rows []*lease.Row, _ lease.Clock) error {
			offered = nil
			for _, r := range rows {
				offered = append(offered, *r)
			}
			return errLook
		})
		if err == nil || retry.IsTransient(err) || errors.Is(err, errLook) {
			return err
		}
		return errLook
	})
	if errors.Is(err, errLook) {
		err = nil
	}
	return offered, err
}

// takesAll takes rows by TakeBatches of up to n until there are none, and returns their IDs.
func (c *client) takesAll(w lease.Wanted, n int) (ids []int64) {
	for c.p.Ctx.Err() == nil {
		var batch []int64
		err := c.TakeBatch(c.p.Ctx, w, n, func(_ *lease.Namespace, rows []*lease.Row, _ lease.Clock) error {
			batch = nil
			for i := range rows {
				batch = append(batch, rows[i].WorkerID)
				rows[i].Until, rows[i].Nonce = late, c.p.Token()
			}
			return nil
		})
		switch {
		case err == nil:
			ids = append(ids, batch...)
		case errors.Is(err, uid.ErrNoWorkerID):
			return ids
		case !retry.IsTransient(err):
			c.p.Fatalf("TakeBatch: %v", err)
		}
	}
	return ids
}

func batchOffers(p *probe) {
	c, _ := p.made()
	if !p.batches(c) {
		return
	}
	for _, n := range []int{1, 2, 3, lease.MaxBatch} {
		c, _ := p.made()
		now := c.now()
		row := func(id int64, ago time.Duration, high int64) lease.Row {
			return lease.Row{WorkerID: id, Until: now.Add(-ago), High: high}
		}
		c.put(row(0, 3*time.Hour, 1), row(1, 5*time.Hour, 1), row(2, time.Minute, 1), row(3, 4*time.Hour, 1001), row(4, 4*time.Hour, 1), row(9, 50*time.Hour, 1))
		w := wanted(0, 7)
		w.Rest, w.Highest = time.Hour, func(time.Time) int64 { return 1000 }
		wants := []int64{1, 4, 0, 5, 6, 7, 3} // 2 rests
		if rows, err := c.batch(w, n); err != nil || len(rows) == 0 || rows[0].WorkerID != 1 {
			p.Errorf("TakeBatch of %d offers %+v (%v), wanted are worker IDs %v, or the first of these", n, rows, err, wants)
		}
		if got := c.takesAll(w, n); !slices.Equal(got, wants) {
			p.Errorf("TakeBatches of %d got worker IDs %v one after another, wanted is %v", n, got, wants)
		}
		for _, id := range wants {
			if row, found, _ := c.row(id); !found || !row.Until.Equal(late) {
				p.Errorf("TakeBatches of %d took worker ID %d, and its row is %+v", n, id, row)
			}
		}
		if row, _, _ := c.row(2); !row.Until.Equal(now.Add(-time.Minute)) {
			p.Errorf("TakeBatches of %d changed a row that rests: %+v", n, row)
		}
	}
	// More than one transaction may take, of a space as wide as there is.
	c, _ = p.made()
	if err := c.Init(p.Ctx, func(n *lease.Namespace, _ lease.Clock) error {
		n.IDs = lease.Range{First: 10, Last: 10 + 2*lease.MaxBatch}
		return nil
	}); err != nil {
		p.Fatalf("Init: %v", err)
	}
	if got := c.takesAll(wanted(0, 1<<40), lease.MaxBatch); len(got) != 2*lease.MaxBatch+1 || got[0] != 10 || got[len(got)-1] != 10+2*lease.MaxBatch {
		p.Errorf("TakeBatches got %d worker IDs, %v, wanted are those from 10 to %d", len(got), got, 10+2*lease.MaxBatch)
	}
	strict := wanted(0, 99)
	strict.Strict = true
	if rows, err := c.batch(strict, 2); !errors.Is(err, uid.ErrRange) {
		p.Errorf("TakeBatch of IDs that the namespace does not have offers %+v (%v)", rows, err)
	}
	// Gaps of one ID, of two, and at the end.
	c, _ = p.made()
	for _, id := range []int64{0, 1, 3, 4, 7, 9} {
		c.put(lease.Row{WorkerID: id, Until: late})
	}
	offered, err := c.batch(wanted(0, 9), 4)
	for _, r := range offered {
		if _, found, _ := c.row(r.WorkerID); found || !r.Fresh {
			p.Errorf("TakeBatch offers worker ID %d (Fresh %v), which is held: %v", r.WorkerID, r.Fresh, found)
		}
	}
	if got := c.takesAll(wanted(0, 9), 4); err != nil || len(got) != 4 {
		p.Errorf("TakeBatches got %v of the free worker IDs 2, 5, 6 and 8 (%v)", got, err)
	}
}

func batchNone(p *probe) {
	c, _ := p.made()
	if !p.batches(c) {
		return
	}
	_, _, clock := c.row(0)
	c.put(lease.Row{WorkerID: 0, Until: late}, lease.Row{WorkerID: 1, Until: late.Add(time.Hour)})
	rows, err := c.batch(wanted(0, 1), 2)
	if wants := lease.NoneFree(lease.Range{First: 0, Last: 1}, late.Add(clock.Error)); !errors.Is(err, uid.ErrNoWorkerID) || !strings.Contains(err.Error(), wants.Error()) {
		p.Errorf("TakeBatch offers %+v and returned %v, wanted is %v", rows, err, wants)
	}
	if rows, err := p.open(p.namespace()).batch(wanted(0, 1), 2); !errors.Is(err, errMissing) {
		p.Errorf("TakeBatch in a namespace that is not there offers %+v and returned %v, wanted is %v", rows, err, errMissing)
	}
}

// many are the IDs of a batch that has to be stored as a whole.
const many = 6

// stored checks that the rows of a batch, and the namespace, bear a token, or none of them. The batch
// may still be under way.
func (c *client) stored(token string, wrote []int64) bool {
	for {
		before, bear := c.namespace().Layout == token, 0
		for _, id := range wrote {
			if row, _, _ := c.row(id); row.Nonce == token {
				bear++
			}
		}
		if named := c.namespace().Layout == token; named == before {
			if named && bear < len(wrote) || !named && bear > 0 {
				c.p.Errorf("a TakeBatch that wrote %s has stored a part of it: %d of %d rows, and the namespace: %v", token, bear, len(wrote), named)
			}
			return named
		}
	}
}

func batchWhole(p *probe) {
	first, namespace := p.made()
	if !p.batches(first) {
		return
	}
	other := p.open(namespace)
	w := wanted(0, many-1)
	try := func(what string, ctx context.Context, c *client, decided func() error) (token string, wrote []int64) {
		token = p.Token()
		err := c.TakeBatch(ctx, w, many, func(n *lease.Namespace, rows []*lease.Row, now lease.Clock) error {
			wrote, n.Layout = nil, token
			for i := range rows {
				wrote = append(wrote, rows[i].WorkerID)
				rows[i].Nonce, rows[i].Until = token, now.Now.Add(-time.Hour)
			}
			return decided()
		})
		stored := other.stored(token, wrote)
		switch {
		case err == nil && !stored:
			p.Errorf("%s: TakeBatch returned nil, and has stored nothing of %d rows", what, len(wrote))
		case errors.Is(err, errRefusedBatch) && stored:
			p.Errorf("%s: decide refused, and the rows are stored", what)
		case decided() != nil && !errors.Is(err, errRefusedBatch):
			p.Errorf("%s: TakeBatch returned %v, wanted is what decide returned", what, err)
		case err != nil && !errors.Is(err, errRefusedBatch) && !retry.IsTransient(err) && !errors.Is(err, context.Canceled):
			p.Errorf("%s: TakeBatch returned %v, which is not marked as one that may pass", what, err)
		}
		return token, wrote
	}
	agree, refuse := func() error { return nil }, func() error { return errRefusedBatch }
	try("new rows are refused", p.Ctx, first, refuse)
	if row, found, _ := other.row(0); found {
		p.Errorf("decide refused Fresh rows, and there is %+v", row)
	}
	// New ones, and those that are there.
	faults := []Fault{OK, LoseWrite, LoseReply, Delay, Refuse}
	for i := range int64(2 * len(faults)) {
		f := faults[i/2]
		c, ns := first, namespace // where all are there from the second time on
		if i%2 == 0 {
			c, ns = p.made()
		}
		if f != OK && !p.fault(c, f) {
			p.Notef("not tried: %v", f)
			continue
		}
		other = p.open(ns)
		token, wrote := try(fmt.Sprint("a batch, ", f), p.Ctx, c, agree)
		if f == Delay {
			p.Deliver()
			other.stored(token, wrote)
		}
	}
	other = p.open(namespace)
	for range 4 {
		ctx, cancel := context.WithCancel(p.Ctx)
		try("the context ends", ctx, first, func() error { cancel(); return nil })
		cancel()
	}
	try("all is refused", p.Ctx, first, refuse)

	// What decide does not take stays as it was, and a new ID gets no row.
	for _, known := range []bool{false, true} {
		c, namespace := p.made()
		if known {
			for id := range int64(many) {
				c.put(lease.Row{WorkerID: id, Until: early, High: 3, Nonce: p.Token()})
			}
		}
		token, before := p.Token(), map[int64]lease.Row{}
		err := c.TakeBatch(p.Ctx, w, many, func(n *lease.Namespace, rows []*lease.Row, _ lease.Clock) error {
			n.Floor, n.Reach = 77, time.Hour
			clear(before)
			for i, r := range rows {
				before[r.WorkerID] = *r
				if r.Nonce, r.Until = token, late; i%2 > 0 {
					rows[i] = nil
				}
			}
			return nil
		})
		if err != nil {
			p.Errorf("TakeBatch: %v", err)
		}
		left := 0
		for id, was := range before {
			got, found, _ := p.open(namespace).row(id)
			switch {
			case id%2 == 0:
				if got.Nonce != token || !got.Until.Equal(late) {
					p.Errorf("worker ID %d was changed by TakeBatch, and is %+v", id, got)
				}
			case found != known || known && rowDiff(got, was) != "":
				p.Errorf("worker ID %d was not taken by TakeBatch: there is a row: %v, it is %+v, was %+v", id, found, got, was)
			default:
				left++
			}
		}
		if n := p.open(namespace).namespace(); n.Floor != 77 || n.Reach != time.Hour {
			p.Errorf("TakeBatch has changed the namespace, which is %+v", n)
		}
		if left == 0 && len(before) > 1 {
			p.Errorf("of %d rows none was left alone", len(before))
		}
	}
}

// errRefusedBatch is returned by decisions that refuse.
var errRefusedBatch = errors.New("the suite refuses")

func batchesAtOnce(p *probe) {
	for _, raises := range []bool{true, false} { // or they have nothing in common but rows
		p.batchesAtOnce(raises, 0)
		p.batchesAtOnce(raises, 12)
	}
}

// batchesAtOnce raises the Floor by each call, or leaves it as it is. So many IDs have a row before.
func (p *probe) batchesAtOnce(raises bool, rows int64) {
	const n, size = 6, 4
	c, namespace := p.made()
	if !p.batches(c) {
		return
	}
	for id := range rows {
		c.put(lease.Row{WorkerID: id, Until: c.now().Add(-time.Hour)})
	}
	crowd := p.Crowd()
	var mu sync.Mutex
	owners := map[int64]string{}
	all := p.attempts(n, namespace, func(c *client, i int, ran *outcome) error {
		var mine map[int64]string
		owns := func(ns *lease.Namespace, rows []*lease.Row, now lease.Clock) error {
			crowd.Meet()
			mine = map[int64]string{}
			if raises {
				ns.Floor = max(ns.Floor, 0) + 1
			}
			for k := range rows {
				r := rows[k]
				r.Until, r.Nonce = now.Now.Add(time.Hour), p.Token()
				mine[r.WorkerID] = r.Nonce
			}
			return nil
		}
		w := wanted(0, 20*n*size)
		var err error
		if i%3 == 2 {
			err = c.Take(p.Ctx, w, func(ns *lease.Namespace, r *lease.Row, now lease.Clock) error {
				return owns(ns, []*lease.Row{r}, now)
			})
		} else {
			err = c.TakeBatch(p.Ctx, w, size, owns)
		}
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		for id, nonce := range mine {
			if owners[id] != "" {
				p.Errorf("two of %d calls at once got worker ID %d", n, id)
			}
			owners[id] = nonce
		}
		return nil
	})
	for id, nonce := range owners {
		if row, _, _ := c.row(id); row.Nonce != nonce {
			p.Errorf("worker ID %d was taken with nonce %s, and its row is %+v", id, nonce, row)
		}
	}
	if raises {
		p.counted("Floor", c.namespace().Floor, all)
	}
}

func lateBatches(p *probe) {
	c, namespace := p.made()
	if !p.batches(c) {
		return
	}
	other := p.open(namespace)
	for id := range int64(4) {
		c.put(lease.Row{WorkerID: id, Until: early})
	}
	batch := func(s *client) error {
		return s.TakeBatch(p.Ctx, wanted(0, 3), 4, func(n *lease.Namespace, rows []*lease.Row, _ lease.Clock) error {
			n.Layout = p.Token()
			for i := range rows {
				rows[i].Nonce = p.Token()
			}
			return nil
		})
	}
	take := func(s *client) error {
		return s.Take(p.Ctx, wanted(2, 2), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error { r.Nonce = p.Token(); return nil })
	}
	change := func(s *client) error {
		return s.Change(p.Ctx, 3, func(r *lease.Row, _ lease.Clock) error { r.Nonce = p.Token(); return nil })
	}
	for name, calls := range map[string][2]func(*client) error{
		"TakeBatch, TakeBatch": {batch, batch}, "TakeBatch, Take of its third row": {batch, take}, "TakeBatch, Change of its last row": {batch, change},
		"Take, TakeBatch": {take, batch}, "Change, TakeBatch": {change, batch},
	} {
		if !p.fault(c, Delay) {
			p.Notef("not tried: %v", Delay)
			return
		}
		if err := calls[0](c); err == nil || !retry.IsTransient(err) {
			p.Errorf("%s: the first came to %v, wanted is an error that is marked as one that may pass", name, err)
		}
		for {
			err := calls[1](other)
			if err == nil {
				break
			}
			if !retry.IsTransient(err) || p.Ctx.Err() != nil {
				p.Fatalf("%s: the second came to %v", name, err)
			}
		}
		before := fmt.Sprint(other.everything())
		p.Deliver()
		if after := fmt.Sprint(other.everything()); before != after {
			p.Errorf("%s: when the first write arrived the second had been acknowledged; before: %s, after: %s", name, before, after)
		}
	}
}
