package storetest

import (
	"context"
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

// A right store passes all checks, in no real time, whether it locks or not, or writes one record at a time. Its clock
// runs or stands, or is of clients that are off by as much as the store says: each reading is of another one then.
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
		"one record at a time": func() Subject {
			m := &drivers.Memory{}
			return subject(m, drivers.Piecemeal(m), nil)
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

// A wrong store is a right one, but for what it makes of what decide returns, and of a call's error.
type wrong struct {
	lease.Store
	decides, returns func(error) error
}

func (w wrong) decision(decide decision) decision {
	return func(n *common, r *row, now clock) error { return w.decides(decide(n, r, now)) }
}

func (w wrong) Take(ctx context.Context, wants wish, decide decision) error {
	return w.returns(w.Store.Take(ctx, wants, w.decision(decide)))
}

func (w wrong) Change(ctx context.Context, id int64, decide decision) error {
	return w.returns(w.Store.Change(ctx, id, w.decision(decide)))
}

func (w wrong) Init(ctx context.Context, decide func(*common, clock) error) error {
	return w.returns(w.Store.Init(ctx, func(n *common, now clock) error { return w.decides(decide(n, now)) }))
}

// Each check finds what is wrong with a store that breaks what the check is for.
func TestWrong(t *testing.T) {
	t.Parallel()
	same := func(err error) error { return err }
	passes := func(err error) error {
		if retry.IsTransient(err) {
			return nil
		}
		return err
	}
	over := map[string]func(*drivers.Memory) stores.Driver{
		"values": drivers.ThreeBytes, "names": drivers.Nameless, "choices": drivers.Shortsighted,
		"new IDs": drivers.Halving, "contexts": drivers.Unmarked, "others": drivers.Careless,
		"lost writes": drivers.Silent, "late writes": drivers.Careless, "crowds": drivers.Careless,
		"histories":  drivers.Forgetful,
		"Namespaces": drivers.Shortsighted, "Namespace": drivers.Nameless, "Rows": drivers.Shortsighted,
		"reading": drivers.Unmarked,
	}
	stored := map[string]wrong{
		"refusals": {decides: func(error) error { return nil }, returns: same}, // it stores what decide refuses
		"faults":   {decides: same, returns: passes},                           // it acknowledges what may be lost
	}
	for _, c := range slices.Concat(checks, registryChecks) {
		t.Run(c.Name, func(t *testing.T) {
			found := finds(t, c, func() Subject {
				clock := newHandClock()
				m := &drivers.Memory{Now: clock.Now, Error: 30 * time.Second}
				if d := over[c.Name]; d != nil {
					return subject(m, d(m), clock.Step)
				}
				right := subject(m, m, clock.Step)
				s := right
				s.Open = func(namespace string) (lease.Store, error) {
					w, is := stored[c.Name]
					if !is { // names that differ in the case of their letters are one
						return right.Open(strings.ToLower(namespace))
					}
					one, err := right.Open(namespace)
					w.Store = one
					return w, err
				}
				s.Fault = func(c lease.Store, f Fault) bool { return right.Fault(c.(wrong).Store, f) }
				return s
			})
			require.NotEmpty(t, found)
			t.Logf("%.300s", found[0])
		})
	}
}
