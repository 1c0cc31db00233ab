package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

var historyChecks = []check{
	{"histories", "nobody else can change what decide sees before the outcome is stored; nil means stored, and any other error " +
		"after decide has run that it may be", histories},
}

// A recorder makes calls at random and records them.
type recorder struct {
	p         *probe
	namespace string
	clock     atomic.Int64 // orders the calls and returns
	crowd     *crowd
	ended     chan struct{} // has a receiver while a decision waits for others
	faults    bool

	mu         sync.Mutex
	history    []operation
	rows       map[string]lease.Row // what was written, by token
	namespaces map[string]lease.Namespace
}

func histories(p *probe) {
	undecided := 0
	for n := range p.cfg.Histories {
		r := &recorder{
			p: p, namespace: p.namespace(), crowd: p.crowd(), ended: make(chan struct{}), faults: n%2 == 1,
			rows: map[string]lease.Row{}, namespaces: map[string]lease.Namespace{},
		}
		r.crowd.patience = p.cfg.Patience / 4
		r.record(p.cfg.Seed + uint64(n))
		if len(p.found()) > 0 {
			p.notef("the rest is not tried, after history %d", n)
			return
		}
		if p.ctx.Err() != nil {
			if n == 0 {
				p.errorf("a history of 40 calls took more than %v", limit)
			}
			p.notef("in %v no more than %d histories could be recorded", limit, n)
			return
		}
		switch linearizable(r.history, 5*time.Second) {
		case porcupine.Illegal:
			slices.SortFunc(r.history, func(a, b operation) int { return cmp.Compare(a.call, b.call) })
			lines := make([]string, len(r.history))
			for i, o := range r.history {
				lines[i] = o.String()
			}
			p.errorf("history %d: no order of these calls explains what they saw and wrote:\n%s", n, strings.Join(lines, "\n"))
			return
		case porcupine.Unknown:
			undecided++
		}
	}
	if undecided > 0 {
		p.notef("%d of %d histories were not decided in time", undecided, p.cfg.Histories)
	}
}

// record runs four clients, and checks at the end what the store holds.
func (r *recorder) record(seed uint64) {
	const clients, calls = 4, 9
	if seed%4 > 0 { // else they make the namespace while they run
		r.init(r.p.open(r.namespace), clients, plan{})
	}
	r.p.each(clients, func(i int) {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		c := r.p.open(r.namespace)
		if i == 0 {
			r.init(c, i, plan{})
		}
		for range calls {
			r.call(c, i, random)
		}
		// Clear faults that no call has used.
		if r.faults {
			r.p.fault(c, OK)
		}
	})
	last := r.p.open(r.namespace)
	for range 2 {
		for id := range int64(ids) {
			r.change(last, clients, id, plan{refuse: true})
		}
		r.init(last, clients, plan{refuse: true})
		if r.p.Deliver == nil {
			break
		}
		r.p.Deliver()
	}
}

// A plan says what a decision does.
type plan struct {
	refuse bool // store nothing
	held   bool // the row is held, not over
	keep   bool // leave the namespace as it is
	meet   bool // wait for another decision
	pause  bool // wait until others have made calls
	cancel bool // end the context
}

func (r *recorder) call(c *client, i int, random *rand.Rand) {
	chance := func(percent int) bool { return random.IntN(100) < percent }
	p := plan{refuse: chance(10), held: chance(40), keep: chance(50), meet: chance(30), pause: chance(7), cancel: chance(5)}
	kind, id := random.IntN(100), random.Int64N(ids)
	if r.faults {
		if fault := Fault(1 + random.IntN(int(Delay))); chance(20) {
			r.p.fault(c, fault)
		}
		if chance(15) && r.p.Deliver != nil {
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

// begin records the start of a call, end its outcome.
func (r *recorder) begin(name string, i int) operation {
	return operation{name: name, client: i, call: r.clock.Add(1)}
}

func (r *recorder) end(o operation, ran bool, err error) {
	o.ret = r.clock.Add(1)
	select {
	case r.ended <- struct{}{}:
	default:
	}
	switch {
	case errors.Is(err, errLook):
		o.result = refused
	case err != nil:
		// A store that tries again may find no row by then.
		if !retry.IsTransient(err) && !errors.Is(err, context.Canceled) && !errors.Is(err, uid.ErrNoWorkerID) && !errors.Is(err, errMissing) {
			r.p.errorf("%s came to an error that is final: %v", o.name, err)
		}
		o.result, o.ret = open, math.MaxInt64
	}
	if !ran {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if o.result == refused && o.namespace.looked && o.row.looked {
		// It stores nothing that would show that the two were seen at the same time.
		namespace := o
		namespace.row = access{}
		o.namespace = access{}
		r.history = append(r.history, namespace)
	}
	r.history = append(r.history, o)
}

// decide does as planned, after the values were checked.
func (r *recorder) decide(p plan, cancel context.CancelFunc) error {
	if p.meet {
		r.crowd.meet()
	}
	if p.pause {
		r.pause()
	}
	if p.cancel {
		cancel()
	}
	if p.refuse {
		return errLook
	}
	return nil
}

// pause waits until others have made some calls, or briefly with a store that locks, where they
// cannot.
func (r *recorder) pause() {
	timer := time.NewTimer(r.p.cfg.Patience)
	defer timer.Stop()
	for range 6 {
		select {
		case <-r.ended:
		case <-timer.C:
			return
		}
	}
}

func (r *recorder) take(c *client, i int, p plan) {
	ctx, cancel := context.WithCancel(r.p.ctx)
	defer cancel()
	o, ran := r.begin("Take", i), false
	w := wanted(0, ids-1)
	w.Rest = time.Minute
	err := c.Take(ctx, w, func(n *lease.Namespace, row *lease.Row, now lease.Clock) error {
		ran = true
		o.id = row.WorkerID
		o.namespace = r.seesNamespace(n, now)
		o.row = r.seesRow(row, now)
		err := r.decide(p, cancel)
		if !p.keep {
			o.namespace.wrote = r.writesNamespace(n, now)
		}
		o.row.wrote = r.writesRow(row, p, now)
		return err
	})
	r.end(o, ran, err)
}

func (r *recorder) change(c *client, i int, id int64, p plan) {
	ctx, cancel := context.WithCancel(r.p.ctx)
	defer cancel()
	o, ran := r.begin("Change", i), false
	err := c.Change(ctx, id, func(row *lease.Row, now lease.Clock) error {
		ran = true
		o.id = id
		o.row = r.seesRow(row, now)
		if err := r.decide(p, cancel); row == nil || err != nil {
			return errLook
		}
		o.row.wrote = r.writesRow(row, p, now)
		return nil
	})
	r.end(o, ran, err)
}

func (r *recorder) init(c *client, i int, p plan) {
	ctx, cancel := context.WithCancel(r.p.ctx)
	defer cancel()
	o, ran := r.begin("Init", i), false
	err := c.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
		ran = true
		o.namespace = r.seesNamespace(n, now)
		err := r.decide(p, cancel)
		o.namespace.wrote = r.writesNamespace(n, now)
		return err
	})
	r.end(o, ran, err)
}

// seesRow checks that a row was written as a whole, and not by a later clock.
func (r *recorder) seesRow(row *lease.Row, now lease.Clock) access {
	if row == nil || row.Fresh {
		return access{looked: true}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if was, found := r.rows[row.Nonce]; !found {
		r.p.errorf("there is a row that nobody has written: %+v", *row)
	} else if d := rowDiff(*row, was); d != "" {
		r.p.errorf("there is a row that nobody has written: %s", d)
	}
	r.sees(row.Renewed, now)
	return access{looked: true, saw: row.Nonce, wrote: row.Nonce}
}

func (r *recorder) seesNamespace(n *lease.Namespace, now lease.Clock) access {
	if n.Fresh {
		return access{looked: true}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if was, found := r.namespaces[n.Layout]; !found {
		r.p.errorf("there is a namespace that nobody has written: %+v", *n)
	} else if d := namespaceDiff(*n, was); d != "" {
		r.p.errorf("there is a namespace that nobody has written: %s", d)
	}
	r.sees(n.Renewed, now)
	return access{looked: true, saw: n.Layout, wrote: n.Layout}
}

func (r *recorder) sees(written time.Time, now lease.Clock) {
	if now.Now.Before(written.Add(-2 * now.Error)) {
		r.p.errorf("the Clock is at %v, what is offered with it was written at %v", now.Now, written)
	}
}

func (r *recorder) writesRow(row *lease.Row, p plan, now lease.Clock) (token string) {
	token = r.p.token()
	id := row.WorkerID
	until := now.Now.Add(-time.Hour)
	if p.held {
		until = now.Now.Add(time.Hour)
	}
	*row = lease.Row{
		WorkerID: id, Nonce: token, High: int64(len(token)) + now.Now.UnixMicro(), Until: until, Layout: "of " + token, Holder: fmt.Sprint("holder of ", token),
		Acquired: now.Now.Add(-time.Second), Renewed: now.Now, Reach: time.Duration(now.Now.Nanosecond()).Truncate(time.Microsecond), Fresh: row.Fresh,
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows[token] = *row
	return token
}

func (r *recorder) writesNamespace(n *lease.Namespace, now lease.Clock) (token string) {
	token = r.p.token()
	n.Layout, n.Floor, n.Rest, n.Made, n.Renewed = token, now.Now.UnixMicro(), now.Now.Add(-time.Minute), now.Now.Add(-time.Hour), now.Now
	r.mu.Lock()
	defer r.mu.Unlock()
	r.namespaces[token] = *n
	return token
}
