package tenure

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/fake"
)

// Whatever a worker reserves, now or later, ticks below the floor are not granted.
func TestFloorOfAnyWorker(t *testing.T) {
	bubble(t, upTo(10, 0), func(t *testing.T, w *fake.Worker, o *fakeOwner) {
		grants(w, uid.Reservation{WorkerID: 4, First: 5, Last: 30, Renew: 1 << 40})
		o.cfg.Terms.MinTick = 20
		ten := start(t, w, o)
		require.EqualValues(t, 20, w.Terms.MinTick)
		synctest.Wait()
		all := o.grants()
		require.GreaterOrEqual(t, len(all), 2)
		for _, r := range all {
			require.EqualValues(t, 20, r.First)
		}
		require.Equal(t, uid.Reservation{WorkerID: 4, First: 20, Last: 30, Renew: 1 << 40}, ten.Grant().Reservation)
	})
}
