package faults

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
)

// A scene is processes that share a memory and a store.
type scene struct {
	t *testing.T
	*numbers
	store *segmenttest.Memory
}

func newScene(t *testing.T) *scene {
	m, err := openNumbers(1<<20, nil)
	require.NoError(t, err)
	t.Cleanup(m.Close)
	return &scene{t, m, segmenttest.NewMemory()}
}

// process starts a process.
func (s *scene) process() (number int, g *segment.Generator) { return s.processOn(s.store.Client()) }

func (s *scene) processOn(store segment.Store) (number int, g *segment.Generator) {
	number = int(s.started.Add(1)) - 1
	for i := range drawers {
		s.processes[number].end(i)
	}
	g, err := segment.New(&noting{Store: store, ledger: &s.processes[number].ledger, log: io.Discard}, "a",
		segment.Config{MinStep: 100, MaxStep: 100, Create: true, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = g.Close() }) // before the memory is
	return number, g
}

// slow is a store whose calls take a while, so that those of several processes meet.
type slow struct{ segment.Store }

func (s slow) Change(ctx context.Context, tag string, decide func(*segmentstore.Row) error) error {
	return s.Store.Change(ctx, tag, func(r *segmentstore.Row) error {
		time.Sleep(rand.N(3 * time.Millisecond))
		return decide(r)
	})
}

func (s *scene) draw(process int, g *segment.Generator, n int) {
	s.t.Helper()
	drawn := make([]uid.UID, n)
	s.processes[process].begin(0)
	n, err := g.Fill(drawn)
	s.note(process, drawn[:n])
	s.processes[process].end(0)
	require.NoError(s.t, err)
}

func (s *scene) close(process int, g *segment.Generator) {
	require.NoError(s.t, g.Close())
	s.processes[process].ended(g.Health())
}

func (s *scene) judge() verdict { return s.numbers.judge(s.store.Row("a").Next) }

// drawn is a scene in which process 0 was killed, and process 1 was closed.
func drawn(t *testing.T) *scene {
	s := newScene(t)
	killed, first := s.process()
	closed, second := s.process()
	s.draw(killed, first, 150)
	s.draw(closed, second, 250)
	s.draw(killed, first, 130)
	s.draw(closed, second, 100)
	s.close(closed, second)
	synctest.Wait()
	return s
}

// What is wrong is found, and nothing else.
func TestJudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := drawn(t)
		v := s.judge()
		require.NoError(t, v.err)
		require.Zero(t, s.doubles())
		require.Empty(t, v.unexplained)
		require.EqualValues(t, 630, v.issued)
		require.EqualValues(t, s.store.Row("a").Next-1-630, v.holes)
		require.Equal(t, v.holes, s.sum((*progress).inHand))
		require.Positive(t, v.holes)
	})
}

func TestJudgeFinds(t *testing.T) {
	for text, spoil := range map[string]func(*scene){
		"were never issued, and no process had 3 of them": func(s *scene) {
			row := s.store.Row("a")
			row.Next += 3
			s.store.SetRow(row)
		},
		"were never issued, but processes had only":           func(s *scene) { s.processes[0].issued.Add(1) },
		"duplicate: again was drawn 1 by process 0":           func(s *scene) { s.note(0, []uid.UID{1}) },
		"time outside of the record: again was drawn 1048575": func(s *scene) { s.MarkAll(1<<20-1, 1<<20, 1) },
		"process 1 had 1 calls that failed":                   func(s *scene) { s.processes[1].failed.Add(1) },
		"process 0 found that the store had lost":             func(s *scene) { s.processes[0].lost.Add(1) },
		"process 1 drew 1000000, but the store's next":        func(s *scene) { s.processes[1].highest.Store(1e6) },
		"process 1 closed with":                               func(s *scene) { s.processes[1].stats.buffered.Add(1) },
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := drawn(t)
				spoil(s)
				require.ErrorContains(t, s.judge().err, text)
			})
		})
	}
}

// Processes whose writes are refused by each other's, and who give back what they have, have all that is a hole in
// hand.
func TestJudgeOfACrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		var drawing sync.WaitGroup
		for range 4 {
			n, g := s.processOn(slow{s.store.Client()})
			drawing.Go(func() {
				for range 200 {
					s.draw(n, g, 10)
					_, err := g.Release(t.Context())
					require.NoError(t, err)
				}
			})
		}
		drawing.Wait()
		v := s.judge()
		require.NoError(t, v.err)
		require.Zero(t, s.doubles())
		require.EqualValues(t, 4*200*10, v.issued)
		require.Equal(t, v.holes, s.sum((*progress).inHand))
	})
}
