package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/worker/lease"
)

// fill writes rows by hand, which are over since ago(id), or held where that is negative.
func (s *server) fill(ids lease.Range, ago func(id int64) time.Duration) {
	now := time.Now()
	for id := ids.First; id <= ids.Last; id++ {
		s.set(workerKey(id), fmt.Sprintf(`{"v":1,"write":"w","nonce":"n","high":7,"until":%d,"layout":"l","holder":"h","acquired":0,"renewed":0,"reach":0}`, now.Add(-ago(id)).UnixMicro()))
	}
	s.set(topKey, fmt.Sprintf("%019d", ids.Last))
}

func held(int64) time.Duration { return -time.Hour }

// heldBut is held, but for some.
func heldBut(over ...int64) func(int64) time.Duration {
	return func(id int64) time.Duration {
		if slices.Contains(over, id) {
			return time.Hour + time.Duration(id)*time.Second
		}
		return -time.Hour
	}
}

// A large namespace is not read as a whole.
func TestLargeNamespace(t *testing.T) {
	s := newServer(t)
	l := made(t, s)
	const rows = 5000
	s.fill(lease.Range{First: 0, Last: rows - 1}, held)
	all := lease.Wanted{IDs: lease.Range{First: 0, Last: 1<<22 - 1}, Rest: time.Minute, Highest: wanted(0, 0).Highest}
	var ids []int64
	require.Equal(t, 2*3, s.count(func() {
		for range 3 {
			ids = append(ids, taken(t, l, all, time.Hour))
		}
	}))
	require.Equal(t, []int64{rows, rows + 1, rows + 2}, ids, "none is over: the ID above all rows")
	require.NoError(t, s.looks(l, all))
	require.Less(t, s.sent, 500*200, "bytes for a look, of %d rows", rows)

	s.set(workerKey(rows), "") // a gap is left alone as long as there are IDs above
	require.EqualValues(t, rows+3, taken(t, l, all, time.Hour))

	// An ID below does not lower what is noted as the highest.
	s.set(workerKey(100), "")
	require.EqualValues(t, 100, taken(t, l, wanted(100, 100), time.Hour))
	require.EqualValues(t, rows+4, taken(t, l, all, time.Hour))

	// Of the first rows the one that has been over for longest.
	s.fill(lease.Range{First: 0, Last: rows - 1}, heldBut(7, 200, 30))
	require.EqualValues(t, 200, taken(t, l, all, time.Hour))
	require.EqualValues(t, 30, taken(t, l, all, time.Hour))

	// When a good part is over, a look finds one of them anywhere.
	s.fill(lease.Range{First: 0, Last: rows - 1}, func(id int64) time.Duration {
		return map[bool]time.Duration{true: time.Hour, false: -time.Hour}[id > 300]
	})
	id := taken(t, l, all, time.Hour)
	require.Greater(t, id, int64(300))
	require.Less(t, id, int64(rows))
}

// looks makes a Take that only looks.
func (s *server) looks(l *etcd.Leases, w lease.Wanted) error {
	look := errors.New("a look")
	err := l.Take(context.Background(), w, func(*lease.Namespace, *lease.Row, lease.Clock) error { return look })
	if errors.Is(err, look) {
		return nil
	}
	return err
}

// When all IDs have rows, all are read until one is found that is free, or none.
func TestFullNamespace(t *testing.T) {
	s := newServer(t)
	l := made(t, s)
	const last = 2999
	w := wanted(0, last)
	w.Rest = time.Minute
	s.fill(lease.Range{First: 0, Last: last}, heldBut(2345))
	require.EqualValues(t, 2345, taken(t, l, w, time.Hour))
	var err error
	requests := s.count(func() { err = s.looks(l, w) })
	require.ErrorIs(t, err, uid.ErrNoWorkerID)
	require.LessOrEqual(t, requests, 1+(last+1)/500+2)

	// The first one to be free is named, wherever it is.
	s.fill(lease.Range{First: 0, Last: last}, func(id int64) time.Duration {
		return -time.Hour - time.Duration(max(id, 1234)-min(id, 1234))*time.Second
	})
	first := time.Now().Add(time.Hour)
	err = s.looks(l, w)
	require.ErrorIs(t, err, uid.ErrNoWorkerID)
	require.ErrorContains(t, err, "of 0 to 2999")
	require.ErrorContains(t, err, first.Add(time.Minute).UTC().Format("2006-01-02T15"))

	s.set(workerKey(1777), "")
	require.EqualValues(t, 1777, taken(t, l, w, time.Hour), "a gap")

	// The last resort is a row with ticks of the future, when nothing else is left.
	s.fill(lease.Range{First: 0, Last: last}, heldBut(2222))
	w.Highest = func(time.Time) int64 { return 6 }
	require.EqualValues(t, 2222, taken(t, l, w, time.Hour))
	s.fill(lease.Range{First: 0, Last: last}, heldBut(2222))
	s.set(workerKey(1777), "")
	require.EqualValues(t, 1777, taken(t, l, w, time.Hour))
}

// A namespace that owns a range looks for free IDs in there.
func TestRangeOfItsOwn(t *testing.T) {
	s := newServer(t)
	l := made(t, s)
	require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error {
		n.IDs = lease.Range{First: 2000, Last: 3999}
		return nil
	}))
	require.EqualValues(t, 2000, taken(t, l, wanted(0, 1<<22), time.Hour))
	s.fill(lease.Range{First: 1000, Last: 2999}, held)
	require.EqualValues(t, 3000, taken(t, l, wanted(0, 1<<22), time.Hour))
	s.fill(lease.Range{First: 1000, Last: 4999}, func(id int64) time.Duration {
		return map[bool]time.Duration{true: -time.Hour, false: time.Hour}[id >= 2000 && id <= 3999 && id != 3456]
	})
	require.EqualValues(t, 3456, taken(t, l, wanted(0, 1<<22), time.Hour))
	require.ErrorIs(t, s.looks(l, wanted(0, 1<<22)), uid.ErrNoWorkerID)

	// The sample is of the range, not of all IDs that are asked for.
	require.NoError(t, l.Init(t.Context(), func(n *lease.Namespace, _ lease.Clock) error {
		n.IDs = lease.Range{First: 1 << 21, Last: 1<<22 - 1}
		return nil
	}))
	s.fill(lease.Range{First: 1 << 21, Last: 1<<21 + 2999}, func(id int64) time.Duration {
		return map[bool]time.Duration{true: time.Hour, false: -time.Hour}[id > 1<<21+300]
	})
	require.Less(t, taken(t, l, wanted(0, 1<<22), time.Hour), int64(1<<21+3000), "one that is over")

	strict := wanted(1999, 2001)
	strict.Strict = true
	require.ErrorIs(t, s.looks(l, strict), uid.ErrRange)
}

// Many that start at once get IDs of their own, soon.
func TestManyAtOnce(t *testing.T) {
	const n = 60
	for name, over := range map[string]int64{"new IDs": -1, "old IDs": n + 20, "some of each": n / 2} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			l := made(t, s)
			if over > 0 {
				s.fill(lease.Range{First: 0, Last: over - 1}, func(id int64) time.Duration { return time.Hour + time.Duration(id)*time.Second })
			}
			var mu sync.Mutex
			got := map[int64]bool{}
			var all sync.WaitGroup
			start := make(chan struct{})
			for range n {
				all.Go(func() {
					var id int64
					met := false
					err := l.Take(t.Context(), wanted(0, 1<<22), func(_ *lease.Namespace, r *lease.Row, now lease.Clock) error {
						if id, r.Until = r.WorkerID, now.Now.Add(time.Hour); !met {
							met = true
							<-start
						}
						return nil
					})
					mu.Lock()
					defer mu.Unlock()
					if err != nil || got[id] {
						t.Errorf("worker ID %d, which somebody has: %v; %v", id, got[id], err)
					}
					got[id] = true
				})
			}
			requests := s.count(func() { close(start); all.Wait() })
			require.Len(t, got, n)
			require.Less(t, requests, 15*n, "%d starts at once", n)
			t.Logf("%d requests for %d starts, the highest ID is %d", requests, n, slices.Max(slices.Collect(maps.Keys(got))))
		})
	}
}

// A namespace that is made anew knows the rows that are left of a former one.
func TestRowsAreLeft(t *testing.T) {
	s := newServer(t)
	l := made(t, s)
	s.fill(lease.Range{First: 0, Last: 1200}, held)
	s.set(namespaceKey, "")
	s.set(topKey, "")
	made(t, s)
	require.EqualValues(t, 1201, taken(t, l, wanted(0, 1<<22), time.Hour))
}
