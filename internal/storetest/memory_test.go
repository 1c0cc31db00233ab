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

// A right store passes all checks, in no real time. Its clock runs or stands, or is of clients that are off by as much
// as the store says: each reading is of another one then.
func TestMemory(t *testing.T) {
	t.Parallel()
	passes := func(name string, cfg MemoryConfig, clock func() (now func() time.Time, advance func(time.Duration))) {
		for _, c := range slices.Concat(checks, registryChecks) {
			t.Run(fmt.Sprintf("%s/off by %v/%s", name, cfg.Error, c.Name), func(t *testing.T) {
				require.Empty(t, finds(t, []check{c}, 50, func() Subject {
					now, advance := clock()
					cfg := cfg
					cfg.Now = now
					return subject(NewMemory(cfg), advance)
				}))
			})
		}
	}
	runs := func() (func() time.Time, func(time.Duration)) { return nil, nil }
	stands := func() (func() time.Time, func(time.Duration)) { clock := newHandClock(); return clock.Now, clock.Step }
	for _, e := range []time.Duration{0, 250 * time.Millisecond, 30 * time.Second} {
		passes("locks, a clock that stands", MemoryConfig{Error: e}, stands)
		passes("versions, a clock that stands", MemoryConfig{Versions: true, Error: e}, stands)
		if e == 0 {
			passes("locks", MemoryConfig{}, runs)
			passes("versions", MemoryConfig{Versions: true}, runs)
			continue
		}
		off := func() time.Time { return time.Now().Add(rand.N(2*e) - e) }
		passes("no clock", MemoryConfig{Versions: true, Durable: true, Error: e},
			func() (func() time.Time, func(time.Duration)) { return off, nil })
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
