package stores_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/internal/storetest"
	"github.com/uidgen/uid/internal/suite"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
	"github.com/uidgen/uid/worker/lease"
)

// A blocked driver reads rows by blocks of four.
type blocked struct {
	stores.Driver
	rows *atomic.Int64 // how many it was asked for
}

func (blocked) Block() int64 { return 4 }

func (d blocked) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	d.asked(q)
	return d.Driver.Read(ctx, q)
}

func (d blocked) Write(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
	stored, now, err := d.Driver.Write(ctx, w)
	if !stored {
		d.asked(w.Otherwise)
	}
	return stored, now, err
}

func (d blocked) asked(q stores.Query) {
	d.rows.Add(int64(len(q.Keys) - 1))
	for _, r := range q.Ranges {
		d.rows.Add(int64(r.Limit))
	}
}

// Leases are as they should be also where a Take reads four rows at a time.
func TestBlocks(t *testing.T) {
	cfg := suite.Settings{Histories: 40, Patience: 2 * time.Millisecond}
	storetest.Run(t, cfg, func(*testing.T) storetest.Subject {
		m := &drivers.Memory{}
		s := storetest.Over(drivers.Database{
			Open:   func() (stores.Driver, error) { return blocked{m, new(atomic.Int64)}, nil },
			Remove: func(key string) error { m.Set(key, ""); return nil },
			Backup: m.Backup,
		})
		s.SetGiven = nil // who reads a block does not see all rows above Given
		return s
	})
}

// A Take in a namespace of many blocks reads a few of them, other ones each time.
func TestManyBlocks(t *testing.T) {
	const last = 4999
	s, _ := made(t)
	var rows atomic.Int64
	l := orders.Leases(t, stores.New(blocked{s, &rows}))
	asks := func(w storage.Wanted, most int64) (id int64) {
		t.Helper()
		rows.Store(0)
		id = orders.Taken(t, l, w, time.Hour).WorkerID
		require.LessOrEqual(t, rows.Load(), most)
		return id
	}
	all, more := orders.Wanted(0, last), orders.Wanted(0, 1<<40)
	over := func(id int64) time.Duration { return time.Hour + time.Duration(last-id)*time.Second }
	s.fill(lease.Range{First: 0, Last: last}, over)
	seen := map[int64]bool{}
	errSeen := errors.New("seen")
	for range 20 {
		err := l.Take(t.Context(), all, func(_ *storage.Namespace, r *storage.Lease, _ storage.Clock) error {
			seen[r.WorkerID/4] = true
			return errSeen
		})
		require.ErrorIs(t, err, errSeen)
	}
	require.Greater(t, len(seen), 10, "blocks of the rows that were over")

	// In one block all is known.
	for id := range int64(4) {
		require.Equal(t, id, asks(orders.Wanted(0, 3), 4))
	}

	// Who was slower tries a block, and not all that others have seen, too.
	s.fill(lease.Range{First: 0, Last: last}, over)
	s.between = func() { s.fill(lease.Range{First: 0, Last: last}, over) }
	asks(all, 2*4+1+4)

	// Where none is found the newest are tried before there are new ones.
	s.fill(lease.Range{First: 0, Last: last}, held)
	require.EqualValues(t, last+1, asks(more, 2*4+3*4+1+100), "100 are made")
	given := s.given(t)
	s.fill(lease.Range{First: 0, Last: given}, heldBut(given))
	require.EqualValues(t, given, asks(more, 2*4+3*4))
	require.Equal(t, given, s.given(t))

	// All are read when there can be no more.
	s.fill(lease.Range{First: 0, Last: last}, heldBut(2345))
	require.EqualValues(t, 2345, asks(all, 2*last))
	require.ErrorIs(t, s.looks(l, all), uid.ErrNoWorkerID)
}
