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
	return m.Store.Take(ctx, w, m.meddle(decide))
}

// Change is as [lease.Store] has it.
func (m *meddled) Change(ctx context.Context, id int64, decide decision) error {
	return m.Store.Change(ctx, id, m.meddle(decide))
}

// meddle returns decide with what is done before and after it.
func (m *meddled) meddle(decide decision) decision {
	return func(ns *leasestore.Namespace, row *leasestore.Row, now leasestore.Clock) error {
		if len(m.offered) > 0 {
			do := m.offered[0]
			m.offered = m.offered[1:]
			do(row)
		}
		err := decide(ns, row, now)
		m.runs++
		if len(m.decided) > 0 {
			do := m.decided[0]
			m.decided = m.decided[1:]
			do()
		}
		return err
	}
}
