package ringbuffer

import (
	"maps"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// detection is how long a test may take to find a fault.
const detection = 30 * time.Second

// requireFault requires one of many attempts to find a fault in time.
func requireFault(t *testing.T, attempt func(k int) error) {
	begin := time.Now()
	for k := 0; time.Since(begin) < detection; k++ {
		if err := attempt(k); err != nil {
			text := err.Error()
			t.Logf("after %v, at attempt %d: %.200s", time.Since(begin).Round(time.Microsecond), k+1, text)
			return
		}
	}
	require.Fail(t, "a fault was not found", "in %v", detection)
}

// faulty calls f for the original's ring and for each mutant of this one. The sources
// are new ones for each k.
func faulty(t *testing.T, mutants map[string]func(g *generator) taking,
	f func(t *testing.T, source func(k int) source)) {
	t.Run("the original's take", func(t *testing.T) {
		f(t, func(k int) source {
			return newClassicRing([]int{4, 2, 1024, 16}[k/2%4], 1<<17, k%2 == 1)
		})
	})
	for name, mutant := range mutants {
		t.Run(name, func(t *testing.T) {
			f(t, func(k int) source {
				p := plan{slots: 1 << (k % 3), sequenceBits: []int{1, 0, 4}[k/3%3], ticks: 1 << 14, first: 5,
					mutant: mutant}
				return newGenerator(p)
			})
		})
	}
}

func TestStressDetects(t *testing.T) {
	withProcs(t, 2)
	all := maps.Clone(mutants)
	maps.Copy(all, losers)
	faulty(t, all, func(t *testing.T, source func(k int) source) {
		requireFault(t, func(k int) error {
			_, err := stress(source(k), 9)
			return err
		})
	})
}

func TestHistoriesDetect(t *testing.T) {
	withProcs(t, 2)
	faulty(t, mutants, func(t *testing.T, source func(k int) source) {
		requireFault(t, func(k int) error {
			_, _, err := record(source(k), 8, 1<<20)
			return err
		})
	})
}
