package segmenttest

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
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

// A wrong store is a right one, but for what is replaced here.
type wrong struct {
	segment.Store
	names   func() string
	decides func(r *row, decide func() error) error
	call    func(ctx context.Context, err error) error
	rows    func([]row)
}

func (w wrong) Name() string {
	if w.names != nil {
		return w.names()
	}
	return w.Store.Name()
}

func (w wrong) Change(ctx context.Context, tag string, decide func(*row) error) error {
	err := w.Store.Change(ctx, tag, func(r *row) error {
		if w.decides == nil {
			return decide(r)
		}
		return w.decides(r, func() error { return decide(r) })
	})
	if w.call == nil {
		return err
	}
	return w.call(ctx, err)
}

func (w wrong) Rows(ctx context.Context, after string, most int) ([]row, error) {
	rows, err := w.Store.Rows(ctx, after, most)
	if w.rows != nil {
		w.rows(rows)
	}
	return rows, err
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
	faults := map[string]struct {
		store   wrong
		driver  func(*drivers.Memory) stores.Driver
		foreign func(m *Memory, tag string, n int64) (int64, error)
	}{
		"values": {store: wrong{decides: func(r *row, decide func() error) error {
			err := decide()
			r.Description = string([]rune(r.Description)[:min(255, len([]rune(r.Description)))])
			return err
		}}},
		"tags":     {store: wrong{rows: slices.Reverse[[]row]}},
		"refusals": {store: wrong{decides: func(_ *row, decide func() error) error { _ = decide(); return nil }}},
		"names":    {store: wrong{names: rand.Text}},
		"others":   {driver: drivers.Careless},
		"strangers": {foreign: func(m *Memory, tag string, n int64) (int64, error) {
			first, err := m.Foreign(tag, n)
			r := m.Row(tag)
			r.Takers = nil
			m.SetRow(r)
			return first, err
		}},
		"lost writes": {driver: drivers.Stale},
		"faults": {store: wrong{call: func(_ context.Context, err error) error {
			if retry.IsTransient(err) {
				return nil
			}
			return err
		}}},
		"late writes": {driver: drivers.Careless},
		"contexts": {store: wrong{call: func(ctx context.Context, err error) error {
			if err != nil && ctx.Err() != nil {
				return errors.New("interrupted")
			}
			return err
		}}},
		"histories": {driver: drivers.Forgetful},
	}
	for _, c := range checks {
		f := faults[c.Name]
		t.Run(c.Name, func(t *testing.T) {
			found := finds(t, c, func() Subject {
				m := NewMemory()
				s := subject(m, &m.Memory)
				if f.driver != nil {
					s = subject(m, f.driver(&m.Memory))
				}
				right := s
				s.Open = func() (segment.Store, error) {
					w := f.store
					var err error
					w.Store, err = right.Open()
					return w, err
				}
				s.Fault = func(c segment.Store, f Fault) bool { return right.Fault(c.(wrong).Store, f) }
				if f.foreign != nil {
					s.Foreign = func(tag string, n int64) (int64, error) { return f.foreign(m, tag, n) }
				}
				return s
			})
			require.NotEmpty(t, found)
			t.Logf("%.300s", found[0])
		})
	}
}
