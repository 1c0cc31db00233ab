package storetest

import (
	"context"
	"maps"
	"slices"

	"github.com/uidgen/uid/internal/leasestore"
	namespaces "github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
)

// A Registry is a [registry.Store]: all namespaces of a Memory. Make it with [Memory.Registry].
type Registry struct {
	m *Memory

	faults suite.Queue[Fault]
}

var _ registry.Store = (*Registry)(nil)

// Registry returns a new client of all namespaces, as if for another process. It creates nothing.
func (m *Memory) Registry() *Registry { return &Registry{m: m} }

// Fault sets the faults of the client's next calls of Namespaces and Rows, one for each, after those
// that are set already. They only read: all but Refuse leaves them alone. Later calls succeed again.
func (r *Registry) Fault(next ...Fault) { r.faults.Add(next...) }

// Namespaces implements [registry.Store].
func (r *Registry) Namespaces(ctx context.Context) (names []string, now leasestore.Clock, err error) {
	fault := r.faults.Next()
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	if err := r.m.refused(ctx, fault); err != nil {
		return nil, now, err
	}
	for name, s := range r.m.spaces {
		if s.namespace != nil || len(s.rows) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, r.m.now(), nil
}

// Namespace implements [registry.Store]. It takes the names that a database takes.
func (r *Registry) Namespace(name string) (lease.Store, error) {
	name, err := namespaces.Resolve(name)
	if err != nil {
		return nil, err
	}
	return r.m.Store(name), nil
}

// Rows implements [registry.Store].
func (r *Registry) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	fault := r.faults.Next()
	r.m.mu.Lock()
	defer r.m.mu.Unlock()
	if err := r.m.refused(ctx, fault); err != nil {
		return registry.Page{}, err
	}
	s := r.m.space(namespace)
	page := registry.Page{Namespace: leasestore.Namespace{Given: -1, Floor: -1, Fresh: true}, Clock: r.m.now()}
	if s.namespace != nil {
		page.Namespace = s.namespace.value
	}
	for _, id := range slices.Sorted(maps.Keys(s.rows)) {
		if id > above && len(page.Rows) < most {
			page.Rows = append(page.Rows, s.rows[id].value)
		}
	}
	return page, nil
}
