package lease_test

import (
	"context"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/worker/lease"
)

type decision = func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error

// A meddled store has something done to it in the middle of the next calls of Take and Change.
type meddled struct {
	lease.Store
	offered []func(row *leasestore.Row) // to what is offered, before decide sees it; once each
	decided []func()                    // after decide has run, and before the outcome is stored; once each
	runs    int                         // of decide
}

// Take is as [lease.Store] has it.
func (m *meddled) Take(ctx context.Context, w leasestore.Wanted, decide decision) error {
	return m.Store.Take(ctx, w, func(ns *leasestore.Namespace, row *leasestore.Row, now leasestore.Clock) error {
		m.offer(row)
		err := decide(ns, row, now)
		m.decide()
		return err
	})
}

// Change is as [lease.Store] has it.
func (m *meddled) Change(ctx context.Context, id int64, decide decision) error {
	return m.Store.Change(ctx, id, func(ns *leasestore.Namespace, row *leasestore.Row, now leasestore.Clock) error {
		m.offer(row)
		err := decide(ns, row, now)
		m.decide()
		return err
	})
}

func (m *meddled) offer(row *leasestore.Row) {
	if len(m.offered) > 0 {
		do := m.offered[0]
		m.offered = m.offered[1:]
		do(row)
	}
}

func (m *meddled) decide() {
	m.runs++
	if len(m.decided) > 0 {
		do := m.decided[0]
		m.decided = m.decided[1:]
		do()
	}
}
