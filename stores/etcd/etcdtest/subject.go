package etcdtest

import (
	"context"
	"sync"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/storetest"
)

// Subject returns what [storetest.Run] runs on: open returns a new client of a namespace, whose
// connection has the options of f. Its Open, Fault and Deliver are set, and the caller sets what
// else the store is able to.
func Subject(open func(namespace string, f *Faults) (lease.Store, error)) storetest.Subject {
	var mu sync.Mutex
	var all []*Faults
	return storetest.Subject{
		Open: func(namespace string) (lease.Store, error) {
			f := new(Faults)
			l, err := open(namespace, f)
			if err != nil {
				return nil, err
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, f)
			return &faulty{Store: l, calls: calls{faults: f}}, nil
		},
		Fault: func(client lease.Store, fault storetest.Fault) bool {
			client.(*faulty).set(fault)
			return true
		},
		Deliver: func() {
			mu.Lock()
			defer mu.Unlock()
			for _, f := range all {
				f.Deliver()
			}
		},
	}
}

// A faulty store has a fault for its next call, and none for the calls after that.
type faulty struct {
	lease.Store
	calls
}

// Calls have faults.
type calls struct {
	faults *Faults
	mu     sync.Mutex
	next   storetest.Fault
}

func (c *calls) set(fault storetest.Fault) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = fault
}

func (c *calls) call(do func() error) error {
	c.mu.Lock()
	fault := c.next
	c.next = storetest.OK
	c.mu.Unlock()
	c.faults.Set(fault)
	defer c.faults.Set(storetest.OK)
	return do()
}

func (s *faulty) Take(ctx context.Context, w lease.Wanted, decide func(*lease.Namespace, *lease.Row, lease.Clock) error) error {
	return s.call(func() error { return s.Store.Take(ctx, w, decide) })
}

func (s *faulty) Change(ctx context.Context, id int64, decide func(*lease.Row, lease.Clock) error) error {
	return s.call(func() error { return s.Store.Change(ctx, id, decide) })
}

func (s *faulty) Init(ctx context.Context, decide func(*lease.Namespace, lease.Clock) error) error {
	return s.call(func() error { return s.Store.Init(ctx, decide) })
}
