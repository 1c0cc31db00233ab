package uncached_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	uncached "github.com/uidgen/uid/default"
	"github.com/uidgen/uid/internal/fake"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

// A maker makes a generator of one kind on a worker.
type maker struct {
	name  string
	turns int // bits of the worker ID field that count steps back
	make  func(w uid.Worker, l bits.Layout) (closer, error)
}

type closer interface {
	uid.Generator
	Layout() bits.Layout
}

var quiet = slog.New(slog.DiscardHandler)

// makers are one of each kind, and RollbackBits of several widths.
func makers() (all []maker) {
	all = append(all, maker{name: "cached", make: func(w uid.Worker, l bits.Layout) (closer, error) {
		return cached.New(w, cached.Config{Layout: l, Logger: quiet})
	}})
	add := func(p uncached.Policy, turns int) {
		all = append(all, maker{p.String(), turns, func(w uid.Worker, l bits.Layout) (closer, error) {
			return uncached.New(w, uncached.Config{Layout: l, ClockBack: p, Logger: quiet})
		}})
	}
	policies := []uncached.Policy{uncached.Logical(), uncached.Fail(), uncached.Wait(time.Second), uncached.Remember(4)}
	for _, p := range policies {
		add(p, 0)
	}
	for turns := 1; turns <= 3; turns++ {
		add(uncached.RollbackBits(turns), turns)
	}
	return all
}

// splits returns every way to name the parts of so many bits, from the names that are left.
func splits(width int, names ...string) (all [][]uid.Field) {
	if width == 0 {
		return [][]uid.Field{nil}
	}
	for i, name := range names {
		left := append(append([]string(nil), names[:i]...), names[i+1:]...)
		for n := 1; n <= width; n++ {
			for _, rest := range splits(width-n, left...) {
				all = append(all, append([]uid.Field{{Name: name, Bits: n}}, rest...))
			}
		}
	}
	return all
}

// Two generators that tell their workers the same layout, which is all that a worker can
// compare, divide the worker ID field alike: whatever their kinds, and however the parts
// of the field are named.
func TestSameTextSameBits(t *testing.T) {
	of := map[string]maker{}
	accepted := map[string]int{}
	for _, fields := range append(splits(3, "rollback", "worker", "rack"), nil) {
		l := bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 3, SequenceBits: 10, Fields: fields})
		for _, m := range makers() {
			var w fake.Worker
			g, err := m.make(&w, l)
			if err != nil {
				require.ErrorIs(t, err, uid.ErrConfig)
				require.ErrorContains(t, err, "rollback")
				continue
			}
			require.NoError(t, g.Close())
			accepted[m.name]++
			text := w.Terms.Layout
			require.EqualValues(t, 7>>m.turns, w.Terms.MaxWorkerID)
			if was, ok := of[text]; ok {
				require.Equal(t, was.turns, m.turns, "%s and %s both tell %s", was.name, m.name, text)
			}
			of[text] = m
		}
	}
	require.Len(t, accepted, len(makers()), accepted)
	require.Greater(t, len(of), 10)
}

// A state file belongs to one way to divide the worker ID field; and the layout of a
// generator that counts steps back is not for one that does not.
func TestRollbackBitsShareNoStateFile(t *testing.T) {
	layout := bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 3, SequenceBits: 10})
	all := makers()
	for _, first := range all {
		path := filepath.Join(t.TempDir(), "uid.state")
		run := func(m maker, l bits.Layout) (used bits.Layout, err error) {
			w, err := statefile.New(path, worker.FixedID(0), statefile.Config{Logger: quiet})
			require.NoError(t, err)
			g, err := m.make(w, l)
			if err != nil {
				return l, err
			}
			return g.Layout(), g.Close()
		}
		used, err := run(first, layout)
		require.NoError(t, err)
		for _, second := range all {
			t.Run(fmt.Sprint(first.name, " then ", second.name), func(t *testing.T) {
				_, err := run(second, layout)
				if first.turns == second.turns {
					require.NoError(t, err)
					return
				}
				require.ErrorIs(t, err, worker.ErrLayout)
				_, err = run(second, used)
				if first.turns > 0 {
					require.ErrorIs(t, err, uid.ErrConfig)
					require.ErrorContains(t, err, "rollback")
				} else {
					require.ErrorIs(t, err, worker.ErrLayout)
				}
			})
		}
	}
}
