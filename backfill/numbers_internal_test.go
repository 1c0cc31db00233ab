package backfill

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
)

// A run needs all of its ticks, whatever a disposable worker reserves.
func TestNumbersReserveAll(t *testing.T) {
	w := want{first: 10, last: 20}
	require.NoError(t, w.within(uid.Reservation{Last: math.MaxInt64}))
	require.NoError(t, w.within(uid.Reservation{First: 10, Last: 20}))
	for _, r := range []uid.Reservation{{First: 11, Last: 20}, {First: 10, Last: 19}, {First: 0, Last: -1}} {
		logtest.Error(t, w.within(r), uid.ErrNoReservation, "the run needs 10 to 20")
	}
}
