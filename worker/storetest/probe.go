package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

const (
	// limit bounds a check, and each of its waits.
	limit = time.Minute
	// most is how many violations a check reports.
	most = 10
)

// A probe is one run of a check.
type probe struct {
	Subject
	cfg Config
	ctx context.Context

	mu         sync.Mutex
	violations []string
	notes      []string
	namespaces int
	tokens     int
}

// stopped ends a check that cannot go on.
type stopped struct{}

func newProbe(ctx context.Context, cfg Config, s Subject) *probe {
	return &probe{Subject: s, cfg: cfg, ctx: ctx}
}

// on runs the check.
func (c check) on(p *probe) {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	p.ctx = ctx
	p.guarded(func() { c.run(p) })
}

// guarded runs part of a check, until the end or a stop.
func (p *probe) guarded(f func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stopped); !ok {
				panic(r)
			}
		}
	}()
	f()
}

// errorf records that the store breaks the contract.
func (p *probe) errorf(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.violations) < most {
		p.violations = append(p.violations, fmt.Sprintf(format, args...))
	}
}

// fatalf does so too, and ends the check, or the part of it that each runs.
func (p *probe) fatalf(format string, args ...any) {
	p.errorf(format, args...)
	panic(stopped{})
}

func (p *probe) notef(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// found returns the violations.
func (p *probe) found() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.violations)
}

// each runs f n times at once, and waits for all.
func (p *probe) each(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { p.guarded(func() { f(i) }) })
	}
	all.Wait()
}

// namespace returns a name that the check has not used.
func (p *probe) namespace() string {
	p.namespaces++
	return fmt.Sprintf("suite-%d", p.namespaces)
}

// open returns a new client of a namespace.
func (p *probe) open(namespace string) *client {
	s, err := p.Subject.Open(namespace)
	if err != nil {
		p.fatalf("Open(%q): %v", namespace, err)
	}
	return &client{p: p, store: s}
}

// made returns a client of a new namespace.
func (p *probe) made() (c *client, namespace string) {
	namespace = p.namespace()
	c = p.open(namespace)
	c.create()
	return c, namespace
}

// token returns a text that the check has not used, of the form of a nonce.
func (p *probe) token() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tokens++
	return fmt.Sprintf("%026d", p.tokens)
}

// errLook is returned by decisions that only look.
var errLook = errors.New("only a look")

// look calls do, whose decision only looks. That has no outcome, so it tries again while the
// store's errors may pass.
func (c *client) look(do func(ctx context.Context) error) {
	for {
		err := do(c.p.ctx)
		if errors.Is(err, errLook) {
			return
		}
		if !retry.IsTransient(err) || c.p.ctx.Err() != nil {
			c.p.fatalf("a look came to: %v", err)
		}
	}
}

// row returns the row of a worker ID, which may not be there, and the clock.
func (c *client) row(id int64) (row lease.Row, found bool, now lease.Clock) {
	c.look(func(ctx context.Context) error {
		return c.Change(ctx, id, func(r *lease.Row, clock lease.Clock) error {
			if row, found, now = (lease.Row{}), r != nil, clock; found {
				row = *r
			}
			return errLook
		})
	})
	return row, found, now
}

// namespace returns what is common to all rows, Fresh if it is not there.
func (c *client) namespace() (namespace lease.Namespace) {
	c.look(func(ctx context.Context) error {
		return c.Init(ctx, func(n *lease.Namespace, _ lease.Clock) error {
			namespace = *n
			return errLook
		})
	})
	return namespace
}

// now returns the store's clock.
func (c *client) now() time.Time {
	_, _, clock := c.row(0)
	return clock.Now
}

// create makes the namespace.
func (c *client) create() {
	err := c.Init(c.p.ctx, func(n *lease.Namespace, now lease.Clock) error {
		n.Layout, n.Made, n.Renewed = "made by the suite", now.Now, now.Now
		return nil
	})
	if err != nil {
		c.p.fatalf("Init of a new namespace: %v", err)
	}
}

// wanted asks for any row of a range.
func wanted(first, last int64) lease.Wanted {
	return lease.Wanted{IDs: lease.Range{First: first, Last: last}, Highest: func(time.Time) int64 { return math.MaxInt64 }}
}

// put writes rows of IDs that have none.
func (c *client) put(rows ...lease.Row) {
	for _, row := range rows {
		err := c.Take(c.p.ctx, wanted(row.WorkerID, row.WorkerID), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			if !r.Fresh || r.WorkerID != row.WorkerID {
				return fmt.Errorf("offered was %+v, wanted was worker ID %d, which has no row", *r, row.WorkerID)
			}
			*r = row
			r.Fresh = true // as it was passed: stores ignore it
			return nil
		})
		if err != nil {
			c.p.fatalf("Take of worker ID %d alone: %v", row.WorkerID, err)
		}
	}
}

// set writes the row of an ID that has one.
func (c *client) set(row lease.Row) {
	err := c.Change(c.p.ctx, row.WorkerID, func(r *lease.Row, _ lease.Clock) error {
		if r == nil {
			return fmt.Errorf("worker ID %d has no row", row.WorkerID)
		}
		*r = row
		return nil
	})
	if err != nil {
		c.p.fatalf("Change of worker ID %d: %v", row.WorkerID, err)
	}
}

// offers returns the row that Take offers, and leaves it as it is.
func (c *client) offers(w lease.Wanted) (offered lease.Row, err error) {
	c.look(func(ctx context.Context) error {
		err = c.Take(ctx, w, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			offered = *r
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
