package segmenttest

import (
	"fmt"
	"maps"

	"github.com/uidgen/uid/internal/segmentstore"
)

// What others do to a store: servers, people, and programs that know nothing of Takers.

// Row returns the row of a tag as it is now, Fresh when there is none.
func (m *Memory) Row(tag string) segmentstore.Row {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.record(tag).Row
}

// SetRow writes a row, whoever may be using it, even if it is none as [segmentstore.Row] says. A Fresh
// one is removed.
func (m *Memory) SetRow(row segmentstore.Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if row.Fresh {
		delete(m.rows, row.Tag)
		return
	}
	m.store(record{Row: copied(&row)})
}

// Lower sets the next number of a tag that has a row, and nothing else of it, as people do with the
// tools of an engine; one below 0 removes it.
func (m *Memory) Lower(tag string, next int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(tag)
	if r.Fresh || m.down {
		return fmt.Errorf("segmenttest: no number of tag %q can be lowered", tag)
	}
	if r.Next = next; next < 0 {
		r.Row = segmentstore.Row{Tag: tag, Fresh: true, Writes: r.Writes, Floor: r.Floor, Takers: r.Takers}
	}
	m.put(r)
	return nil
}

// Foreign draws n numbers as a program does that knows nothing of Takers, and returns the first.
func (m *Memory) Foreign(tag string, n int64) (first int64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.record(tag)
	if r.Fresh || m.down {
		return 0, fmt.Errorf("segmenttest: no numbers of tag %q can be drawn", tag)
	}
	first = r.Next
	r.Next += n
	m.store(r)
	return first, nil
}

// Outage begins or ends an outage: all calls of all clients fail, and nothing is stored.
func (m *Memory) Outage(begins bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = begins
}

// Deliver stores the writes that Delay has held back, in their order, except those whose rows
// were written since.
func (m *Memory) Deliver() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.late {
		if m.rows[r.Tag].version == r.version {
			m.store(r)
		}
	}
	m.late = nil
}

// Backup returns a function that puts everything back as it is now: what was written since is
// lost, as in a failover to a server that lagged behind. Decisions on rows read before that are
// refused, even if the same rows were put back.
func (m *Memory) Backup() (restore func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	rows := maps.Clone(m.rows)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.late = nil
		m.version++ // also for what is put back
		m.rows = maps.Clone(rows)
		for tag, r := range m.rows {
			r.version = m.version
			m.rows[tag] = r
		}
	}
}
