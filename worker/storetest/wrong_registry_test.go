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

type pruneDecision = func(registry.Page) ([]int64, error)

// A wrongRegistry is a Memory's, but for what is replaced here.
type wrongRegistry struct {
	*Registry
	namespaces func(r *Registry, ctx context.Context) ([]string, lease.Clock, error)
	namespace  func(r *Registry, name string) (lease.Store, error)
	rows       func(r *Registry, ctx context.Context, namespace string, above int64, most int) (registry.Page, error)
	prune      func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error)
	clients    wrong // of the namespaces
}

// pruneArgs are those of a Prune.
type pruneArgs struct {
	namespace string
	above     int64
	most      int
	old       time.Duration
	decide    pruneDecision
}

func (a pruneArgs) on(r *Registry, ctx context.Context) ([]int64, error) {
	return r.Prune(ctx, a.namespace, a.above, a.most, a.old, a.decide)
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

func (w wrongRegistry) Prune(ctx context.Context, namespace string, above int64, most int, old time.Duration, decide func(registry.Page) ([]int64, error)) ([]int64, error) {
	a := pruneArgs{namespace, above, most, old, decide}
	if w.prune != nil {
		return w.prune(w.Registry, ctx, a)
	}
	return a.on(w.Registry, ctx)
}

// A misrule is a wrong registry, and the check that catches it.
type misrule struct {
	name     string
	caught   string
	registry wrongRegistry
}

const (
	byListed    = "Namespaces lists all"
	byOpened    = "Namespace is a store of leases"
	byRead      = "Rows reads what is there"
	byPages     = "Rows reads in pages"
	byUnlocked  = "reading needs no lock"
	byEnded     = "contexts end calls of a registry"
	byOld       = "Prune offers what is old"
	byPruned    = "Prune removes what decide names"
	byWhole     = "Prune stores all or nothing"
	byTick      = "Prune loses no last tick"
	byUnchanged = "Prune spares what has changed"
	byBefore    = "decisions from before a Prune"
	byLatePrune = "late writes after a Prune"
	byPrunes    = "Prunes at once"
	byOwners    = "Prunes among owners"
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

// asks is wrong in what it asks of a Prune.
func asks(f func(m *Memory, a *pruneArgs)) wrongRegistry {
	return wrongRegistry{prune: func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error) {
		f(r.m, &a)
		return a.on(r, ctx)
	}}
}

// removes is wrong in how it removes: it gets what decide agreed to, and no lock.
func removes(f func(ctx context.Context, m *Memory, namespace string, page registry.Page, ids []int64) ([]int64, error)) wrongRegistry {
	return wrongRegistry{prune: func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error) {
		var page registry.Page
		var ids []int64
		decided := errors.New("decided")
		decide := a.decide
		a.decide = func(p registry.Page) (_ []int64, err error) {
			if page = p; p.Namespace.Fresh {
				return decide(p)
			}
			if ids, err = decide(p); err != nil {
				return nil, err
			}
			return nil, decided
		}
		removed, err := a.on(r, ctx)
		if !errors.Is(err, decided) {
			return removed, err
		}
		return f(ctx, r.m, a.namespace, page, ids)
	}}
}

// compares removes a row if same says that it is as it was read.
func compares(same func(now, read lease.Row) bool) wrongRegistry {
	return removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, ids []int64) (removed []int64, _ error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		s := m.space(namespace)
		for _, row := range page.Rows {
			now, found := s.rows[row.WorkerID]
			if found && slices.Contains(ids, row.WorkerID) && same(now.value, row) {
				m.drop(s, row)
				removed = append(removed, row.WorkerID)
			}
		}
		return removed, nil
	})
}

// drop removes a row and raises the floor. The caller holds m.mu.
func (m *Memory) drop(s *space, row lease.Row) {
	delete(s.rows, row.WorkerID)
	own := s.namespace.value
	own.Floor = max(own.Floor, row.High)
	m.store(&change{space: s, namespace: &record[lease.Namespace]{value: own}})
}

func misrules() []misrule {
	return slices.Concat(wrongReads(), wrongPrunes())
}

func wrongReads() []misrule {
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
				r.m.SetNamespace(name, lease.Namespace{Floor: -1})
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
		{"Rows tells that a namespace is Used", byRead, pages(func(_ *Memory, p *registry.Page) { p.Namespace.Used = !p.Namespace.Fresh && len(p.Rows) > 0 })},
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
		{"a Prune does not end with its context", byEnded, wrongRegistry{prune: func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error) {
			return a.on(r, context.WithoutCancel(ctx))
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

func wrongPrunes() []misrule {
	always := func(now, read lease.Row) bool { return true }
	return []misrule{
		{"Prune offers what is over", byOld, asks(func(_ *Memory, a *pruneArgs) { a.old = 0 })},
		{"Prune offers what is over for exactly that long", byOld, asks(func(_ *Memory, a *pruneArgs) { a.old -= time.Microsecond })},
		{"Prune does not mind the Error of the clock", byOld, asks(func(m *Memory, a *pruneArgs) { a.old -= m.cfg.Error })},
		{"Prune waits for longer than that", byOld, asks(func(_ *Memory, a *pruneArgs) { a.old += time.Hour })},
		{"Prune offers all pages at once", byOld, asks(func(_ *Memory, a *pruneArgs) { a.above = -1 })},
		{"Prune offers one row a page", byOld, asks(func(_ *Memory, a *pruneArgs) { a.most = 1 })},
		{"Prune offers what was released", byOld, asks(func(_ *Memory, a *pruneArgs) {
			decide := a.decide
			a.decide = func(p registry.Page) ([]int64, error) {
				p.Rows = slices.DeleteFunc(slices.Clone(p.Rows), func(r lease.Row) bool { return r.Nonce != "" })
				return decide(p)
			}
		})},
		{"Prune does not tell the namespace", byOld, asks(func(_ *Memory, a *pruneArgs) {
			decide := a.decide
			a.decide = func(p registry.Page) ([]int64, error) {
				p.Namespace = lease.Namespace{Fresh: p.Namespace.Fresh}
				return decide(p)
			}
		})},
		{"Prune removes all that it offers", byPruned, asks(func(_ *Memory, a *pruneArgs) {
			decide := a.decide
			a.decide = func(p registry.Page) ([]int64, error) { _, err := decide(p); return idsOf(p.Rows), err }
		})},
		{"Prune removes what it has not offered", byPruned, removes(func(_ context.Context, m *Memory, namespace string, _ registry.Page, ids []int64) (removed []int64, _ error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			s := m.space(namespace)
			for _, id := range ids {
				if row, found := s.rows[id]; found {
					m.drop(s, row.value)
					removed = append(removed, id)
				}
			}
			return removed, nil
		})},
		{"Prune does not raise the Floor", byPruned, removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, ids []int64) (removed []int64, _ error) {
			for _, r := range page.Rows {
				if slices.Contains(ids, r.WorkerID) {
					m.RemoveRow(namespace, r.WorkerID)
					removed = append(removed, r.WorkerID)
				}
			}
			return removed, nil
		})},
		{"Prune raises the Floor to the last row's High", byPruned, removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, ids []int64) (removed []int64, _ error) {
			for _, r := range page.Rows {
				if slices.Contains(ids, r.WorkerID) {
					m.RemoveRow(namespace, r.WorkerID)
					own, _ := m.Namespace(namespace)
					own.Floor = r.High
					m.SetNamespace(namespace, own)
					removed = append(removed, r.WorkerID)
				}
			}
			return removed, nil
		})},
		{"Prune raises the Floor to the High of all that it offers", byPruned, removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, ids []int64) (removed []int64, _ error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			s := m.space(namespace)
			for _, r := range page.Rows {
				m.drop(s, r)
				if slices.Contains(ids, r.WorkerID) {
					removed = append(removed, r.WorkerID)
				} else {
					m.store(&change{space: s, row: &record[lease.Row]{value: r}, id: r.WorkerID})
				}
			}
			return removed, nil
		})},
		{"Prune returns nothing", byPruned, wrongRegistry{prune: func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error) {
			_, err := a.on(r, ctx)
			return nil, err
		}}},
		{"Prune marks rows as removed", byPruned, removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, ids []int64) (removed []int64, _ error) {
			for _, r := range page.Rows {
				if slices.Contains(ids, r.WorkerID) {
					own, _ := m.Namespace(namespace)
					own.Floor = max(own.Floor, r.High)
					m.SetNamespace(namespace, own)
					m.SetRow(namespace, lease.Row{WorkerID: r.WorkerID, High: -1, Layout: "removed"})
					removed = append(removed, r.WorkerID)
				}
			}
			return removed, nil
		})},
		{"Prune removes what decide refused to", byWhole, asks(func(_ *Memory, a *pruneArgs) {
			decide := a.decide
			a.decide = func(p registry.Page) ([]int64, error) {
				ids, err := decide(p)
				if err != nil && len(ids) > 0 {
					err = nil
				}
				return ids, err
			}
		})},
		{"a Prune whose context ends removes rows alone", byWhole, removes(func(ctx context.Context, m *Memory, namespace string, page registry.Page, ids []int64) (removed []int64, _ error) {
			for _, r := range page.Rows {
				if slices.Contains(ids, r.WorkerID) {
					m.RemoveRow(namespace, r.WorkerID)
				}
			}
			if ctx.Err() != nil {
				return nil, ended(ctx)
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, r := range page.Rows {
				if slices.Contains(ids, r.WorkerID) {
					m.drop(m.space(namespace), r)
					removed = append(removed, r.WorkerID)
				}
			}
			return removed, nil
		})},
		{"Prune makes a namespace for its Floor", byTick, wrongRegistry{prune: func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error) {
			if _, found := r.m.Namespace(a.namespace); !found {
				r.m.SetNamespace(a.namespace, lease.Namespace{Floor: -1})
			}
			return a.on(r, ctx)
		}}},
		{"Prune removes rows without a namespace", byTick, wrongRegistry{prune: func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error) {
			decide := a.decide
			var ids []int64
			a.decide = func(p registry.Page) (_ []int64, err error) {
				ids, err = decide(p)
				return ids, err
			}
			removed, err := a.on(r, ctx)
			if _, found := r.m.Namespace(a.namespace); !found && err == nil {
				for _, id := range ids {
					r.m.RemoveRow(a.namespace, id)
				}
			}
			return removed, err
		}}},
		{"Prune removes rows whatever became of them", byUnchanged, compares(always)},
		{"Prune compares nonces alone", byUnchanged, compares(func(now, read lease.Row) bool { return now.Nonce == read.Nonce })},
		{"Prune compares nonces and ends alone", byUnchanged, compares(func(now, read lease.Row) bool { return now.Nonce == read.Nonce && now.Until.Equal(read.Until) })},
		{"Prune compares nonces and last ticks alone", byUnchanged, compares(func(now, read lease.Row) bool { return now.Nonce == read.Nonce && now.High == read.High })},
		{"Prune compares last ticks and ends alone", byUnchanged, wrongRegistry{prune: compares(func(now, read lease.Row) bool { return now.High == read.High && now.Until.Equal(read.Until) }).prune}},
		{"Prune says that it has removed what it spared", byUnchanged, wrongRegistry{prune: func(r *Registry, ctx context.Context, a pruneArgs) ([]int64, error) {
			decide := a.decide
			var ids []int64
			a.decide = func(p registry.Page) (_ []int64, err error) {
				ids, err = decide(p)
				return ids, err
			}
			_, err := compares(func(now, read lease.Row) bool { return rowDiff(now, read) == "" }).prune(r, ctx, a)
			return ids, err
		}}},
		{"Prune does not stop a Take that has decided", byBefore, silent()},
		{"Prune writes the namespace as it was", byBefore, removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, ids []int64) ([]int64, error) {
			own := page.Namespace
			for _, r := range page.Rows {
				if slices.Contains(ids, r.WorkerID) {
					m.RemoveRow(namespace, r.WorkerID)
					own.Floor = max(own.Floor, r.High)
				}
			}
			m.SetNamespace(namespace, own)
			return ids, nil
		})},
		{"Prune does not stop a late Take", byLatePrune, silent()},
		{"two Prunes remove the same row", byPrunes, removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, ids []int64) ([]int64, error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			for _, r := range page.Rows {
				if slices.Contains(ids, r.WorkerID) {
					m.drop(m.space(namespace), r)
				}
			}
			return ids, nil
		})},
		{"Prune removes rows whatever became of them, among owners", byOwners, compares(always)},
		{"the Floor is not raised, among owners", byOwners, removes(func(_ context.Context, m *Memory, namespace string, page registry.Page, _ []int64) (removed []int64, _ error) {
			m.mu.Lock()
			defer m.mu.Unlock()
			s := m.space(namespace)
			for _, r := range page.Rows {
				if now := s.rows[r.WorkerID]; rowDiff(now.value, r) == "" {
					delete(s.rows, r.WorkerID)
					removed = append(removed, r.WorkerID)
				}
			}
			return removed, nil
		})},
	}
}

// silent prunes as it should, but neither that nor a Take gives the namespace a new version.
func silent() wrongRegistry {
	quietly := func(m *Memory, namespace string, call func(decided func()) error) error {
		var version int64
		own := func(do func(own *record[lease.Namespace])) {
			m.mu.Lock()
			defer m.mu.Unlock()
			if own := m.space(namespace).namespace; own != nil {
				do(own)
			}
		}
		err := call(func() { own(func(own *record[lease.Namespace]) { version = own.version }) })
		if err == nil {
			own(func(own *record[lease.Namespace]) { own.version = version })
		}
		return err
	}
	return wrongRegistry{
		prune: func(r *Registry, ctx context.Context, a pruneArgs) (removed []int64, err error) {
			err = quietly(r.m, a.namespace, func(decided func()) error {
				decide := a.decide
				a.decide = func(p registry.Page) ([]int64, error) {
					ids, err := decide(p)
					decided()
					return ids, err
				}
				removed, err = a.on(r, ctx)
				return err
			})
			return removed, err
		},
		clients: wrong{take: func(c *Client, ctx context.Context, w lease.Wanted, decide takeDecision) error {
			return quietly(c.m, c.namespace, func(decided func()) error {
				return c.Take(ctx, w, func(n *lease.Namespace, r *lease.Row, now lease.Clock) error {
					defer decided()
					return decide(n, r, now)
				})
			})
		}},
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
