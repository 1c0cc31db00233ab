package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker/lease"
)

// subject is a Memory, which can do all that a Subject may.
func subject(m *Memory, turn func(time.Duration)) Subject {
	return Subject{
		Open:            func(namespace string) (lease.Store, error) { return m.Store(namespace), nil },
		Registry:        func() (registry.Store, error) { return m.Registry(), nil },
		Fault:           fault,
		Deliver:         func() { m.Deliver() },
		Advance:         turn,
		RemoveNamespace: func(namespace string) error { m.RemoveNamespace(namespace); return nil },
		RemoveRow:       func(namespace string, id int64) error { m.RemoveRow(namespace, id); return nil },
		SetGiven: func(namespace string, given int64) error {
			n, _ := m.Namespace(namespace)
			n.Given = given
			m.SetNamespace(namespace, n)
			return nil
		},
		Backup: m.Backup,
		Secret: "tiger",
	}
}

func fault(store lease.Store, f Fault) bool {
	if w, is := store.(wrongStore); is {
		store = w.Client
	}
	store.(*Client).faults.Set(f)
	return true
}

// newHandClock goes when it is turned.
func newHandClock() *fake.Clock {
	return fake.NewFrozenClock(time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC))
}

// passes runs all checks on a store that is right, in no real time.
func passes(t *testing.T, cfg MemoryConfig, clock func() (now func() time.Time, advance func(time.Duration))) {
	t.Helper()
	for _, c := range slices.Concat(checks, registryChecks) {
		t.Run(c.Name, func(t *testing.T) {
			require.Empty(t, finds(t, []check{c}, 50, func() Subject {
				now, advance := clock()
				cfg := cfg
				cfg.Now = now
				return subject(NewMemory(cfg), advance)
			}))
		})
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	for name, versions := range map[string]bool{"locks": false, "versions": true} {
		t.Run(name, func(t *testing.T) {
			none := func() (func() time.Time, func(time.Duration)) { return nil, nil }
			passes(t, MemoryConfig{Versions: versions}, none)
		})
		for _, e := range []time.Duration{0, 250 * time.Millisecond, 30 * time.Second} {
			t.Run(fmt.Sprintf("%s, a clock that stands, off by %v", name, e), func(t *testing.T) {
				passes(t, MemoryConfig{Versions: versions, Error: e}, func() (func() time.Time, func(time.Duration)) {
					clock := newHandClock()
					return clock.Now, clock.Step
				})
			})
		}
	}
}

// Clocks of clients may be off by as much as the store says: here each reading is of another one.
func TestMemoryWithoutAClock(t *testing.T) {
	t.Parallel()
	for _, e := range []time.Duration{250 * time.Millisecond, 30 * time.Second} {
		t.Run(e.String(), func(t *testing.T) {
			off := func() time.Time { return time.Now().Add(rand.N(2*e) - e) }
			passes(t, MemoryConfig{Versions: true, Durable: true, Error: e},
				func() (func() time.Time, func(time.Duration)) { return off, nil })
		})
	}
}

// The tests of package lease show what becomes of calls with faults, and of rows that people write and remove.
func TestMemoryFaults(t *testing.T) {
	t.Parallel()
	m := NewMemory(MemoryConfig{})
	m.Outage(true)
	_, err := m.Store("n").Inspect(t.Context())
	require.True(t, retry.IsTransient(err))
}
