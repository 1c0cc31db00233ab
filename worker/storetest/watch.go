package storetest

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid/worker/lease"
)

// A client is a store under watch: it checks in each call what holds for every call.
type client struct {
	p     *probe
	store lease.Store
}

// Take calls the store's Take under watch.
func (c *client) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	k := call{p: c.p, name: "Take"}
	highest := w.Highest
	var asked []time.Time
	w.Highest = func(now time.Time) int64 {
		asked = append(asked, now)
		return highest(now)
	}
	return k.end(c.store.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
		return k.run(func() error {
			if n == nil || r == nil {
				c.p.errorf("Take offers namespace %v and row %v", n, r)
				return errNothing
			}
			k.clock(now)
			k.namespace(n)
			k.row(r)
			switch {
			case n.Fresh:
				c.p.errorf("Take offers a namespace that is Fresh")
			case r.WorkerID < w.IDs.First || r.WorkerID > w.IDs.Last:
				c.p.errorf("Take offers worker ID %d, wanted was one of %d to %d", r.WorkerID, w.IDs.First, w.IDs.Last)
			case !r.Fresh && !r.Until.Add(w.Rest+now.Error).Before(now.Now):
				c.p.errorf("Take offers worker ID %d until %v, wanted was one over for more than %v at %v, less %v", r.WorkerID, r.Until, w.Rest, now.Now, now.Error)
			}
			for _, at := range asked {
				if now.Now.Sub(at).Abs() > now.Error+limit {
					c.p.errorf("Highest was asked about %v, the Clock is at %v", at, now.Now)
				}
			}
			asked = nil
			return decide(n, r, now)
		})
	}))
}

// Change calls the store's Change under watch.
func (c *client) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	k := call{p: c.p, name: "Change"}
	return k.end(c.store.Change(ctx, id, func(r *lease.Row, now lease.Clock) error {
		return k.run(func() error {
			k.clock(now)
			if r != nil {
				k.row(r)
				if r.Fresh || r.WorkerID != id {
					c.p.errorf("Change of worker ID %d offers %+v", id, *r)
				}
			}
			return decide(r, now)
		})
	}))
}

// Init calls the store's Init under watch.
func (c *client) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	k := call{p: c.p, name: "Init"}
	return k.end(c.store.Init(ctx, func(n *lease.Namespace, now lease.Clock) error {
		return k.run(func() error {
			if n == nil {
				c.p.errorf("Init offers no namespace")
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
	c.p.secret("what Inspect says", strings.Join(lossy, "\n"))
	c.p.secrets("Inspect", err)
	return lossy, err
}

// Name calls the store's Name under watch.
func (c *client) Name() string {
	name := c.store.Name()
	c.p.secret("Name", name)
	return name
}

// errNothing is returned by a decision that gets nil.
var errNothing = errors.New("nothing is offered")

// A call is one of Take, Change or Init.
type call struct {
	p    *probe
	name string

	mu      sync.Mutex
	runs    int
	running bool
	over    bool
	last    error // what decide returned last
}

// run is one run of decide.
func (k *call) run(decide func() error) (err error) {
	k.mu.Lock()
	if k.running {
		k.p.errorf("%s runs decide twice at once", k.name)
	}
	if k.over {
		k.p.errorf("%s runs decide after it has returned", k.name)
	}
	k.runs++
	k.running = true
	k.mu.Unlock()
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.running, k.last = false, err
	}()
	return decide()
}

// end checks the call's error and returns it.
func (k *call) end(err error) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.over = true
	switch {
	case k.running:
		k.p.errorf("%s returns while decide runs", k.name)
	case err == nil && k.runs == 0:
		k.p.errorf("%s returned nil though decide has not run", k.name)
	case err == nil && k.last != nil:
		k.p.errorf("%s returned nil though decide returned: %v", k.name, k.last)
	case k.last != nil && !errors.Is(err, k.last):
		k.p.errorf("%s returned %v, which does not wrap what decide returned: %v", k.name, err, k.last)
	}
	k.p.secrets(k.name, err)
	return err
}

func (k *call) clock(c lease.Clock) {
	k.time("Clock.Now", c.Now)
	if c.Error < 0 {
		k.p.errorf("%s: the Clock's Error is %v", k.name, c.Error)
	}
}

func (k *call) time(name string, t time.Time) {
	if t.Location() != time.UTC || !t.Equal(t.Truncate(time.Microsecond)) {
		k.p.errorf("%s: %s is %v, which is not in UTC and whole microseconds", k.name, name, t)
	}
}

func (k *call) row(r *lease.Row) {
	k.time("Until", r.Until)
	k.time("Acquired", r.Acquired)
	k.time("Renewed", r.Renewed)
	if r.Fresh && (r.High != -1 || r.Nonce != "" || r.Layout != "" || r.Holder != "" || r.Reach != 0) {
		k.p.errorf("%s: the Fresh row is %+v, wanted is a High of -1 and nothing else", k.name, *r)
	}
}

func (k *call) namespace(n *lease.Namespace) {
	k.time("Rest", n.Rest)
	k.time("Made", n.Made)
	k.time("Renewed", n.Renewed)
	if n.Fresh && (n.Floor != -1 || n.Layout != "") {
		k.p.errorf("%s: the Fresh namespace is %+v, wanted is a Floor of -1 and no Layout", k.name, *n)
	}
}

// secrets looks for the secret in an error, and in all that it wraps.
func (p *probe) secrets(where string, err error) {
	if err == nil {
		return
	}
	p.secret("an error of "+where, err.Error())
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		p.secrets(where, e.Unwrap())
	case interface{ Unwrap() []error }:
		for _, err := range e.Unwrap() {
			p.secrets(where, err)
		}
	}
}

func (p *probe) secret(where, text string) {
	if p.Secret != "" && strings.Contains(text, p.Secret) {
		p.errorf("%s holds the secret: %s", where, strings.ReplaceAll(text, p.Secret, "***"))
	}
}

// longest is the longest Reach, in whole microseconds.
const longest = math.MaxInt64 / time.Microsecond * time.Microsecond
