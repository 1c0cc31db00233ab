package stores_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker/lease"
)

// An off driver's clock may be off by a second.
type off struct{ stores.Driver }

func (d off) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	a, err := d.Driver.Read(ctx, q)
	if err == nil {
		a.Clock.Error = time.Second
	}
	return a, err
}

// A row is free when its lease has been over for the Rest by everybody's clock, not sooner; until then the error of a
// Take says when that is. How far ahead its ticks may be goes by the store's clock.
func TestWhenARowIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer()
		l := orders.Made(t, stores.New(off{s}))
		w := orders.Wanted(0, 0)
		w.Highest = func(now time.Time) int64 {
			require.True(t, now.Equal(time.Now()), "the store's clock")
			return 7
		}
		rest := w.Rest + time.Second
		s.fill(lease.Range{First: 0, Last: 0}, func(int64) time.Duration { return rest })
		logtest.Error(t, s.looks(l, w), uid.ErrNoWorkerID, "until "+time.Now().UTC().Format(time.RFC3339Nano))
		s.fill(lease.Range{First: 0, Last: 0}, func(int64) time.Duration { return rest + time.Microsecond })
		require.NoError(t, s.looks(l, w))
	})
}

// Rows that are left below the namespace's range are read, and not offered.
func TestRowsBelowTheRange(t *testing.T) {
	s, l := made(t)
	s.fill(lease.Range{First: 0, Last: 29}, heldBut(3, 25))
	orders.Set(t, l, func(n *storage.Namespace) { n.IDs = lease.Range{First: 20, Last: 29} })
	require.EqualValues(t, 25, orders.Taken(t, l, orders.Wanted(0, 99), time.Hour).WorkerID)
	require.ErrorIs(t, s.looks(l, orders.Wanted(0, 99)), uid.ErrNoWorkerID)
}
