package main

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/harness"
)

// A scene is generators of numbers that share a memory and a store.
type scene struct {
	t *testing.T
	*memory
	store *segmenttest.Memory
}

func newScene(t *testing.T) *scene {
	m := must(openMemory(harness.Geometry{Layout: layout, Ticks: 1, Numbers: 1 << 20}, nil))
	t.Cleanup(m.Close)
	return &scene{t, m, segmenttest.NewMemory()}
}

// process makes the generator of a process.
func (s *scene) process(number int, store segment.Store) *segment.Generator {
	g, err := segment.New(&noting{Store: store, ledger: &s.ledgers[number]}, "a",
		segment.Config{MinStep: 100, MaxStep: 100, Create: true, Logger: quiet})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = g.Close() }) // before the memory is
	return g
}

func (s *scene) draw(process int, g *segment.Generator, n int) {
	drawn := make([]uid.UID, n)
	n, err := g.Fill(drawn)
	require.NoError(s.t, err)
	for _, u := range drawn[:n] {
		s.MarkNumber(int64(u), harness.NewDrawer(uint32(process)+1, 0))
	}
	s.ledgers[process].drew(n, drawn[n-1])
}

func (s *scene) inHand() (n int64) {
	for _, l := range s.drawers() {
		n += l.inHand()
	}
	return n
}

// drawn is a scene in which process 0 was killed, and process 1 was closed.
func drawn(t *testing.T) *scene {
	s := newScene(t)
	killed, closed := s.process(0, s.store.Client()), s.process(1, s.store.Client())
	s.draw(0, killed, 150)
	s.draw(1, closed, 250)
	s.draw(0, killed, 130)
	s.draw(1, closed, 100)
	require.NoError(t, closed.Close())
	s.ledgers[1].end(closed.Health())
	synctest.Wait()
	return s
}

// What is wrong is found, and nothing else.
func TestSkipped(t *testing.T) {
	for text, spoil := range map[string]func(*scene){
		"": func(*scene) {},
		"were never issued, and no process took 3 of them": func(s *scene) {
			row := s.store.Row("a")
			row.Next += 3
			s.store.SetRow(row)
		},
		"were never issued, but processes had only": func(s *scene) { s.ledgers[0].issued.Add(1) },
		"found that the store had lost":             func(s *scene) { s.ledgers[0].lost.Add(1) },
		"drew 1000000, but the store's next":        func(s *scene) { s.ledgers[1].highest.Store(1e6) },
		"a process closed with":                     func(s *scene) { s.ledgers[1].had.Add(1) },
	} {
		t.Run(text, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := drawn(t)
				spoil(s)
				holes, unexplained, wrong := s.skipped(s.store.Row("a").Next)
				require.Contains(t, strings.Join(wrong, "\n"), text)
				if text == "" {
					require.Empty(t, wrong)
					require.Zero(t, unexplained)
					require.Positive(t, holes)
					require.Equal(t, s.store.Row("a").Next-1-630, holes)
					require.Equal(t, holes, s.inHand())
				}
			})
		})
	}
}
