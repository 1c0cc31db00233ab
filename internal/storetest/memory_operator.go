package storetest

import (
	"maps"

	"github.com/uidgen/uid/internal/leasestore"
)

// What people do to a store by hand, bypassing the protocol.

// Row returns the row of a worker ID as it is now.
func (m *Memory) Row(namespace string, id int64) (row leasestore.Row, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, found := m.space(namespace).rows[id]
	return r.value, found
}

// SetRow writes a row of a worker ID, whoever may have it.
func (m *Memory) SetRow(namespace string, row leasestore.Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store(&change{space: m.space(namespace), row: &record[leasestore.Row]{value: row}, id: row.WorkerID})
}

// RemoveRow deletes the row of a worker ID.
func (m *Memory) RemoveRow(namespace string, id int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.space(namespace).rows, id)
}

// Namespace returns a namespace as it is now.
func (m *Memory) Namespace(name string) (namespace leasestore.Namespace, found bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.space(name).namespace
	if n == nil {
		return namespace, false
	}
	return n.value, true
}

// SetNamespace writes a namespace, whoever may be using it.
func (m *Memory) SetNamespace(name string, namespace leasestore.Namespace) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store(&change{space: m.space(name),
		namespace: &record[leasestore.Namespace]{value: namespace}, given: namespace.Given})
}

// RemoveNamespace deletes a namespace, and leaves the rows of its IDs.
func (m *Memory) RemoveNamespace(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.space(name).namespace = nil
}

// LoseHistory has the store tell another history, as after a crash in which nothing was lost.
func (m *Memory) LoseHistory() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.history++
}

// Backup returns a function that puts everything back as it is now: what was written since is
// lost, as in a failover to a server that lagged behind. Decisions on values read before that are
// refused, even if the same values were put back.
func (m *Memory) Backup() (restore func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	backup := map[string]space{}
	for name, s := range m.spaces {
		backup[name] = space{namespace: s.namespace, rows: maps.Clone(s.rows)}
	}
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.late, m.history = nil, m.history+1
		for name, s := range m.spaces {
			s.namespace, s.rows = nil, map[int64]record[leasestore.Row]{}
			m.version++ // also for what is put back
			if n := backup[name].namespace; n != nil {
				s.namespace = &record[leasestore.Namespace]{n.value, m.version}
			}
			for id, r := range backup[name].rows {
				s.rows[id] = record[leasestore.Row]{r.value, m.version}
			}
		}
	}
}
