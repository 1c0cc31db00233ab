package storetest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/worker/lease"
)

// subject is a store over a driver of a database in memory, or that database itself, whose clock a test turns.
func subject(m *drivers.Memory, d stores.Driver, turn func(time.Duration)) Subject {
	return Over(drivers.Database{
		Open:    func() (stores.Driver, error) { return d, nil },
		Remove:  func(key string) error { m.Set(key, ""); return nil },
		Advance: turn,
		Backup:  m.Backup,
		Secret:  "tiger",
	})
}

// finds returns what a check finds.
func finds(t *testing.T, c check, open func() Subject) []string {
	return suite.Finds(t, c, func(t *testing.T) *probe {
		return newProbe(t.Context(), suite.Settings{Histories: 30, Seed: 1}.OrDefaults(), open())
	})
}

// newHandClock goes when it is turned.
func newHandClock() *fake.Clock {
	return fake.NewFrozenClock(time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC))
}

// A right store passes all checks, in no real time, whether it locks or not. Its clock runs or stands, or is of clients
// that are off by as much as the store says: each reading is of another one then.
func TestRight(t *testing.T) {
	t.Parallel()
	const off = 30 * time.Second
	random := func() time.Time { return time.Now().Add(rand.N(2*off) - off) }
	for name, open := range map[string]func() Subject{
		"a clock that runs": func() Subject { m := &drivers.Memory{}; return subject(m, m, nil) },
		"a clock that stands": func() Subject {
			clock := newHandClock()
			m := &drivers.Memory{Now: clock.Now, Error: off}
			return subject(m, m, clock.Step)
		},
		"many clocks": func() Subject {
			m := &drivers.Memory{Now: random, Error: off, Lasting: true}
			return subject(m, m, nil)
		},
		"locks": func() Subject {
			clock := newHandClock()
			m := NewMemory(MemoryConfig{Now: clock.Now})
			s := subject(m.Memory, m.Memory, clock.Step)
			s.Open = func(namespace string) (lease.Store, error) { return m.Store(namespace), nil }
			s.Registry = func() (registry.Store, error) { return m.Registry(), nil }
			s.Fault = func(c lease.Store, f Fault) bool { c.(*Client).faults.Set(f); return true }
			s.Deliver = func() { m.Deliver() }
			return s
		},
	} {
		for _, c := range slices.Concat(checks, registryChecks) {
			t.Run(name+"/"+c.Name, func(t *testing.T) { require.Empty(t, finds(t, c, open)) })
		}
	}
}

// A wrong store is a right one, but for what is replaced here.
type wrong struct {
	lease.Store
	name    string
	wants   func(*wish)
	decides func(r *row, decide func() error) error
	call    func(ctx context.Context, do func(context.Context) error) error
}

func (w wrong) Name() string {
	if w.name != "" {
		return w.name
	}
	return w.Store.Name()
}

func (w wrong) calls(ctx context.Context, do func(context.Context) error) error {
	if w.call == nil {
		return do(ctx)
	}
	return w.call(ctx, do)
}

func (w wrong) decision(decide decision) decision {
	if w.decides == nil {
		return decide
	}
	return func(n *common, r *row, now clock) error {
		return w.decides(r, func() error { return decide(n, r, now) })
	}
}

func (w wrong) Take(ctx context.Context, wants wish, decide decision) error {
	if w.wants != nil {
		w.wants(&wants)
	}
	return w.calls(ctx, func(ctx context.Context) error { return w.Store.Take(ctx, wants, w.decision(decide)) })
}

func (w wrong) Change(ctx context.Context, id int64, decide decision) error {
	return w.calls(ctx, func(ctx context.Context) error { return w.Store.Change(ctx, id, w.decision(decide)) })
}

func (w wrong) Init(ctx context.Context, decide func(*common, clock) error) error {
	one := w.decision(func(n *common, _ *row, now clock) error { return decide(n, now) })
	return w.calls(ctx, func(ctx context.Context) error {
		return w.Store.Init(ctx, func(n *common, now clock) error { return one(n, nil, now) })
	})
}

// wrongRegistry is wrong in what it returns.
type wrongRegistry struct {
	registry.Store
	name  string // of a namespace's store
	names func([]string)
	rows  func(p *registry.Page, err *error)
}

func (w wrongRegistry) Namespace(name string) (lease.Store, error) {
	s, err := w.Store.Namespace(name)
	return wrong{Store: s, name: w.name}, err
}

func (w wrongRegistry) Namespaces(ctx context.Context) ([]string, clock, error) {
	names, now, err := w.Store.Namespaces(ctx)
	if w.names != nil {
		w.names(names)
	}
	return names, now, err
}

func (w wrongRegistry) Rows(ctx context.Context, of string, above int64, most int) (registry.Page, error) {
	p, err := w.Store.Rows(ctx, of, above, most)
	if w.rows != nil {
		w.rows(&p, &err)
	}
	return p, err
}

// Each check finds what is wrong with a store that breaks what the check is for.
func TestWrong(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		store    wrong
		driver   func(*drivers.Memory) stores.Driver
		registry wrongRegistry
		fold     func(namespace string) string
	}{
		"values": {store: wrong{decides: func(r *row, decide func() error) error {
			err := decide()
			if r != nil {
				r.Until = r.Until.Truncate(time.Millisecond)
			}
			return err
		}}},
		"names":      {store: wrong{name: "somewhere"}},
		"namespaces": {fold: strings.ToLower},
		"choices":    {store: wrong{wants: func(w *wish) { w.Rest = 0 }}},
		"new IDs": {driver: func(m *drivers.Memory) stores.Driver {
			return drivers.Stores(m, func(w *stores.Write) { w.Puts = w.Puts[:min(len(w.Puts), 3)] })
		}},
		"refusals": {store: wrong{decides: func(_ *row, decide func() error) error { _ = decide(); return nil }}},
		"contexts": {store: wrong{call: func(ctx context.Context, do func(context.Context) error) error {
			err := do(ctx)
			if err != nil && ctx.Err() != nil {
				return errors.New("interrupted")
			}
			return err
		}}},
		"others": {driver: drivers.Careless},
		"lost writes": {driver: func(m *drivers.Memory) stores.Driver {
			m.Tells = func(int) string { return "always the same" }
			return m
		}},
		"faults": {store: wrong{call: func(ctx context.Context, do func(context.Context) error) error {
			err := do(ctx)
			if retry.IsTransient(err) {
				return nil
			}
			return err
		}}},
		"late writes": {driver: drivers.Careless},
		"crowds":      {driver: drivers.Careless},
		"histories":   {driver: drivers.Forgetful},
		"Namespaces":  {registry: wrongRegistry{names: func(names []string) { slices.Reverse(names) }}},
		"Namespace":   {registry: wrongRegistry{name: "somewhere else"}},
		"Rows": {registry: wrongRegistry{rows: func(p *registry.Page, _ *error) {
			for i := range p.Rows {
				p.Rows[i].Holder = ""
			}
		}}},
		"reading": {registry: wrongRegistry{rows: func(_ *registry.Page, err *error) {
			if *err != nil {
				*err = fmt.Errorf("by tiger: %w", *err)
			}
		}}},
	}
	for _, c := range slices.Concat(checks, registryChecks) {
		f := faults[c.Name]
		t.Run(c.Name, func(t *testing.T) {
			found := finds(t, c, func() Subject {
				clock := newHandClock()
				m := &drivers.Memory{Now: clock.Now, Error: 30 * time.Second}
				s := subject(m, m, clock.Step)
				if f.driver != nil {
					s = subject(m, f.driver(m), clock.Step)
				}
				right := s
				s.Open = func(namespace string) (lease.Store, error) {
					if f.fold != nil {
						namespace = f.fold(namespace)
					}
					w := f.store
					var err error
					w.Store, err = right.Open(namespace)
					return w, err
				}
				s.Fault = func(c lease.Store, f Fault) bool { return right.Fault(c.(wrong).Store, f) }
				s.Registry = func() (registry.Store, error) {
					w := f.registry
					var err error
					w.Store, err = right.Registry()
					return w, err
				}
				return s
			})
			require.NotEmpty(t, found)
			t.Logf("%.300s", found[0])
		})
	}
}
