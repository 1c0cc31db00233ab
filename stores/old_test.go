package stores_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker"
)

// A lagging driver answers each Query as it did the first time, unless that must not be.
type lagging struct {
	stores.Driver
	answers map[string]*stores.Answer
}

func (d lagging) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	if a := d.answers[fmt.Sprint(q)]; a != nil && !q.Newest {
		return a, nil
	}
	a, err := d.Driver.Read(ctx, q)
	if err == nil && !q.Newest {
		a.Old = true
		d.answers[fmt.Sprint(q)] = a
	}
	return a, err
}

// What is refused, or not found, was seen as it is, and not as it was.
func TestOldAnswers(t *testing.T) {
	look := errors.New("only a look")
	m := &drivers.Memory{}
	d := lagging{m, map[string]*stores.Answer{}}
	late := orders.Leases(t, stores.New(d))
	var saw int64
	looks := func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
		require.NotNil(t, r)
		saw = r.High
		return look
	}
	take := func() error { return late.Take(t.Context(), orders.Wanted(0, 0), looks) }
	change := func() error { return late.Change(t.Context(), 0, looks) }
	require.ErrorIs(t, take(), worker.ErrNoNamespace)
	require.ErrorIs(t, change(), worker.ErrNoNamespace)
	l := orders.Made(t, stores.New(m))
	require.ErrorIs(t, late.Init(t.Context(), func(n *storage.Namespace, _ storage.Clock) error {
		require.Equal(t, "made", n.Layout)
		return look
	}), look)
	none := func() (missing bool) {
		require.ErrorIs(t, late.Change(t.Context(), 1, func(_ *storage.Namespace, r *storage.Lease,
			_ storage.Clock) error {
			missing = missing || r == nil
			return look
		}), look)
		return missing
	}
	require.True(t, none())
	orders.Taken(t, l, orders.Wanted(0, 0), -time.Hour)
	orders.Taken(t, l, orders.Wanted(1, 1), time.Hour)
	require.False(t, none(), "a row that was made since is never offered as missing")
	require.ErrorIs(t, take(), look)
	require.ErrorIs(t, change(), look)
	clear(d.answers)
	require.ErrorIs(t, take(), look)
	require.ErrorIs(t, change(), look)
	require.EqualValues(t, 0, saw)

	set := func(high int64, until time.Duration) {
		require.NoError(t, l.Change(t.Context(), 0, func(_ *storage.Namespace, r *storage.Lease,
			now storage.Clock) error {
			r.High, r.Until = high, now.Now.Add(until)
			return nil
		}))
	}
	set(7, -time.Hour)
	for _, call := range []func() error{take, change} {
		saw = 0
		require.ErrorIs(t, call(), look)
		require.EqualValues(t, 7, saw)
	}
	set(8, time.Hour)
	require.ErrorIs(t, take(), uid.ErrNoWorkerID)
	clear(d.answers)
	require.ErrorIs(t, take(), uid.ErrNoWorkerID)
	set(9, -time.Hour)
	require.ErrorIs(t, take(), look, "it is free since")
	require.EqualValues(t, 9, saw)
}

// A mixed driver reads rows before somebody makes the first ones, and the namespace after that.
type mixed struct{ stores.Driver }

func (d mixed) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	a, err := d.Driver.Read(ctx, q)
	if err == nil && !q.Newest {
		a.Old, a.Pages = true, make([][]stores.Record, len(a.Pages))
	}
	return a, err
}

// Rows that were given and not seen are looked for, before new ones are made.
func TestRowsOfAnotherTime(t *testing.T) {
	m := &drivers.Memory{}
	orders.Taken(t, orders.Made(t, stores.New(m)), orders.Wanted(0, 100), time.Hour)
	late := orders.Leases(t, stores.New(mixed{m}))
	require.Less(t, orders.Taken(t, late, orders.Wanted(0, 100), time.Hour).WorkerID, int64(16))
}
