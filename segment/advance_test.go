package segment

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// TestAdvance begins one segment after the other while calls claim positions in all of them. Each position
// that was claimed and is worth a number has to be some call's: its span is linked before the ring opens, and
// a call looks for it from a front that it has read before it claimed.
func TestAdvance(t *testing.T) {
	const segments = 100000
	g := &Generator{cfg: Config{Now: time.Now}, source: Source{Tag: "a"}}
	require.NoError(t, g.ring.Init(ringConfig))
	nothing := new(span)
	g.front.Store(nothing)
	g.state.last, g.state.busy = nothing, true // nobody asks a store
	begin := func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.ring.Shut()
		g.leave()
		g.state.stock = Range{First: 1, Last: 1 << 30}
		return g.advance()
	}
	require.True(t, begin())

	var over atomic.Bool
	var got atomic.Uint64
	var drawing sync.WaitGroup
	for _, draw := range []func() (int, error){
		func() (int, error) { _, err := g.GetUID(); return 1, err },
		func() (int, error) { _, err := g.TryGetUID(); return 1, err },
		func() (int, error) { _, err := g.GetUIDContext(t.Context()); return 1, err },
		func() (int, error) { return g.Fill(make([]uid.UID, 3)) },
	} {
		drawing.Go(func() {
			var sum uint64
			for !over.Load() {
				n, err := draw()
				if err != nil {
					t.Error(err)
					break
				}
				sum += uint64(n)
			}
			got.Add(sum)
		})
	}
	for range segments {
		require.True(t, begin())
	}
	over.Store(true)
	drawing.Wait()
	require.Equal(t, g.issued(), got.Load(), "numbers that were claimed, and that calls got")
}
