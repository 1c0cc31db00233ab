package storetest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// A probe is one run of a check.
type probe struct {
	*suite.Probe
	Subject
	namespaces int
}

func newProbe(ctx context.Context, settings suite.Settings, s Subject) *probe {
	if s.Open == nil && s.Registry != nil {
		s.Open = func(namespace string) (lease.Store, error) {
			all, err := s.Registry()
			if err != nil {
				return nil, err
			}
			return all.Namespace(namespace)
		}
	}
	return &probe{Probe: suite.NewProbe(ctx, settings, s.Secret), Subject: s}
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
		p.Fatalf("Open(%q): %v", namespace, err)
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

// errLook is returned by decisions that only look.
var errLook = suite.ErrLook

// row returns the row of a worker ID, which may not be there, and the clock.
func (c *client) row(id int64) (row lease.Row, found bool, now lease.Clock) {
	c.p.Look(func() error {
		return c.Change(c.p.Ctx, id, func(_ *lease.Namespace, r *lease.Row, clock lease.Clock) error {
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
	c.p.Look(func() error {
		return c.Init(c.p.Ctx, func(n *lease.Namespace, _ lease.Clock) error {
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
	err := c.Init(c.p.Ctx, func(n *lease.Namespace, now lease.Clock) error {
		n.Layout, n.Made, n.Renewed = "made by the suite", now.Now, now.Now
		return nil
	})
	if err != nil {
		c.p.Fatalf("Init of a new namespace: %v", err)
	}
}

// wanted asks for any row of a range.
func wanted(first, last int64) lease.Wanted {
	return lease.Wanted{IDs: lease.Range{First: first, Last: last}, Highest: func(time.Time) int64 { return math.MaxInt64 }}
}

// put writes rows of IDs that are new, in ascending order. IDs between them never get a row.
func (c *client) put(rows ...lease.Row) {
	for _, row := range rows {
		err := c.Take(c.p.Ctx, wanted(row.WorkerID, row.WorkerID), func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			if !r.Unused() || r.WorkerID != row.WorkerID {
				return fmt.Errorf("offered was %+v, wanted was worker ID %d, which is new", *r, row.WorkerID)
			}
			*r = row
			return nil
		})
		if err != nil {
			c.p.Fatalf("Take of worker ID %d alone: %v", row.WorkerID, err)
		}
	}
}

// set writes the row of an ID that has one.
func (c *client) set(row lease.Row) {
	err := c.Change(c.p.Ctx, row.WorkerID, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
		if r == nil {
			return fmt.Errorf("worker ID %d has no row", row.WorkerID)
		}
		*r = row
		return nil
	})
	if err != nil {
		c.p.Fatalf("Change of worker ID %d: %v", row.WorkerID, err)
	}
}

// offers returns the row that Take offers, and leaves it as it is.
func (c *client) offers(w lease.Wanted) (offered lease.Row, err error) {
	c.p.Look(func() error {
		err = c.Take(c.p.Ctx, w, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
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
