package redis_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/lease"
)

// However many rows have ticks of the future, the one that has not is found.
func TestManyRowsOfTheFuture(t *testing.T) {
	const rows = 150
	f := newFake(t)
	l := made(t, f.store())
	for id := int64(1); id <= rows; id++ {
		w := lease.Wanted{IDs: lease.Range{First: id, Last: id}, Highest: func(time.Time) int64 { return 0 }}
		require.NoError(t, l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
			if r.Until, r.High = now.Now.Add(-time.Hour).Add(time.Duration(id)*time.Second), 1000; id == rows {
				r.High = 0
			}
			return nil
		}))
	}
	take := func(last, highest int64) (id int64, fresh bool) {
		w := lease.Wanted{IDs: lease.Range{First: 0, Last: last}, Highest: func(time.Time) int64 { return highest }}
		require.NoError(t, l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			id, fresh = r.WorkerID, r.Fresh
			return nil
		}))
		return id, fresh
	}
	id, fresh := take(rows, 0)
	require.False(t, fresh)
	require.Equal(t, int64(rows), id)
	id, fresh = take(rows+1, -1)
	require.True(t, fresh)
	require.Equal(t, int64(rows+1), id)
	id, _ = take(rows, -1)
	require.Equal(t, int64(1), id, "the last resort is the one that is over for longest")
}

// Many who start at once do not go on choosing the same ID: they need some tries each, not as many
// as they are. That holds for new IDs, for those that are over, and for gaps.
func TestStartsAtOnce(t *testing.T) {
	const starts = 40
	all := lease.Range{First: 0, Last: 5*starts - 1}
	for name, prepare := range map[string]func(l lease.Store){
		"new": func(lease.Store) {},
		"gaps": func(l lease.Store) {
			w := lease.Wanted{IDs: lease.Range{First: all.Last, Last: all.Last}, Highest: func(time.Time) int64 { return 0 }}
			require.NoError(t, l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
				r.Until = now.Now.Add(time.Hour)
				return nil
			}))
		},
		"over": func(l lease.Store) {
			for id := range all.Last + 1 {
				w := lease.Wanted{IDs: lease.Range{First: id, Last: id}, Highest: func(time.Time) int64 { return 0 }}
				_ = l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
					r.Until = now.Now.Add(-time.Hour)
					return nil
				})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFake(t)
			store := f.store()
			prepare(made(t, store))
			// Each round all that are left read, and then all write.
			var mu sync.Mutex
			ids, tries, deciding := map[int64]bool{}, 0, 0
			round := make(chan struct{})
			left := starts
			var owners sync.WaitGroup
			next := func() { // under mu
				if deciding == left && left > 0 {
					deciding = 0
					close(round)
					round = make(chan struct{})
				}
			}
			for range starts {
				owners.Go(func() {
					l, err := store.Leases("orders")
					if err != nil {
						t.Error(err)
						return
					}
					id := int64(-1)
					w := lease.Wanted{IDs: all, Highest: func(time.Time) int64 { return math.MaxInt64 }}
					err = l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
						id, r.Until = r.WorkerID, now.Now.Add(time.Hour)
						mu.Lock()
						tries++
						deciding++
						wait := round
						next()
						mu.Unlock()
						<-wait
						return nil
					})
					mu.Lock()
					defer mu.Unlock()
					if err != nil || ids[id] {
						t.Errorf("worker ID %d, twice: %v, %v", id, ids[id], err)
					}
					ids[id] = true
					left--
					next()
				})
			}
			owners.Wait()
			require.Len(t, ids, starts)
			require.Less(t, tries, 15*starts, fmt.Sprint(tries, " tries of ", starts, " starts"))
			t.Log(tries, "tries of", starts, "starts")
		})
	}
}
