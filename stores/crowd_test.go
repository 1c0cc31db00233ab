package stores_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/drivers"
	"github.com/uidgen/uid/stores"
	"github.com/uidgen/uid/stores/internal/orders"
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

// Many that start at once get IDs of their own, soon, with few requests each.
func TestManyAtOnce(t *testing.T) {
	for _, n := range []int{1, 40, 180} { // with the rows that are over, more than a Take reads at first
		for name, rows := range map[string]int{"new": 0, "over": n + n/2, "some of each": n / 2} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := &drivers.Memory{}
					l := orders.Made(t, stores.New(m))
					for i := range int64(rows) {
						orders.Taken(t, l, orders.Wanted(i, i), -time.Hour+time.Duration(i)*time.Millisecond)
					}
					d := &far{Driver: m, trip: 80 * time.Millisecond}
					began := time.Now()
					var all sync.WaitGroup
					var ids sync.Map
					for range n {
						all.Go(func() {
							l := orders.Leases(t, stores.New(d))
							row := orders.Taken(t, l, orders.Wanted(0, 1<<22), time.Hour)
							_, twice := ids.LoadOrStore(row.WorkerID, true)
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
