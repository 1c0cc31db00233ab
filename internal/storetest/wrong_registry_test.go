package storetest

import (
	"cmp"
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
	rows       func(r *Registry, ctx context.Context, of string, above int64, most int) (page, error)
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

func (w wrongRegistry) Rows(ctx context.Context, namespace string, above int64, most int) (page, error) {
	if w.rows != nil {
		return w.rows(w.Registry, ctx, namespace, above, most)
	}
	return w.Registry.Rows(ctx, namespace, above, most)
}

type page = registry.Page

// pages is wrong in the pages that Rows returns.
func pages(f func(m *Memory, p *page)) wrongRegistry {
	return wrongRegistry{rows: func(r *Registry, ctx context.Context, of string, above int64, most int) (page, error) {
		is, err := r.Rows(ctx, of, above, most)
		is.Rows = slices.Clone(is.Rows)
		f(r.m, &is)
		return is, err
	}}
}

// rowsFail is wrong in the errors that Rows returns.
func rowsFail(f func(is page, err error) error) wrongRegistry {
	return wrongRegistry{rows: func(r *Registry, ctx context.Context, of string, above int64, most int) (page, error) {
		is, err := r.Rows(ctx, of, above, most)
		return is, f(is, err)
	}}
}

// asks is wrong in which rows it asks for.
func asks(f func(above *int64, most *int)) wrongRegistry {
	return wrongRegistry{rows: func(r *Registry, ctx context.Context, of string, above int64, most int) (page, error) {
		f(&above, &most)
		return r.Rows(ctx, of, above, most)
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
		"namespaces in no order": names(func(_ *Memory, all []string) []string { slices.Reverse(all); return all }),
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
		"no namespaces are an error": {namespaces: func(r *Registry, ctx context.Context) ([]string, clock, error) {
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
		"Namespace has a Name of its own": {namespace: func(r *Registry, name string) (lease.Store, error) {
			return wrongStore{Client: r.m.Store(name), name: "the registry's " + name}, nil
		}},
		"a refused name has its own error": {namespace: func(r *Registry, name string) (lease.Store, error) {
			if len(name) > 64 {
				return nil, errors.New("data too long for column NAMESPACE")
			}
			return r.Namespace(name)
		}},
		"Rows forgets Holder": pages(func(_ *Memory, p *page) {
			for i := range p.Rows {
				p.Rows[i].Holder = ""
			}
		}),
		"Rows forgets the namespace's IDs": pages(func(_ *Memory, p *page) { p.Namespace.IDs = lease.Range{} }),
		"Rows forgets Given":               pages(func(_ *Memory, p *page) { p.Namespace.Given = -1 }),
		"Rows knows no missing namespace":  pages(func(_ *Memory, p *page) { p.Namespace.Fresh = false }),
		"Rows leaves out worker ID 0":      asks(func(above *int64, _ *int) { *above = max(*above, 0) }),
		"Rows leaves out what is held": pages(func(_ *Memory, p *page) {
			p.Rows = slices.DeleteFunc(p.Rows, func(r row) bool { return r.Until.After(p.Clock.Now) })
		}),
		"Rows reads all namespaces": pages(func(m *Memory, p *page) {
			if row, found := m.Row("suite-2", 4); found && len(p.Rows) > 1 {
				p.Rows = slices.Insert(p.Rows, 2, row)
			}
		}),
		"Rows has the clock in nanoseconds": pages(func(_ *Memory, p *page) { p.Clock.Now = p.Clock.Now.Add(1) }),
		"Rows has a clock without an Error": pages(func(_ *Memory, p *page) { p.Clock.Error = 0 }),
		"Rows of rows without a namespace are none": pages(func(_ *Memory, p *page) {
			if p.Namespace.Fresh {
				p.Rows = nil
			}
		}),
		"Rows of no namespace are an error": rowsFail(func(is page, err error) error {
			if is.Namespace.Fresh && len(is.Rows) == 0 {
				return errMissing
			}
			return err
		}),
		"a page has the row above which it is": asks(func(above *int64, _ *int) { *above-- }),
		"a page has one row too many":          asks(func(_ *int64, most *int) { *most++ }),
		"a page has one row too few":           asks(func(_ *int64, most *int) { *most = max(1, *most-1) }),
		"IDs are ordered as texts": pages(func(_ *Memory, p *page) {
			slices.SortFunc(p.Rows, func(a, b row) int {
				return cmp.Compare(fmt.Sprint(a.WorkerID), fmt.Sprint(b.WorkerID))
			})
		}),
		"a page after the last has no namespace": pages(func(_ *Memory, p *page) {
			p.Namespace.Fresh = len(p.Rows) == 0
		}),
		"Rows takes the lock": {rows: func(
			r *Registry, ctx context.Context, of string, above int64, most int,
		) (page, error) {
			unlock, err := r.m.lock(ctx, of)
			if err != nil {
				return page{}, err
			}
			defer unlock()
			return r.Rows(ctx, of, above, most)
		}},
		"an ended call has its own error": {
			namespaces: func(r *Registry, ctx context.Context) ([]string, clock, error) {
				names, now, err := r.Namespaces(ctx)
				if err != nil {
					err = errors.New("interrupted")
				}
				return names, now, err
			},
		},
		"errors of a registry tell the secret": rowsFail(func(_ page, err error) error {
			if err != nil {
				return fmt.Errorf("dial root:tiger@db: %w", err)
			}
			return nil
		}),
	}
}
