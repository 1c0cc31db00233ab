package cached_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cached"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/internal/fake"
)

// day is a day within every preset that is in use, on a whole second.
var day = conformance.Day

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

// next returns the UID of a draw.
func next(t testing.TB, draw func() (uid.UID, error)) uid.UID {
	t.Helper()
	u, err := draw()
	require.NoError(t, err)
	return u
}

// errOf returns the error of a call.
func errOf[T any](_ T, err error) error { return err }

// millis is a layout of millisecond ticks with runs of 16.
var millis = conformance.Sixteen

// runsOf16 is a layout of ticks of a second with runs of 16.
var runsOf16 = bits.MustLayout(bits.Config{TimeBits: 30, WorkerBits: 20, SequenceBits: 4})
