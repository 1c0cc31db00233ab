package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

var historyChecks = []check{
	{"histories", "nobody else can change what decide sees before the outcome is stored; nil means stored, and any other error " +
		"after decide has run that it may be", histories},
}

func histories(p *probe) {
	p.Record(func(r *suite.Recorder) {
		(&recorder{Recorder: r, p: p, namespace: p.namespace(), rows: map[string]lease.Row{}, namespaces: map[string]lease.Namespace{}}).record()
	})
}

// ids is how many worker IDs there are in a history: few, so that calls meet.
const ids = suite.Values - 1

// A recorder makes calls at random and records them. The namespace is the last of the values that
// the history is about, after the rows.
type recorder struct {
	*suite.Recorder
	p         *probe
	namespace string

	mu         sync.Mutex
	rows       map[string]lease.Row // what was written, by token
	namespaces map[string]lease.Namespace
}

// record runs the clients, and checks at the end what the store holds.
func (r *recorder) record() {
	if r.Seed%4 > 0 { // else they make the namespace while they run
		r.init(r.p.open(r.namespace), suite.Clients, plan{})
	}
	r.Each(func(i int) func(*rand.Rand) {
		c := r.p.open(r.namespace)
		if i == 0 {
			r.init(c, i, plan{})
		}
		return func(random *rand.Rand) { r.call(c, i, random) }
	})
	last := r.p.open(r.namespace)
	for range 2 {
		for id := range int64(ids) {
			r.change(last, suite.Clients, id, plan{Plan: suite.Plan{Refuse: true}})
		}
		r.init(last, suite.Clients, plan{Plan: suite.Plan{Refuse: true}})
		if r.p.Deliver == nil {
			break
		}
		r.p.Deliver()
	}
}

// A plan says what a decision does.
type plan struct {
	suite.Plan
	held bool // the row is held, not over
	keep bool // leave the namespace as it is
}

func (r *recorder) call(c *client, i int, random *rand.Rand) {
	p := plan{suite.RandomPlan(random), suite.Chance(random, 40), suite.Chance(random, 50)}
	kind, id := random.IntN(100), random.Int64N(ids)
	if r.Faults {
		fault := OK // also in place of one that no call has used
		if suite.Chance(random, 20) {
			fault = Fault(1 + random.IntN(int(Delay)))
		}
		r.p.fault(c, fault)
		if suite.Chance(random, 15) && r.p.Deliver != nil {
			r.p.Deliver()
		}
	}
	switch {
	case kind < 40:
		r.take(c, i, p)
	case kind < 85:
		r.change(c, i, id, p)
	default:
		r.init(c, i, p)
	}
}

// end records the outcome of a call.
func (r *recorder) end(o suite.Operation, ran bool, err error) {
	r.End(o, ran, err, func(err error) bool {
		// A store that tries again may find no row by then.
		return retry.IsTransient(err) || errors.Is(err, context.Canceled) || errors.Is(err, uid.ErrNoWorkerID) || errors.Is(err, errMissing)
	})
}

func (r *recorder) take(c *client, i int, p plan) {
	ctx, cancel := context.WithCancel(r.p.Ctx)
	defer cancel()
	o, ran := r.Begin("Take", i), false
	w := wanted(0, ids-1)
	w.Rest = time.Minute
	err := c.Take(ctx, w, func(n *lease.Namespace, row *lease.Row, now lease.Clock) error {
		if row.WorkerID < 0 || row.WorkerID >= ids {
			return errLook // which the client reports
		}
		ran = true
		o.On = [suite.Values]suite.Access{ids: r.seesNamespace(n, now)}
		o.On[row.WorkerID] = r.seesRow(row, now)
		err := r.Decide(p.Plan, cancel)
		if !p.keep {
			o.On[ids].Wrote = r.writesNamespace(n, now)
		}
		o.On[row.WorkerID].Wrote = r.writesRow(row, p, now)
		return err
	})
	r.end(o, ran, err)
}

// takeBatch takes up to two rows, and with keep leaves the first alone if there is another.
func (r *recorder) change(c *client, i int, id int64, p plan) {
	ctx, cancel := context.WithCancel(r.p.Ctx)
	defer cancel()
	o, ran := r.Begin("Change", i), false
	err := c.Change(ctx, id, func(_ *lease.Namespace, row *lease.Row, now lease.Clock) error {
		ran = true
		o.On[id] = r.seesRow(row, now)
		if err := r.Decide(p.Plan, cancel); row == nil || err != nil {
			return errLook
		}
		o.On[id].Wrote = r.writesRow(row, p, now)
		return nil
	})
	r.end(o, ran, err)
}

func (r *recorder) init(c *client, i int, p plan) {
	ctx, cancel := context.WithCancel(r.p.Ctx)
	defer cancel()
	o, ran := r.Begin("Init", i), false
	err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
		ran = true
		o.On[ids] = r.seesNamespace(n, now)
		err := r.Decide(p.Plan, cancel)
		o.On[ids].Wrote = r.writesNamespace(n, now)
		return err
	})
	r.end(o, ran, err)
}

// seesRow checks that a row was written as a whole, and not by a later clock.
func (r *recorder) seesRow(row *lease.Row, now lease.Clock) suite.Access {
	if row == nil || row.Unused() {
		return suite.Access{Looked: true}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if was, found := r.rows[row.Nonce]; !found {
		r.p.Errorf("there is a row that nobody has written: %+v", *row)
	} else if d := rowDiff(*row, was); d != "" {
		r.p.Errorf("there is a row that nobody has written: %s", d)
	}
	r.sees(row.Renewed, now)
	return suite.Access{Looked: true, Saw: row.Nonce, Wrote: row.Nonce}
}

func (r *recorder) seesNamespace(n *lease.Namespace, now lease.Clock) suite.Access {
	if n.Fresh {
		return suite.Access{Looked: true}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if was, found := r.namespaces[n.Layout]; !found {
		r.p.Errorf("there is a namespace that nobody has written: %+v", *n)
	} else if was.Given = n.Given; namespaceDiff(*n, was) != "" { // the store raises Given
		r.p.Errorf("there is a namespace that nobody has written: %s", namespaceDiff(*n, was))
	}
	r.sees(n.Renewed, now)
	return suite.Access{Looked: true, Saw: n.Layout, Wrote: n.Layout}
}

func (r *recorder) sees(written time.Time, now lease.Clock) {
	if now.Now.Before(written.Add(-2 * now.Error)) {
		r.p.Errorf("the Clock is at %v, what is offered with it was written at %v", now.Now, written)
	}
}

func (r *recorder) writesRow(row *lease.Row, p plan, now lease.Clock) (token string) {
	token = r.p.Token()
	id := row.WorkerID
	until := now.Now.Add(-time.Hour)
	if p.held {
		until = now.Now.Add(time.Hour)
	}
	*row = lease.Row{
		WorkerID: id, Nonce: token, High: int64(len(token)) + now.Now.UnixMicro(), Until: until, Layout: "of " + token, Holder: fmt.Sprint("holder of ", token),
		Acquired: now.Now.Add(-time.Second), Renewed: now.Now,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows[token] = *row
	return token
}

func (r *recorder) writesNamespace(n *lease.Namespace, now lease.Clock) (token string) {
	token = r.p.Token()
	n.Layout, n.Floor, n.History, n.Made, n.Renewed = token, now.Now.UnixMicro(), token, now.Now.Add(-time.Hour), now.Now
	r.mu.Lock()
	defer r.mu.Unlock()
	r.namespaces[token] = *n
	return token
}
