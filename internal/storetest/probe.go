package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker"
)

var errMissing = worker.ErrNoNamespace

// A probe is one run of a check.
type probe struct {
	*suite.Probe
	Subject

	mu         sync.Mutex
	made       int               // how many names of namespaces were used
	rows       map[string]row    // by their texts
	namespaces map[string]common // by their texts
	told       map[string]bool   // histories of clocks
	spaces     map[string]*space // by namespace, as they are since so many sets of the model
	sets       int
	last       clock
	raced      atomic.Bool   // in steps, a Take has run again, or failed: there may be more rows than it was to make
	behind     time.Duration // how far a Clock may be behind what was written by it
}

func newProbe(ctx context.Context, settings suite.Settings, s Subject) *probe {
	p := &probe{Probe: suite.NewProbe(ctx, settings, s.Secret), Subject: s}
	p.rows, p.namespaces, p.told = map[string]row{}, map[string]common{}, map[string]bool{}
	p.spaces = map[string]*space{}
	p.Brief = brief
	p.Passes = func(err error) bool {
		// A store that tries again may find no row by then.
		return suite.Passes(err) || !p.Alone() && (errors.Is(err, uid.ErrNoWorkerID) || errors.Is(err, errMissing))
	}
	return p
}

func (p *probe) latest() clock {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// name returns the name of a namespace that the check has not used.
func (p *probe) name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.made++
	return fmt.Sprintf("suite-%d", p.made)
}

// open returns a new client of a namespace.
func (p *probe) open(namespace string) *client {
	s, err := p.Subject.Open(namespace)
	if err != nil {
		p.Fatalf("Open(%q): %v", namespace, err)
	}
	return &client{p: p, store: s, namespace: namespace}
}

// stocked returns two clients of a new namespace that has some rows.
func (p *probe) stocked(rows ...row) (c, other *client) {
	c = p.open(p.name())
	c.init(func(*common) {})
	c.put(rows...)
	return c, p.open(c.namespace)
}

// A way is one in which a call decides. It has the namespace or a row or both.
type way struct {
	name string
	call func(c *client, ctx context.Context, decide decision) error
}

type (
	common   = storage.Namespace // to all rows of a namespace
	row      = storage.Lease
	clock    = storage.Clock
	wish     = storage.Wanted
	decision = func(*common, *row, clock) error
)

// ways are for a namespace that was stocked with rows of 0 and 1, of which the second is over.
var ways = []way{
	{"Change", func(c *client, ctx context.Context, decide decision) error {
		return c.Change(ctx, 0, func(_ *common, r *row, now clock) error { return decide(nil, r, now) })
	}},
	{"Change of both", func(c *client, ctx context.Context, decide decision) error { return c.Change(ctx, 0, decide) }},
	{"Take", func(c *client, ctx context.Context, decide decision) error { return c.Take(ctx, wanted(1, 1), decide) }},
	{"Take of a new ID", func(c *client, ctx context.Context, decide decision) error {
		first := int64(2)
		for id := range c.space().rows {
			first = max(first, id+1)
		}
		return c.Take(ctx, wanted(first, 1<<40), decide)
	}},
	inits,
}

var inits = way{"Init", func(c *client, ctx context.Context, decide decision) error {
	return c.Init(ctx, func(n *common, now clock) error { return decide(n, nil, now) })
}}

// base are the rows that ways are for. They have no nonce, as if they were released.
func base() []row { return []row{{WorkerID: 0, Until: late}, {WorkerID: 1, Until: early}} }

// stamp is a decision that writes something new to all that it has, and checks that the clock was read after what is
// there.
func (p *probe) stamp(n *common, r *row, now clock) error {
	token := p.Token()
	if n != nil {
		p.wrote("a namespace", n.Renewed, now)
		n.Layout, n.Floor, n.History, n.Renewed = token, n.Floor+1, token[16:], now.Now
	}
	if r != nil {
		p.wrote("a row", r.Renewed, now)
		r.Nonce, r.High, r.Renewed = token, r.High+1, now.Now
		if r.Until.Before(late) {
			r.Until = now.Now.Add(-time.Hour)
		}
	}
	return nil
}

// becomes is a decision that writes a row, where there is one.
func becomes(is row) decision {
	return func(_ *common, r *row, _ clock) error {
		if r == nil {
			return errNothing
		}
		*r = is
		return nil
	}
}

// look is a decision that writes nothing.
func look(*common, *row, clock) error { return suite.ErrLook }

// way is one of a client, whose decisions are stamps.
func (c *client) way(w way) suite.Way {
	return suite.Way{Name: w.name, Call: func(ctx context.Context, at func()) error {
		return w.call(c, ctx, func(n *common, r *row, now clock) error { at(); return c.p.stamp(n, r, now) })
	}}
}

// fault makes a client's next call fail, if the store can.
func (p *probe) fault(c *client, f Fault) bool {
	can := p.Subject.Fault != nil && (f != Delay || p.Deliver != nil) && p.Subject.Fault(c.store, f)
	return p.Can(can, f.String())
}

// removed notes that people have removed a row, or a namespace.
func (p *probe) removed(key string, remove func() error) {
	if err := remove(); err != nil {
		p.Fatalf("%s could not be removed: %v", key, err)
	}
	p.Model.Set(key, "")
}
