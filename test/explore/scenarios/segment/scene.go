//go:build explore

package segment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/test/explore"
)

// A memory is a store of one row.
type memory struct {
	row  storage.Segment
	deaf bool // writes are stored, and the replies are lost
}

func (m *memory) Change(_ context.Context, _ string, decide func(*storage.Segment) error) error {
	explore.Point()
	row := m.row
	row.Takers = append([]storage.Taker(nil), row.Takers...)
	if err := decide(&row); err != nil {
		return err
	}
	m.row = row
	if m.deaf {
		return errors.New("no reply")
	}
	return nil
}

func (m *memory) Rows(context.Context, string, int) ([]storage.Segment, error) { return nil, nil }
func (m *memory) Inspect(context.Context) (lossy []string, _ error)            { return nil, nil }
func (m *memory) Name() string                                                 { return "memory" }

// A scene is a generator, and what is known of its numbers.
type scene struct {
	*explore.Run
	g      *Generator
	store  memory
	got    map[int64]string
	low    int64 // a call that begins now gets no smaller number
	closed bool
}

func newScene(r *explore.Run) *scene {
	s := &scene{Run: r, got: map[int64]string{}}
	s.store.row = storage.Segment{Tag: "t", Next: 1, Step: 1}
	s.g = MustNew(&s.store, "t", Config{MinStep: 2, MaxStep: 2})
	r.Quiet(&s.g.counts)
	return s
}

// alone is a scene on which nothing is taken from the store but by take.
func alone(r *explore.Run) *scene {
	s := newScene(r)
	s.g.cfg.OnRejectedTake = func(r uid.Rejection) error { return r.Err }
	s.g.state.retry = time.AfterFunc(time.Hour, func() {}) // as if an attempt were to come
	return s
}

// take takes two numbers from the store.
func (s *scene) take() {
	r, err := s.g.takeFromStore(2)
	s.g.log(s.g.record(r, err))
}

// call is one call of a task. It reports whether it has got a number.
func (s *scene) call(name string, draw func() (uid.UID, error)) bool {
	explore.Point()
	low, closed := s.low, s.closed
	u, err := draw()
	if err != nil {
		return false
	}
	if closed {
		s.Failf("%s: %d, by a call that began after Close", name, u)
	}
	s.issued(name, int64(u), low)
	return true
}

// issued notes a number of a call that began when low was the lowest that it could get.
func (s *scene) issued(name string, n, low int64) {
	if n < low {
		s.Failf("%s: %d, by a call that began when %d had been issued", name, n, low-1)
	}
	s.low = max(s.low, n+1)
	s.has(name, n)
}

func (s *scene) has(name string, n int64) {
	if s.got[n] != "" {
		s.Failf("%s: %d once more, %s has it", name, n, s.got[n])
	}
	s.got[n] = name
}

// other is a program that takes a number, too.
func (s *scene) other() {
	s.has("other", s.store.row.Next)
	s.store.row.Next++
}

// counts checks that each number was issued in the end, and no other one.
func (s *scene) counts() {
	s.Check(func() error {
		for s.call("end", s.g.TryGetUID) {
		}
		for n := int64(1); n < s.store.row.Next; n++ {
			if s.got[n] == "" {
				return fmt.Errorf("nobody has got %d", n)
			}
			delete(s.got, n)
		}
		if len(s.got) > 0 {
			return fmt.Errorf("the store would give these out again: %v", s.got)
		}
		return nil
	})
}
