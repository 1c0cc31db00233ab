package registry_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/lease"
)

// memory is a registry.NodeStore for tests.
type memory struct {
	mu         sync.Mutex
	now        time.Time
	error      time.Duration         // of the clock
	namespaces map[string]*namespace // nil: the place is not there
	nodes      *registry.NodeInfo
	fails      []error // of the next calls
	refuses    error   // all names
	writes     int
}

type namespace struct {
	memory *memory
	name   string
	own    *leasestore.Namespace
	rows   map[int64]leasestore.Row
}

// call locks the store, and returns the error that the call is to fail with.
func (m *memory) call() (unlock func(), err error) {
	m.mu.Lock()
	if len(m.fails) > 0 {
		err, m.fails = m.fails[0], m.fails[1:]
	}
	return m.mu.Unlock, err
}

func (m *memory) clock() leasestore.Clock { return leasestore.Clock{Now: m.now, Error: m.error} }

func (m *memory) Namespaces(context.Context) ([]string, leasestore.Clock, error) {
	unlock, err := m.call()
	defer unlock()
	if err == nil && m.namespaces == nil {
		err = worker.ErrNoNamespace
	}
	return slices.Sorted(maps.Keys(m.namespaces)), m.clock(), err
}

func (m *memory) Namespace(name string) (lease.Store, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuses != nil {
		return nil, m.refuses
	}
	if ns := m.namespaces[name]; ns != nil {
		return ns, nil
	}
	return &namespace{memory: m, name: name, rows: map[int64]leasestore.Row{}}, nil
}

func (m *memory) page(name string, above int64, most int) registry.Page {
	p := registry.Page{Clock: m.clock(), Namespace: leasestore.Namespace{Given: -1, Fresh: true}}
	ns := m.namespaces[name]
	if ns == nil {
		return p
	}
	if ns.own != nil {
		p.Namespace = *ns.own
	}
	for _, id := range slices.Sorted(maps.Keys(ns.rows)) {
		if row := ns.rows[id]; id > above && len(p.Rows) < most {
			p.Rows = append(p.Rows, row)
		}
	}
	return p
}

func (m *memory) Rows(_ context.Context, name string, above int64, most int) (registry.Page, error) {
	unlock, err := m.call()
	defer unlock()
	return m.page(name, above, most), err
}

func (m *memory) Nodes(context.Context) (registry.NodeInfo, bool, error) {
	unlock, err := m.call()
	defer unlock()
	if m.nodes == nil {
		return registry.NodeInfo{}, false, err
	}
	return *m.nodes, true, err
}

func (ns *namespace) Take(context.Context, leasestore.Wanted, func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error) error {
	panic("a registry takes no lease")
}

func (ns *namespace) Change(_ context.Context, id int64, decide func(*leasestore.Namespace, *leasestore.Row, leasestore.Clock) error) error {
	unlock, err := ns.memory.call()
	defer unlock()
	if err != nil {
		return err
	}
	if ns.own == nil {
		return worker.ErrNoNamespace
	}
	row, found := ns.rows[id]
	if !found {
		own := *ns.own
		return decide(&own, nil, ns.memory.clock())
	}
	if err := decide(ns.own, &row, ns.memory.clock()); err != nil {
		return err
	}
	ns.rows[id] = row
	ns.memory.writes++
	return nil
}

func (ns *namespace) Init(_ context.Context, decide func(*leasestore.Namespace, leasestore.Clock) error) error {
	unlock, err := ns.memory.call()
	defer unlock()
	if err != nil {
		return err
	}
	own := leasestore.Namespace{Given: -1, Floor: -1, Fresh: true}
	if ns.own != nil {
		own = *ns.own
	}
	for id := range ns.rows {
		own.Given = max(own.Given, id)
	}
	if err := decide(&own, ns.memory.clock()); err != nil {
		return err
	}
	own.Fresh = false
	if ns.memory.namespaces == nil {
		ns.memory.namespaces = map[string]*namespace{}
	}
	ns.memory.namespaces[ns.name], ns.own = ns, &own
	ns.memory.writes++
	return nil
}

func (ns *namespace) Inspect(context.Context) ([]string, error) { return nil, nil }
func (*namespace) Durable() bool                                { return false }
func (ns *namespace) Name() string                              { return "namespace " + ns.name + " of a test" }
