package stores_test

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/leasestore"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/memory"
	"github.com/uidgen/uid/worker/lease"
)

// A far driver is one over a line with some delay. It counts its requests.
type far struct {
	stores.Driver
	trip            time.Duration
	requests, bytes atomic.Int64
}

func (d *far) Read(ctx context.Context, q stores.Query) (*stores.Answer, error) {
	d.requests.Add(1)
	time.Sleep(d.trip / 2)
	defer time.Sleep(d.trip / 2)
	return d.count(d.Driver.Read(ctx, q))
}

func (d *far) Write(ctx context.Context, w stores.Write) (bool, *stores.Answer, error) {
	d.requests.Add(1)
	time.Sleep(d.trip / 2)
	defer time.Sleep(d.trip / 2)
	stored, now, err := d.Driver.Write(ctx, w)
	_, _ = d.count(now, err)
	return stored, now, err
}

func (d *far) count(a *stores.Answer, err error) (*stores.Answer, error) {
	if a != nil {
		for _, page := range append(a.Pages, a.Records) {
			for _, r := range page {
				d.bytes.Add(int64(len(r.Text)))
			}
		}
	}
	return a, err
}

func wanted(first, last int64) leasestore.Wanted {
	return leasestore.Wanted{IDs: lease.Range{First: first, Last: last}, Rest: time.Minute,
		Highest: func(time.Time) int64 { return math.MaxInt64 }}
}

func made(t testing.TB, d stores.Driver) lease.Store {
	t.Helper()
	l, err := stores.New(d).Leases("orders")
	require.NoError(t, err)
	require.NoError(t, l.Init(t.Context(), func(n *leasestore.Namespace,
		_ leasestore.Clock) error {
		n.Layout = "made"
		return nil
	}))
	return l
}

// taken takes a row, whose lease then lasts for d.
func taken(t testing.TB, l lease.Store, w leasestore.Wanted, d time.Duration) (row leasestore.Row) {
	t.Helper()
	require.NoError(t, l.Take(t.Context(), w, func(_ *leasestore.Namespace, r *leasestore.Row,
		now leasestore.Clock) error {
		row = *r
		r.Nonce, r.Until, r.High = "n", now.Now.Add(d), r.High+1
		return nil
	}))
	return row
}

// Many that start at once get IDs of their own, soon, with few requests each.
func TestManyAtOnce(t *testing.T) {
	for _, n := range []int{1, 40, 180} { // with the rows that are over, more than a Take reads at first
		for name, rows := range map[string]int{"new": 0, "over": n + n/2, "some of each": n / 2} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := &memory.Driver{}
					l := made(t, m)
					for i := range rows {
						taken(t, l, wanted(int64(i), int64(i)), -time.Hour+time.Duration(i)*time.Millisecond)
					}
					d := &far{Driver: m, trip: 80 * time.Millisecond}
					began := time.Now()
					var all sync.WaitGroup
					var ids sync.Map
					for range n {
						all.Go(func() {
							l, err := stores.New(d).Leases("orders")
							require.NoError(t, err)
							_, twice := ids.LoadOrStore(taken(t, l, wanted(0, 1<<22), time.Hour).WorkerID, true)
							require.False(t, twice)
						})
					}
					all.Wait()
					require.Less(t, d.requests.Load(), int64(24*n), "requests of %d starts", n)
					t.Logf("%d: %v, %.1f requests and %d kB each", n, time.Since(began),
						float64(d.requests.Load())/float64(n), d.bytes.Load()/int64(n)>>10)
				})
			})
		}
	}
}
