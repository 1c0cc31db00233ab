package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/registry"
)

// A wrongRegistry is a Memory's, but for what is replaced here.
type wrongRegistry struct {
	*Registry
	namespaces func(r *Registry, ctx context.Context) ([]string, lease.Clock, error)
	namespace  func(r *Registry, name string) (lease.Store, error)
	rows       func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error)
	clients    wrong // of the namespaces
}

func (w wrongRegistry) Namespaces(ctx context.Context) ([]string, lease.Clock, error) {
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

// A misrule is a wrong registry, and the check that catches it.
type misrule struct {
	name     string
	caught   string
	registry wrongRegistry
}

const (
	byListed   = "Namespaces lists all"
	byOpened   = "Namespace is a store of leases"
	byRead     = "Rows reads what is there"
	byPages    = "Rows reads in pages"
	byUnlocked = "reading needs no lock"
	byEnded    = "contexts end calls of a registry"
)

// pages is wrong in the pages that Rows returns.
func pages(f func(m *Memory, p *registry.Page)) wrongRegistry {
	return wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
		page, err := r.Rows(ctx, namespace, above, most)
		page.Rows = slices.Clone(page.Rows)
		f(r.m, &page)
		return page, err
	}}
}

func misrules() []misrule {
	names := func(f func(m *Memory, names []string) []string) wrongRegistry {
		return wrongRegistry{namespaces: func(r *Registry, ctx context.Context) ([]string, lease.Clock, error) {
			names, now, err := r.Namespaces(ctx)
			return f(r.m, names), now, err
		}}
	}
	return []misrule{
		{"namespaces in no order", byListed, names(func(_ *Memory, names []string) []string { slices.Reverse(names); return names })},
		{"only namespaces with IDs", byListed, names(func(m *Memory, names []string) []string {
			return slices.DeleteFunc(names, func(name string) bool { _, found := m.Row(name, 3); return !found })
		})},
		{"only namespaces that are made", byListed, names(func(m *Memory, names []string) []string {
			return slices.DeleteFunc(names, func(name string) bool { _, found := m.Namespace(name); return !found })
		})},
		{"a namespace is listed once a row", byListed, names(func(m *Memory, names []string) (all []string) {
			for _, name := range names {
				all = append(all, name)
				if _, found := m.Row(name, 3); found {
					all = append(all, name)
				}
			}
			return all
		})},
		{"namespaces of which a name was heard", byListed, names(func(m *Memory, _ []string) []string {
			m.mu.Lock()
			defer m.mu.Unlock()
			return slices.Sorted(maps.Keys(m.spaces))
		})},
		{"no namespaces are an error", byListed, wrongRegistry{namespaces: func(r *Registry, ctx context.Context) ([]string, lease.Clock, error) {
			names, now, err := r.Namespaces(ctx)
			if len(names) == 0 {
				err = errors.New("no such table")
			}
			return names, now, err
		}}},
		{"Namespace makes the namespace", byOpened, wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			if _, found := r.m.Namespace(name); !found {
				r.m.SetNamespace(name, lease.Namespace{Given: -1, Floor: -1})
			}
			return r.Namespace(name)
		}}},
		{"each Namespace is on its own", byOpened, wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			return NewMemory(r.m.cfg).Store(name), nil
		}}},
		{"Namespace has a Name of its own", byOpened, wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			return wrong{Client: r.m.Store(name), name: "the registry's " + name}, nil
		}}},
		{"a name is refused with an error of its own", byOpened, wrongRegistry{namespace: func(r *Registry, name string) (lease.Store, error) {
			if len(name) > 64 {
				return nil, errors.New("data too long for column NAMESPACE")
			}
			return r.Namespace(name)
		}}},
		{"Rows forgets Holder", byRead, pages(func(_ *Memory, p *registry.Page) {
			for i := range p.Rows {
				p.Rows[i].Holder = ""
			}
		})},
		{"Rows forgets the namespace's IDs", byRead, pages(func(_ *Memory, p *registry.Page) { p.Namespace.IDs = lease.Range{} })},
		{"Rows forgets Given", byRead, pages(func(_ *Memory, p *registry.Page) { p.Namespace.Given = -1 })},
		{"Rows knows no missing namespace", byRead, pages(func(_ *Memory, p *registry.Page) { p.Namespace.Fresh = false })},
		{"Rows leaves out worker ID 0", byRead, wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			return r.Rows(ctx, namespace, max(above, 0), most)
		}}},
		{"Rows leaves out what is held", byRead, pages(func(_ *Memory, p *registry.Page) {
			p.Rows = slices.DeleteFunc(p.Rows, func(r lease.Row) bool { return r.Until.After(p.Clock.Now) })
		})},
		{"Rows reads all namespaces", byRead, pages(func(m *Memory, p *registry.Page) {
			if row, found := m.Row("suite-2", 2); found && len(p.Rows) > 1 {
				p.Rows = slices.Insert(p.Rows, 2, row)
			}
		})},
		{"Rows has the clock in nanoseconds", byRead, pages(func(_ *Memory, p *registry.Page) { p.Clock.Now = p.Clock.Now.Add(1) })},
		{"Rows has a clock without an Error", byRead, pages(func(_ *Memory, p *registry.Page) { p.Clock.Error = 0 })},
		{"Rows of rows without a namespace are none", byRead, pages(func(_ *Memory, p *registry.Page) {
			if p.Namespace.Fresh {
				p.Rows = nil
			}
		})},
		{"Rows of no namespace are an error", byRead, wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			page, err := r.Rows(ctx, namespace, above, most)
			if page.Namespace.Fresh && len(page.Rows) == 0 {
				err = errMissing
			}
			return page, err
		}}},
		{"a page has the row above which it is", byPages, wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			return r.Rows(ctx, namespace, above-1, most)
		}}},
		{"a page has one row too many", byPages, wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			return r.Rows(ctx, namespace, above, most+1)
		}}},
		{"a page has one row too few", byPages, wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			return r.Rows(ctx, namespace, above, max(1, most-1))
		}}},
		{"IDs are ordered as texts", byPages, pages(func(_ *Memory, p *registry.Page) {
			slices.SortFunc(p.Rows, func(a, b lease.Row) int {
				if fmt.Sprint(a.WorkerID) < fmt.Sprint(b.WorkerID) {
					return -1
				}
				return 1
			})
		})},
		{"a page after the last has no namespace", byPages, pages(func(_ *Memory, p *registry.Page) { p.Namespace.Fresh = len(p.Rows) == 0 })},
		{"Rows takes the lock", byUnlocked, wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			unlock, err := r.m.lock(ctx, namespace)
			if err != nil {
				return registry.Page{}, err
			}
			defer unlock()
			return r.Rows(ctx, namespace, above, most)
		}}},
		{"a call that ended has an error of its own", byEnded, wrongRegistry{namespaces: func(r *Registry, ctx context.Context) ([]string, lease.Clock, error) {
			names, now, err := r.Namespaces(ctx)
			if err != nil {
				err = errors.New("interrupted")
			}
			return names, now, err
		}}},
		{"errors of a registry tell the secret", byEnded, wrongRegistry{rows: func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error) {
			page, err := r.Rows(ctx, namespace, above, most)
			if err != nil {
				err = fmt.Errorf("dial root:tiger@db: %w", err)
			}
			return page, err
		}}},
	}
}

// Each wrong registry is caught by the check that is there for it.
func TestWrongRegistries(t *testing.T) {
	t.Parallel()
	for _, m := range misrules() {
		t.Run(m.name, func(t *testing.T) {
			clock := newHandClock()
			memory := NewMemory(MemoryConfig{Now: clock.Now, Error: 30 * time.Second, Versions: m.caught != byEnded && m.caught != byUnlocked})
			s := subject(memory, clock.Advance)
			s.Open = func(namespace string) (lease.Store, error) {
				w := m.registry.clients
				w.Client = memory.Store(namespace)
				return w, nil
			}
			s.Fault = func(store lease.Store, f Fault) bool { return fault(store.(wrong).Client, f) }
			s.Registry = func() (registry.Store, error) {
				w := m.registry
				w.Registry = memory.Registry()
				return w, nil
			}
			found := caughtBy(t, registryChecks, m.caught, s)
			require.NotEmpty(t, found)
			t.Log(found[0])
		})
	}
}

func TestEveryRegistryCheckCatches(t *testing.T) {
	t.Parallel()
	catches := map[string]int{}
	for _, m := range misrules() {
		catches[m.caught]++
	}
	for _, c := range registryChecks {
		require.Positive(t, catches[c.name], c.name)
	}
}
