package lease_test

import (
	"context"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/worker/lease"
)

type (
	decision = func(*storage.Namespace, *storage.Lease, storage.Clock) error
	offer    = func(*storage.Namespace, *storage.Lease)
)

// A meddled store fails as it is told, and has something done to it in the middle of the next calls of Take and Change.
type meddled struct {
	lease.Store
	inspect func(n int) error                      // the error of the n-th call, from 1; nil for none
	call    func(ctx context.Context, n int) error // the same of Take and Change together
	offered []offer                                // to what is offered, before decide sees it; once each
	decided []func()                               // after decide has run, and before the outcome is stored; once each
	asked   int                                    // calls of Inspect
	called  int                                    // calls of Take and Change
	runs    int                                    // of decide
}

// Inspect is as [lease.Store] has it.
func (m *meddled) Inspect(ctx context.Context) ([]string, error) {
	m.asked++
	if m.inspect != nil {
		if err := m.inspect(m.asked); err != nil {
			return nil, err
		}
	}
	return m.Store.Inspect(ctx)
}

// Take is as [lease.Store] has it.
func (m *meddled) Take(ctx context.Context, w storage.Wanted, decide decision) error {
	if err := m.fail(ctx); err != nil {
		return err
	}
	return m.Store.Take(ctx, w, m.meddle(decide))
}

// Change is as [lease.Store] has it.
func (m *meddled) Change(ctx context.Context, id int64, decide decision) error {
	if err := m.fail(ctx); err != nil {
		return err
	}
	return m.Store.Change(ctx, id, m.meddle(decide))
}

func (m *meddled) fail(ctx context.Context) error {
	m.called++
	if m.call == nil {
		return nil
	}
	return m.call(ctx, m.called)
}

// meddle returns decide with what is done before and after it.
func (m *meddled) meddle(decide decision) decision {
	return func(ns *storage.Namespace, row *storage.Lease, now storage.Clock) error {
		if len(m.offered) > 0 {
			do := m.offered[0]
			m.offered = m.offered[1:]
			do(ns, row)
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
