package segmenttest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores"
)

// subject is a store over a driver of a database in memory, or over that database itself. It can do all that a Subject
// may.
func subject(m *Memory, d stores.Driver) Subject {
	s := Over(drivers.Database{
		Open: func() (stores.Driver, error) { return whole{d}, nil }, Backup: m.Backup, Secret: "tiger",
	})
	s.Foreign, s.Lower = m.Foreign, m.Lower
	return s
}

// finds returns what a check finds.
func finds(t *testing.T, c check, open func() Subject) []string {
	return suite.Finds(t, c, func(t *testing.T) *probe {
		return newProbe(t.Context(), suite.Settings{Histories: 50, Seed: 1}.OrDefaults(), open())
	})
}

// A wrong store is a right one, but for what it makes of what decide returns, and of a call's error.
type wrong struct {
	segment.Store
	decides, returns func(error) error
}

func (w wrong) Change(ctx context.Context, tag string, decide func(*row) error) error {
	return w.returns(w.Store.Change(ctx, tag, func(r *row) error { return w.decides(decide(r)) }))
}

// A right store passes all checks, even if it can do no more than Open, and does not know when a row was written.
func TestRight(t *testing.T) {
	t.Parallel()
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) {
			require.Empty(t, finds(t, c, func() Subject { m := NewMemory(); return subject(m, &m.Memory) }))
			require.Empty(t, finds(t, c, func() Subject {
				m := NewMemory()
				m.Now = func() time.Time { return time.Time{} }
				return Subject{Open: m.Open}
			}))
		})
	}
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
		"values": drivers.ThreeBytes, "tags": drivers.Shortsighted, "names": drivers.Nameless,
		"others": drivers.Careless, "lost writes": drivers.Stale, "late writes": drivers.Careless,
		"contexts": drivers.Unmarked, "histories": drivers.Forgetful,
	}
	stored := map[string]wrong{
		"refusals": {decides: func(error) error { return nil }, returns: same}, // it stores what decide refuses
		"faults":   {decides: same, returns: passes},                           // it acknowledges what may be lost
	}
	for _, c := range checks {
		t.Run(c.Name, func(t *testing.T) {
			found := finds(t, c, func() Subject {
				m := NewMemory()
				if d := over[c.Name]; d != nil {
					return subject(m, d(&m.Memory))
				}
				right := subject(m, &m.Memory)
				s := right
				w, is := stored[c.Name]
				if !is { // those who draw forget the takers
					s.Foreign = func(tag string, n int64) (int64, error) {
						first, err := m.Foreign(tag, n)
						r := m.Row(tag)
						r.Takers = nil
						m.SetRow(r)
						return first, err
					}
					return s
				}
				s.Open = func() (segment.Store, error) {
					one, err := right.Open()
					w.Store = one
					return w, err
				}
				s.Fault = func(c segment.Store, f Fault) bool { return right.Fault(c.(wrong).Store, f) }
				return s
			})
			require.NotEmpty(t, found)
			t.Logf("%.300s", found[0])
		})
	}
}
