package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/worker/lease"
)

// A wrongRegistry is a Memory's, but for what is replaced here.
type wrongRegistry struct {
	*Registry
	namespaces func(r *Registry, ctx context.Context) ([]string, clock, error)
	namespace  func(r *Registry, name string) (lease.Store, error)
	rows       func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error)
}

func (w wrongRegistry) Namespaces(ctx context.Context) ([]string, clock, error) {
	if w.namespaces != nil {
		return w.namespaces(w.Registry, ctx)
	}
	return w.Registry.Namespaces(ctx)
}

func (w wrongRegistry) Namespace(name string) (lease.Store, error) {
	if w.namespace != nil {
		return w.namespace(w.Registry, name)
	}
	return w.Registry.Namespace(name)
}

func (w wrongRegistry) Rows(ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
	if w.rows != nil {
		return w.rows(w.Registry, ctx, namespace, above, most)
	}
	return w.Registry.Rows(ctx, namespace, above, most)
}

// pages is wrong in the pages that Rows returns.
func pages(f func(m *Memory, p *registry.Page)) wrongRegistry {
	return wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
		page, err := r.Rows(ctx, namespace, above, most)
		page.Rows = slices.Clone(page.Rows)
		f(r.m, &page)
		return page, err
	}}
}

// asks is wrong in which rows it asks for.
func asks(which func(above int64, most int) (int64, int)) wrongRegistry {
	return wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
		above, most = which(above, most)
		return r.Rows(ctx, namespace, above, most)
	}}
}

func registries() map[string]wrongRegistry {
	names := func(f func(m *Memory, names []string) []string) wrongRegistry {
		return wrongRegistry{namespaces: func(r *Registry, ctx context.Context) ([]string, clock, error) {
			names, now, err := r.Namespaces(ctx)
			return f(r.m, names), now, err
		}}
	}
	return map[string]wrongRegistry{
		"namespaces in no order": names(func(_ *Memory, names []string) []string { slices.Reverse(names); return names }),
		"only namespaces with IDs": names(func(m *Memory, names []string) []string {
			return slices.DeleteFunc(names, func(name string) bool { _, found := m.Row(name, 3); return !found })
		}),
		"only namespaces that are made": names(func(m *Memory, names []string) []string {
			return slices.DeleteFunc(names, func(name string) bool { _, found := m.Namespace(name); return !found })
		}),
		"a namespace is listed once a row": names(func(m *Memory, names []string) (all []string) {
			for _, name := range names {
				all = append(all, name)
				if _, found := m.Row(name, 3); found {
					all = append(all, name)
				}
			}
			return all
		}),
		"namespaces of which a name was heard": names(func(m *Memory, _ []string) []string {
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.Sorted(maps.Keys(m.spaces))
		}),
		"no namespaces are an error": wrongRegistry{namespaces: func(r *Registry, ctx context.Context) ([]string, clock, error) {
			names, now, err := r.Namespaces(ctx)
			if len(names) == 0 {
				err = errors.New("no such table")
			}
			return names, now, err
		}},
		"Namespace makes the namespace": wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			if _, found := r.m.Namespace(name); !found {
				r.m.SetNamespace(name, common{Given: -1, Floor: -1})
			}
			return r.Namespace(name)
		}},
		"each Namespace is on its own": wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			return NewMemory(r.m.cfg).Store(name), nil
		}},
		"Namespace has a Name of its own": wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			return wrongStore{Client: r.m.Store(name), name: "the registry's " + name}, nil
		}},
		"a name is refused with an error of its own": wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			if len(name) > 64 {
				return nil, errors.New("data too long for column NAMESPACE")
			}
			return r.Namespace(name)
		}},
		"Rows forgets Holder": pages(func(_ *Memory, p *registry.Page) {
			for i := range p.Rows {
				p.Rows[i].Holder = ""
			}
		}),
		"Rows forgets the namespace's IDs": pages(func(_ *Memory, p *registry.Page) { p.Namespace.IDs = lease.Range{} }),
		"Rows forgets Given":               pages(func(_ *Memory, p *registry.Page) { p.Namespace.Given = -1 }),
		"Rows knows no missing namespace":  pages(func(_ *Memory, p *registry.Page) { p.Namespace.Fresh = false }),
		"Rows leaves out worker ID 0":      asks(func(above int64, most int) (int64, int) { return max(above, 0), most }),
		"Rows leaves out what is held": pages(func(_ *Memory, p *registry.Page) {
			p.Rows = slices.DeleteFunc(p.Rows, func(r row) bool { return r.Until.After(p.Clock.Now) })
		}),
		"Rows reads all namespaces": pages(func(m *Memory, p *registry.Page) {
			if row, found := m.Row("suite-2", 4); found && len(p.Rows) > 1 {
				p.Rows = slices.Insert(p.Rows, 2, row)
			}
		}),
		"Rows has the clock in nanoseconds": pages(func(_ *Memory, p *registry.Page) { p.Clock.Now = p.Clock.Now.Add(1) }),
		"Rows has a clock without an Error": pages(func(_ *Memory, p *registry.Page) { p.Clock.Error = 0 }),
		"Rows of rows without a namespace are none": pages(func(_ *Memory, p *registry.Page) {
			if p.Namespace.Fresh {
				p.Rows = nil
			}
		}),
		"Rows of no namespace are an error": wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			page, err := r.Rows(ctx, namespace, above, most)
			if page.Namespace.Fresh && len(page.Rows) == 0 {
				err = errMissing
			}
			return page, err
		}},
		"a page has the row above which it is": asks(func(above int64, most int) (int64, int) { return above - 1, most }),
		"a page has one row too many":          asks(func(above int64, most int) (int64, int) { return above, most + 1 }),
		"a page has one row too few":           asks(func(above int64, most int) (int64, int) { return above, max(1, most-1) }),
		"IDs are ordered as texts": pages(func(_ *Memory, p *registry.Page) {
			slices.SortFunc(p.Rows, func(a, b row) int {
				if fmt.Sprint(a.WorkerID) < fmt.Sprint(b.WorkerID) {
					return -1
				}
				return 1
			})
		}),
		"a page after the last has no namespace": pages(func(_ *Memory, p *registry.Page) { p.Namespace.Fresh = len(p.Rows) == 0 }),
		"Rows takes the lock": wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			unlock, err := r.m.lock(ctx, namespace)
			if err != nil {
				return registry.Page{}, err
			}
			defer unlock()
			return r.Rows(ctx, namespace, above, most)
		}},
		"a call that ended has an error of its own": wrongRegistry{namespaces: func(r *Registry, ctx context.Context) ([]string, clock, error) {
			names, now, err := r.Namespaces(ctx)
			if err != nil {
				err = errors.New("interrupted")
			}
			return names, now, err
		}},
		"errors of a registry tell the secret": wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			page, err := r.Rows(ctx, namespace, above, most)
			if err != nil {
				err = fmt.Errorf("dial root:tiger@db: %w", err)
			}
			return page, err
		}},
	}
}
