package segmenttest_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
)

// server stands for a server of one's own, and its client for a segment.Store that was written
// for it.
type server struct{ m *segmenttest.Memory }

func start(*testing.T) *server { return &server{segmenttest.NewMemory()} }

func (s *server) client() (segment.Store, error) { return s.m.Client(), nil }

// incrBy is what a program does that draws from the same counter, and knows nothing of segments.
func (s *server) incrBy(tag string, n int64) (last int64, err error) {
	first, err := s.m.Foreign(tag, n)
	return first + n - 1, err
}

// A test of a store of one's own. Each check begins with an empty store.
func ExampleRun() {
	// In a file of one's own: func TestStore(t *testing.T) {
	test := func(t *testing.T) {
		segmenttest.Run(t, segmenttest.Config{}, func(t *testing.T) segmenttest.Subject {
			server := start(t)
			return segmenttest.Subject{
				Open: server.client,
				Foreign: func(tag string, n int64) (first int64, err error) {
					last, err := server.incrBy(tag, n)
					return last - n + 1, err
				},
			}
		})
	}
	_ = test
}

// A test of how a program bears a store that fails: a write is stored, and its reply is lost.
func ExampleMemory() {
	memory := segmenttest.NewMemory()
	store := memory.Client()
	store.Fault(segmenttest.LoseReply)
	err := store.Change(context.Background(), "orders", func(r *segmentstore.Row) error {
		r.Fresh, r.Next, r.Step = false, 1, 100
		return nil
	})
	fmt.Println("acknowledged:", err == nil)
	fmt.Println("stored:", memory.Row("orders").Next == 1)
	// Output:
	// acknowledged: false
	// stored: true
}
