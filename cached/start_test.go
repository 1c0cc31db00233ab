package cached_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/fake"
)

// day is a day within every preset that is in use, on a whole second.
var day = time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)

// start returns a generator that is closed when the test ends. A clock of nil is the
// real one.
func start(t testing.TB, w uid.Worker, clock *fake.Clock, cfg cached.Config) *cached.Generator {
	t.Helper()
	if clock != nil {
		cfg.Now = clock.Now
		if fw, ok := w.(*fake.Worker); ok {
			fw.Now = clock.Now
		}
	}
	g, err := cached.New(w, cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// millis is a layout of millisecond ticks with runs of 16. (Layouts are made outside of
// synctest bubbles, where it is the year 2000 and every epoch in the future.)
var millis = bits.MustLayout(bits.Config{TimeBits: 41, WorkerBits: 10, SequenceBits: 4, Unit: time.Millisecond})

// runsOf16 is a layout of ticks of a second with runs of 16.
var runsOf16 = bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 20, SequenceBits: 4})
