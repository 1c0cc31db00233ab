package storetest

import (
	"context"
	"maps"
	"slices"
	"time"

	namespaces "github.com/uidgen/uid/internal/namespace"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// A Registry is a [registry.Store]: all namespaces of a Memory. Make it with [Memory.Registry].
type Registry struct {
	m *Memory

	faults suite.Queue[Fault]
}

var _ registry.Store = (*Registry)(nil)

// Registry returns a new client of all namespaces, as if for another process. It creates nothing.
func (m *Memory) Registry() *Registry { return &Registry{m: m} }

// Fault sets the faults of the client's next calls of Namespaces, Rows and Prune, one for each,
// after those that are set already. Those that only read are just refused. Later calls succeed
// again.
func (r *Registry) Fault(next ...Fault) { r.faults.Add(next...) }

// Namespaces implements [registry.Store].
func (r *Registry) Namespaces(ctx context.Context) (names []string, now lease.Clock, err error) {
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
	page, _ := r.m.page(namespace, above, most, func(lease.Row, lease.Clock) bool { return true })
	return page, nil
}

// Prune implements [registry.Store].
func (r *Registry) Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) (removed []int64, err error) {
	fault := r.faults.Next()
	if !r.m.cfg.Versions {
		unlock, err := r.m.lock(ctx, namespace)
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	for {
		r.m.mu.Lock()
		err := r.m.refused(ctx, fault)
		page, read := r.m.page(namespace, above, most, func(row lease.Row, now lease.Clock) bool {
			return row.Until.Add(old + now.Error).Before(now.Now)
		})
		r.m.mu.Unlock()
		if err != nil {
			return nil, err
		}
		ids, err := decide(page)
		if err != nil || page.Namespace.Fresh {
			return nil, err
		}
		for id := range read.rows {
			if !slices.Contains(ids, id) {
				delete(read.rows, id)
			}
		}
		if removed, stored, err := r.m.prune(namespace, read.rows, fault); stored || err != nil {
			return removed, err
		}
	}
}

// page reads a page of the rows to keep, and the versions in it. The caller holds m.mu.
func (m *Memory) page(name string, above int64, most int, keep func(lease.Row, lease.Clock) bool) (page registry.Page, read space) {
	s, now := m.space(name), m.now()
	page = registry.Page{Namespace: lease.Namespace{Floor: -1, Fresh: true}, Clock: now}
	if read.namespace = s.namespace; read.namespace != nil {
		page.Namespace = s.namespace.value
	}
	read.rows = map[int64]record[lease.Row]{}
	for _, id := range slices.Sorted(maps.Keys(s.rows)) {
		if row := s.rows[id]; id > above && len(page.Rows) < most && keep(row.value, now) {
			page.Rows, read.rows[id] = append(page.Rows, row.value), row
		}
	}
	return page, read
}

// prune removes those rows that are still as they were read, and raises the namespace's Floor to
// the largest High among them, unless the namespace is gone.
func (m *Memory) prune(name string, read map[int64]record[lease.Row], fault Fault) (removed []int64, stored bool, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.space(name)
	switch {
	case m.down || fault == LoseWrite || fault == Delay:
		return nil, false, errLost
	case s.namespace == nil:
		return nil, false, nil
	}
	own := s.namespace.value
	for _, id := range slices.Sorted(maps.Keys(read)) {
		if s.rows[id].version == read[id].version {
			removed, own.Floor = append(removed, id), max(own.Floor, read[id].value.High)
			delete(s.rows, id)
		}
	}
	if len(removed) > 0 {
		m.store(&change{space: s, namespace: &record[lease.Namespace]{value: own}})
	}
	if fault == LoseReply {
		return nil, true, errLost
	}
	return removed, true, nil
}
