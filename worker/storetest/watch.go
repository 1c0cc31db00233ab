package storetest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// A client is a store under watch: it checks in each call what holds for every call.
type client struct {
	p     *probe
	store lease.Store
}

// Take calls the store's Take under watch.
func (c *client) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	k := c.p.call("Take")
	w, asked := k.asks(w)
	return k.End(c.store.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
		return k.Run(func() error {
			if n == nil || r == nil {
				c.p.Errorf("Take offers namespace %v and row %v", n, r)
				return errNothing
			}
			k.offers(w, n, r, now)
			asked(now)
			return decide(n, r, now)
		})
	}))
}

// asks returns what is wanted, and what checks at which times the store has asked for Highest.
func (k *call) asks(w lease.Wanted) (lease.Wanted, func(lease.Clock)) {
	highest := w.Highest
	var asked []time.Time
	w.Highest = func(now time.Time) int64 {
		asked = append(asked, now)
		return highest(now)
	}
	return w, func(now lease.Clock) {
		for _, at := range asked {
			if now.Now.Sub(at).Abs() > now.Error+suite.Limit {
				k.p.Errorf("Highest was asked about %v, the Clock is at %v", at, now.Now)
			}
		}
		asked = nil
	}
}

// offers checks a row that is offered to who wants one.
func (k *call) offers(w lease.Wanted, n *lease.Namespace, r *lease.Row, now lease.Clock) {
	k.clock(now)
	k.namespace(n)
	k.row(r)
	switch {
	case n.Fresh:
		k.p.Errorf("%s offers a namespace that is Fresh", k.Name())
	case r.WorkerID < w.IDs.First || r.WorkerID > w.IDs.Last:
		k.p.Errorf("%s offers worker ID %d, wanted was one of %d to %d", k.Name(), r.WorkerID, w.IDs.First, w.IDs.Last)
	case n.IDs != (lease.Range{}) && (r.WorkerID < n.IDs.First || r.WorkerID > n.IDs.Last):
		k.p.Errorf("%s offers worker ID %d, the namespace has %v", k.Name(), r.WorkerID, n.IDs)
	case !r.Until.Add(w.Rest + now.Error).Before(now.Now):
		k.p.Errorf("%s offers worker ID %d until %v, wanted was one over for more than %v at %v, less %v", k.Name(), r.WorkerID, r.Until, w.Rest, now.Now, now.Error)
	}
}

// Change calls the store's Change under watch.
func (c *client) Change(ctx context.Context, id int64, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	k := c.p.call("Change")
	return k.End(c.store.Change(ctx, id, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
		return k.Run(func() error {
			k.clock(now)
			if n == nil || n.Fresh {
				c.p.Errorf("Change offers no namespace that is there: %+v", n)
				return errNothing
			}
			k.namespace(n)
			if r != nil {
				k.row(r)
				if r.WorkerID != id {
					c.p.Errorf("Change of worker ID %d offers %+v", id, *r)
				}
			}
			return decide(n, r, now)
		})
	}))
}

// Init calls the store's Init under watch.
func (c *client) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	k := c.p.call("Init")
	return k.End(c.store.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
		return k.Run(func() error {
			if n == nil {
				c.p.Errorf("Init offers no namespace")
				return errNothing
			}
			k.clock(now)
			k.namespace(n)
			return decide(n, now)
		})
	}))
}

// Inspect calls the store's Inspect under watch.
func (c *client) Inspect(ctx context.Context) ([]string, error) {
	lossy, err := c.store.Inspect(ctx)
	c.p.NoSecret("what Inspect says", strings.Join(lossy, "\n"))
	c.p.NoSecrets("Inspect", err)
	return lossy, err
}

// Durable calls the store's Durable.
func (c *client) Durable() bool { return c.store.Durable() }

// Name calls the store's Name under watch.
func (c *client) Name() string {
	name := c.store.Name()
	c.p.NoSecret("Name", name)
	return name
}

// errNothing is returned by a decision that gets nil.
var errNothing = errors.New("nothing is offered")

// A call is one of a store's methods under watch.
type call struct {
	*suite.Call
	p *probe
}

func (p *probe) call(name string) *call { return &call{Call: p.Call(name), p: p} }

func (k *call) clock(c lease.Clock) {
	k.time("Clock.Now", c.Now)
	if c.Error < 0 {
		k.p.Errorf("%s: the Clock's Error is %v", k.Name(), c.Error)
	}
}

func (k *call) time(name string, t time.Time) {
	if t.Location() != time.UTC || !t.Equal(t.Truncate(time.Microsecond)) {
		k.p.Errorf("%s: %s is %v, which is not in UTC and whole microseconds", k.Name(), name, t)
	}
}

func (k *call) row(r *lease.Row) {
	k.time("Until", r.Until)
	k.time("Acquired", r.Acquired)
	k.time("Renewed", r.Renewed)
}

func (k *call) namespace(n *lease.Namespace) {
	k.time("Made", n.Made)
	k.time("Renewed", n.Renewed)
	if n.Fresh && (n.Floor != -1 || n.Layout != "") {
		k.p.Errorf("%s: the Fresh namespace is %+v, wanted is a Floor of -1 and no Layout", k.Name(), *n)
	}
	if n.Given < -1 {
		k.p.Errorf("%s: the namespace's Given is %d", k.Name(), n.Given)
	}
}
