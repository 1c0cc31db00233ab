package segment_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/segmenttest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
)

// A generator with a Total takes as many numbers and no more, whoever else draws, whatever the row's step, and
// whatever becomes of its writes.
func TestTotal(t *testing.T) {
	for n := int64(1); n <= 30; n++ {
		for step := int64(1); step <= 12; step++ {
			bubble(t, segment.Config{MinStep: step, MaxStep: step, Total: n},
				func(t *testing.T, h *house, g *segment.Generator) {
					h.SetRow(storage.Segment{Tag: "a", Next: 1, Step: 500})
					h.client.Fault(segmenttest.Refuse, segmenttest.LoseWrite, segmenttest.LoseReply)
					var drawn tally
					for i := int64(0); i < n; {
						u, err := g.GetUID()
						if err != nil {
							time.Sleep(time.Second)
							continue
						}
						drawn.add(u)
						if i++; i == 1 {
							synctest.Wait()
							require.NoError(t, errOf(h.Foreign("a", 3)))
						}
					}
					require.Empty(t, drawn.twos)
					err := errOf(g.GetUID())
					require.ErrorIs(t, err, uid.ErrExhausted)
					require.ErrorContains(t, err, `numbers of tag "a" that Total allows are taken`)
					require.False(t, g.Health().Ready)
					synctest.Wait()
					require.EqualValues(t, 1+n+3, h.Row("a").Next)
					require.EqualValues(t, 500, h.Row("a").Step)
				})
		}
	}
}

// What it has given back it may take again; who draws meanwhile waits for that.
func TestTotalGivenBack(t *testing.T) {
	bubble(t, segment.Config{MinStep: 10, Total: 10}, func(t *testing.T, h *house, g *segment.Generator) {
		requireNext(t, g, 1, 3)
		h.takes = time.Second
		go func() { _, _ = g.Release(t.Context()) }()
		synctest.Wait()
		requireNext(t, g, 4, 4)
		require.EqualValues(t, 6, release(t, g))
		require.NoError(t, errOf(h.Foreign("a", 5)))
		requireNext(t, g, 10, 15)
		require.ErrorIs(t, errOf(g.GetUID()), uid.ErrExhausted)
	})
}
