package uncached

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/internal/fake"
)

// A floor in the clock's own tick is within reach, however long ticks are.
func TestFloorOfALongTick(t *testing.T) {
	hours := bits.MustLayout(bits.Config{TimeBits: 20, WorkerBits: 23, SequenceBits: 20, Unit: time.Hour})
	after := uid.UID(hours.TickAt(morning)<<43 | 5)
	g := quiet(t, fake.Endless(7), Config{Layout: hours, After: after, Now: fake.NewClock(morning).Now})
	require.Greater(t, must(g.GetUID()), after)
}
