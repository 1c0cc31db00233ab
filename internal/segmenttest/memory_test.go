package segmenttest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
)

// subject is a Memory, which can do all that a Subject may.
func subject(m *Memory) Subject {
	return Subject{
		Open:    m.Open,
		Fault:   func(s segment.Store, f Fault) bool { s.(*Client).faults.Set(f); return true },
		Deliver: m.Deliver,
		Foreign: m.Foreign,
		Lower:   m.Lower,
		Backup:  m.Backup,
		Secret:  "tiger",
	}
}

// A store need not be able to do more than Open, nor know when a row was written, and may take
// tags for the same one that differ in the case of letters.
func TestMemory(t *testing.T) {
	t.Parallel()
	cfg := Config{Histories: 50, Patience: time.Millisecond}
	for name, of := range map[string]func(*Memory) Subject{
		"versions":   subject,
		"locks":      func(m *Memory) Subject { m.Locks = true; return subject(m) },
		"Open alone": func(m *Memory) Subject { return Subject{Open: m.Open} },
		"without Updated and case": func(m *Memory) Subject {
			m.Now = func() time.Time { return time.Time{} }
			s := subject(m)
			opens(m, &s, renames(func(tag string) string {
				if tag == "orders" && !m.Row("Orders").Fresh {
					return "Orders"
				}
				return tag
			}))
			fault := s.Fault
			s.Fault = func(store segment.Store, f Fault) bool { return fault(store, f) && f != Delay }
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			Run(t, cfg, func(*testing.T) Subject { return of(NewMemory()) })
		})
	}
}

// The tests of package segment show what becomes of calls with faults.
func TestMemoryFaults(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	m.Lossy = []string{"it is in memory"}
	m.SetRow(row{Tag: "orders", Next: 5, Step: 1})
	c := m.Client()
	lossy, err := c.Inspect(t.Context())
	require.NoError(t, err)
	require.Equal(t, m.Lossy, lossy)
	m.Outage(true)
	_, inspected := c.Inspect(t.Context())
	_, listed := c.Rows(t.Context(), "", 1)
	changed := c.Change(t.Context(), "orders", func(*row) error { t.Error("decide has run"); return nil })
	for _, err := range []error{inspected, listed, changed} {
		require.True(t, retry.IsTransient(err), err)
	}
	_, err = m.Foreign("orders", 1)
	require.Error(t, err)
	m.Outage(false)
	_, err = m.Foreign("none", 1)
	require.Error(t, err)
}

// What people have put there by hand is refused when it is no row, and is nobody else's.
func TestMemoryOfOperators(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	takers := []taker{{Nonce: "a", Last: 4}}
	m.SetRow(row{Tag: "orders", Next: 5, Step: 0, Takers: takers})
	takers[0].Last = 99
	require.EqualValues(t, 4, m.Row("orders").Takers[0].Last)
	_, err := m.Client().Rows(t.Context(), "", 1)
	require.ErrorIs(t, err, uid.ErrRange)
}
