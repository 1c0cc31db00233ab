package cached

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
)

// TestBlocks: ticks of few UIDs share slots, and a ring of the default size keeps its 8 slots.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		timeBits, sequenceBits int
		unit                   time.Duration
		ticks                  int // of the configuration
		want, blockBits        int
	}{
		{28, 13, time.Second, 0, 8, 0},
		{45, 0, time.Millisecond, 0, 8 << 8, 8},
		{45, 2, time.Millisecond, 0, 8 << 6, 6},
		{41, 4, time.Millisecond, 0, 8 << 4, 4},
		{41, 5, time.Millisecond, 0, 8 << 3, 3},
		{41, 6, time.Millisecond, 0, 8, 0},
		{50, 0, time.Nanosecond, 0, 8 << 8, 8},
		{41, 0, 10 * time.Millisecond, 0, 8 << 6, 6},
		{41, 0, 250 * time.Millisecond, 0, 8 << 2, 2},
		{41, 0, 500 * time.Millisecond, 0, 8 << 1, 1},
		{34, 0, time.Second, 0, 8, 0},
		{34, 0, time.Hour, 0, 8, 0},
		{33, 0, time.Millisecond, 0, 8, 0},
		{41, 4, time.Millisecond, 4, 4, 0},
		{41, 4, time.Millisecond, 8, 8, 0},
		{41, 4, time.Millisecond, 32, 32, 2},
		{41, 4, time.Millisecond, 65536, 65536, 4},
		{41, 6, time.Millisecond, 65536, 65536, 0},
	} {
		shape := bits.Config{TimeBits: c.timeBits, WorkerBits: 8, SequenceBits: c.sequenceBits, Unit: c.unit}
		layout := bits.MustLayout(shape)
		cfg, err := Config{Layout: layout, Slots: c.ticks}.withDefaults()
		require.NoError(t, err)
		require.Equal(t, c.want, cfg.Slots, "%+v", c)
		require.Equal(t, c.blockBits, blockBits(cfg.Slots, layout), "%+v", c)
	}
}
