package storetest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/worker"
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

// A handClock goes when it is turned.
type handClock struct{ now atomic.Int64 }

func newHandClock() *handClock {
	var c handClock
	c.now.Store(time.Date(2026, 2, 3, 4, 5, 6, 7000, time.UTC).UnixMicro())
	return &c
}

func (c *handClock) Now() time.Time          { return time.UnixMicro(c.now.Load()) }
func (c *handClock) Advance(d time.Duration) { c.now.Add(d.Microseconds()) }

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
			passes(t, MemoryConfig{Versions: versions}, func() (func() time.Time, func(time.Duration)) { return nil, nil })
		})
		for _, e := range []time.Duration{0, 250 * time.Millisecond, 30 * time.Second} {
			t.Run(fmt.Sprintf("%s, a clock that stands, off by %v", name, e), func(t *testing.T) {
				passes(t, MemoryConfig{Versions: versions, Error: e}, func() (func() time.Time, func(time.Duration)) {
					clock := newHandClock()
					return clock.Now, clock.Advance
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

// nonce writes one to a row, and says whether the store knows that it is stored.
func nonce(t *testing.T, c *Client, id int64, text string) error {
	t.Helper()
	return c.Change(t.Context(), id, func(n *leasestore.Namespace, r *leasestore.Row, _ leasestore.Clock) error { r.Nonce = text; return nil })
}

func TestMemoryFaults(t *testing.T) {
	t.Parallel()
	m := NewMemory(MemoryConfig{Lossy: []string{"it is in memory"}})
	m.SetNamespace("n", leasestore.Namespace{Layout: "x"})
	m.SetRow("n", leasestore.Row{WorkerID: 3, Nonce: "first"})
	stored := func() string { row, _ := m.Row("n", 3); return row.Nonce }
	c := m.Store("n")
	lossy, err := c.Inspect(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"it is in memory"}, lossy)

	c.Fault(Refuse, LoseWrite, OK, LoseReply)
	for _, want := range []struct {
		writes string
		fails  bool
		stored string
	}{{"a", true, "first"}, {"b", true, "first"}, {"c", false, "c"}, {"d", true, "d"}, {"e", false, "e"}} {
		err := nonce(t, c, 3, want.writes)
		require.Equal(t, want.fails, err != nil)
		require.Equal(t, want.fails, retry.IsTransient(err))
		require.Equal(t, want.stored, stored())
	}

	m.Outage(true)
	require.Error(t, nonce(t, c, 3, "5"))
	_, err = c.Inspect(t.Context())
	require.Error(t, err)
	m.Outage(false)
	require.NoError(t, nonce(t, c, 3, "5"))

	// One of two late writes arrives: the other one was to replace the same.
	c.Fault(Delay, Delay)
	require.Error(t, nonce(t, c, 3, "6"))
	require.Error(t, nonce(t, c, 3, "7"))
	require.Equal(t, "5", stored())
	require.Equal(t, 1, m.Deliver())
	require.Equal(t, "6", stored())
	require.Zero(t, m.Deliver())

	restore := m.Backup()
	require.NoError(t, nonce(t, c, 3, "8"))
	m.SetRow("other", leasestore.Row{WorkerID: 1})
	restore()
	require.Equal(t, "6", stored())
	_, found := m.Row("other", 1)
	require.False(t, found)

	m.RemoveRow("n", 3)
	_, found = m.Row("n", 3)
	require.False(t, found)
	m.RemoveNamespace("n")
	_, found = m.Namespace("n")
	require.False(t, found)
	require.ErrorIs(t, c.Change(t.Context(), 3, nil), worker.ErrNoNamespace)
	for fault, name := range map[Fault]string{OK: "OK", Delay: "Delay", 99: "Fault(99)"} {
		require.Equal(t, name, fault.String())
	}
}
