package segmenttest

import (
	"context"
	"math"
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

func TestMemory(t *testing.T) {
	t.Parallel()
	for name, locks := range map[string]bool{"locks": true, "versions": false} {
		t.Run(name, func(t *testing.T) {
			Run(t, Config{Histories: 50, Patience: time.Millisecond}, func(t *testing.T) Subject {
				m := NewMemory()
				m.Locks = locks
				return subject(m)
			})
		})
	}
}

// A store need not be able to do more than Open, nor know when a row was written, and may take
// tags for the same one that differ in the case of letters.
func TestPlainStores(t *testing.T) {
	t.Parallel()
	t.Run("Open alone", func(t *testing.T) {
		Run(t, Config{Histories: 10, Patience: time.Millisecond}, func(t *testing.T) Subject {
			return Subject{Open: NewMemory().Open}
		})
	})
	t.Run("without Updated and case", func(t *testing.T) {
		Run(t, Config{Histories: 10, Patience: time.Millisecond}, func(t *testing.T) Subject {
			m := NewMemory()
			m.Now = func() time.Time { return time.Time{} }
			s := subject(m)
			s.Open = func() (segment.Store, error) {
				w := renames(func(tag string) string {
					if tag == "orders" && !m.Row("Orders").Fresh {
						return "Orders"
					}
					return tag
				})
				w.Client = m.Client()
				return w, nil
			}
			s.Fault = func(store segment.Store, f Fault) bool { store.(wrongStore).faults.Set(f); return f != Delay }
			return s
		})
	})
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

// What people have put there by hand is refused when it is no row.
func TestMemoryOfOperators(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	c := m.Client()
	takers := []taker{{Nonce: "a", Last: 4}}
	m.SetRow(row{Tag: "orders", Next: 5, Step: 1, Takers: takers})
	takers[0].Last = 99
	m.Row("orders").Takers[0].Last = 99
	require.EqualValues(t, 4, m.Row("orders").Takers[0].Last)

	m.SetRow(row{Tag: "orders", Next: 5, Step: 0})
	never := func(*row) error { t.Error("decide has run"); return nil }
	err := c.Change(t.Context(), "orders", never)
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorContains(t, err, "the step of tag \"orders\" is 0")
	_, err = c.Rows(t.Context(), "", 1)
	require.ErrorIs(t, err, uid.ErrRange)

	m.SetRow(row{Tag: "orders", Fresh: true})
	require.True(t, m.Row("orders").Fresh)
	rows, err := c.Rows(t.Context(), "", math.MaxInt)
	require.NoError(t, err)
	require.Empty(t, rows)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.Change(ctx, "orders", never), context.Canceled)
}
