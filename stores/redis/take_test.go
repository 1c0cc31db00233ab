package redis_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
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
	take := func(last, highest int64) (id int64, unused bool) {
		w := lease.Wanted{IDs: lease.Range{First: 0, Last: last}, Highest: func(time.Time) int64 { return highest }}
		require.NoError(t, l.Take(t.Context(), w, func(_ *lease.Namespace, r *lease.Row, _ lease.Clock) error {
			id, unused = r.WorkerID, r.Unused()
			return nil
		}))
		return id, unused
	}
	id, unused := take(rows, 0)
	require.False(t, unused)
	require.Equal(t, int64(rows), id)
	id, unused = take(rows+1, -1)
	require.True(t, unused)
	require.Equal(t, int64(rows+1), id)
	id, _ = take(rows, -1)
	require.Equal(t, int64(1), id, "the last resort is the one that is over for longest")
}

// A row that is there and that no index names is an error: it would refuse all new IDs.
func TestRowThatNoIndexNames(t *testing.T) {
	f := newFake(t)
	l := made(t, f.store())
	at := f.given("orders") + 1
	f.HSet("uid:{orders}:rows", fmt.Sprint(at), "x")
	w := lease.Wanted{IDs: lease.Range{First: at, Last: 1000}, Highest: func(time.Time) int64 { return 0 }}
	err := l.Take(t.Context(), w, func(*lease.Namespace, *lease.Row, lease.Clock) error { return nil })
	require.ErrorContains(t, err, fmt.Sprintf("worker ID %d in the key uid:{orders}:rows", at))
	require.ErrorContains(t, err, "uid:{orders}:ids does not name")
	require.False(t, retry.IsTransient(err))
	require.Equal(t, "x", f.HGet("uid:{orders}:rows", fmt.Sprint(at)))
}

// Many who start at once do not go on choosing the same ID: they need some tries each, not as many
// as they are. That holds for new IDs, of which they make no more than they need, and for those that
// are over.
func TestStartsAtOnce(t *testing.T) {
	const starts = 40
	all := lease.Range{First: 0, Last: 5*starts - 1}
	for name, prepare := range map[string]func(l lease.Store){
		"new": func(lease.Store) {},
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
			require.Less(t, tries, 8*starts, fmt.Sprint(tries, " tries of ", starts, " starts"))
			if name == "new" {
				n := lease.Namespace{Given: 1}
				for n.Given < starts { // somebody has one of the first two
					made, _ := n.NewIDs(all)
					n.Given = made.Last
				}
				require.Equal(t, n.Given, f.given("orders"), "no more IDs than are needed")
			}
			t.Log(tries, "tries of", starts, "starts")
		})
	}
}
