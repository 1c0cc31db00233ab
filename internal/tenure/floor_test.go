package tenure

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	uid "github.com/uidgen/uid"
)

// Whatever a worker reserves, now or later, ticks below the floor are not granted.
func TestFloorOfAnyWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, o := newFakes(t, uid.Reservation{WorkerID: 3, Last: 10, Renew: 0})
		grants(w, uid.Reservation{WorkerID: 4, First: 5, Last: 30, Renew: 1 << 40})
		cfg := o.config()
		cfg.Terms.MinTick = 20
		asked := int64(0)
		acquire := w.OnAcquire
		w.OnAcquire = func(ctx context.Context, t uid.Terms) (uid.Reservation, error) {
			asked = t.MinTick
			return acquire(ctx, t)
		}
		ten, err := Start(t.Context(), w, cfg)
		require.NoError(t, err)
		require.EqualValues(t, 20, asked)
		synctest.Wait()
		all := o.grants()
		require.GreaterOrEqual(t, len(all), 2)
		for _, r := range all {
			require.EqualValues(t, 20, r.First)
		}
		require.Equal(t, uid.Reservation{WorkerID: 4, First: 20, Last: 30, Renew: 1 << 40}, ten.Grant().Reservation)
		require.NoError(t, ten.Stop(t.Context(), -1))
	})
}
