package etcd_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/segment/segmenttest"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/etcd/etcdtest"
	"github.com/uidgen/uid/test/engines/cluster"
)

func draw(n int64) func(*segment.Row) error {
	return func(r *segment.Row) error {
		r.Step, r.Next = max(r.Step, 1), r.Next+n
		return nil
	}
}

// A snapshot that is restored as another cluster: nobody goes on. A write that was on its way is
// refused, too.
func TestSegmentsRestoredElsewhere(t *testing.T) {
	c := start(t, 1)
	f := new(etcdtest.Faults)
	client := connect(t, f, c.Endpoints()...)
	store, err := etcd.New(client, etcd.Config{})
	require.NoError(t, err)
	s := store.Segments()
	require.NoError(t, s.Change(t.Context(), "orders", draw(10)))
	restore := backup(t, c)
	require.NoError(t, s.Change(t.Context(), "orders", draw(10))) // lost
	f.Set(segmenttest.Delay)
	require.True(t, retry.IsTransient(s.Change(t.Context(), "orders", draw(10))))

	restore("other")
	await(t, client)
	f.Deliver()
	rows, err := s.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	require.EqualValues(t, 10, rows[0].Next)
	err = s.Change(t.Context(), "orders", draw(10))
	require.ErrorIs(t, err, segment.ErrLost)
	t.Log(err)

	_, err = client.Delete(t.Context(), "uid/segments/orders")
	require.NoError(t, err)
	require.NoError(t, s.Change(t.Context(), "orders", draw(100)))
}

// Of clients that take numbers of one tag at the same time each needs some tries.
func TestSegmentsBesideOthers(t *testing.T) {
	c := start(t, 3)
	for _, clients := range []int{1, 4, 16} {
		const each = 40
		tag := fmt.Sprint(clients)
		tries := make([][]int, clients)
		var m meter
		var all sync.WaitGroup
		for i := range clients {
			client, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints()[i%3 : i%3+1], Logger: zap.NewNop(), DialOptions: m.dial()})
			require.NoError(t, err)
			t.Cleanup(func() { client.Close() })
			store, err := etcd.New(client, etcd.Config{})
			require.NoError(t, err)
			s := store.Segments()
			all.Go(func() {
				for range each {
					n := 0
					if err := s.Change(t.Context(), tag, func(r *segment.Row) error { n++; return draw(10)(r) }); err != nil {
						t.Error(err)
						return
					}
					tries[i] = append(tries[i], n)
				}
			})
		}
		all.Wait()
		sorted := slices.Sorted(slices.Values(slices.Concat(tries...)))
		t.Logf("%d clients: tries: median %d, 90%% %d, most %d; %.1f requests each", clients, sorted[len(sorted)/2], sorted[len(sorted)*9/10], sorted[len(sorted)-1],
			float64(m.requests)/float64(len(sorted)))
		rows, err := newStore(t, c).Rows(t.Context(), "", 10)
		require.NoError(t, err)
		i := slices.IndexFunc(rows, func(r segment.Row) bool { return r.Tag == tag })
		require.EqualValues(t, 10*each*clients, rows[i].Next)
	}
}

// Each member dies once while clients draw: no number comes twice.
func TestSegmentsMembersDie(t *testing.T) {
	c := start(t, 3)
	ctx, stop := context.WithCancel(t.Context())
	var mu sync.Mutex
	firsts := map[int64]bool{}
	failures := 0
	var all sync.WaitGroup
	for range 4 {
		client := connect(t, nil, c.Endpoints()...)
		store, err := etcd.New(client, etcd.Config{RequestTimeout: time.Second})
		require.NoError(t, err)
		s := store.Segments()
		all.Go(func() {
			for ctx.Err() == nil {
				var first int64
				err := s.Change(ctx, "orders", func(r *segment.Row) error { first = r.Next; return draw(10)(r) })
				mu.Lock()
				switch {
				case err == nil && firsts[first]:
					t.Errorf("%d was given out twice", first)
				case err == nil:
					firsts[first] = true
				case !retry.IsTransient(err):
					t.Error(err)
				default:
					failures++
				}
				mu.Unlock()
			}
		})
	}
	drawn := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(firsts)
	}
	more := func() {
		t.Helper()
		was := drawn()
		require.Eventually(t, func() bool { return drawn() >= was+100 }, time.Minute, 10*time.Millisecond)
	}
	for _, node := range c.Nodes {
		more()
		node.Kill()
		more()
		require.NoError(t, node.Restart())
	}
	more()
	stop()
	all.Wait()
	rows, err := newStore(t, c).Rows(t.Context(), "", 10)
	require.NoError(t, err)
	require.GreaterOrEqual(t, rows[0].Next, int64(10*len(firsts)))
	t.Logf("%d draws, %d failures; the next number is %d", len(firsts), failures, rows[0].Next)
}

func newStore(t *testing.T, c *cluster.Etcd) *etcd.Segments {
	store, err := etcd.New(connect(t, nil, c.Endpoints()...), etcd.Config{})
	require.NoError(t, err)
	return store.Segments()
}

// An account that may write the key of one tag draws its numbers, and no others.
func TestSegmentAccess(t *testing.T) {
	c := start(t, 1)
	admin := connect(t, nil, c.Endpoints()...)
	_, err := admin.RoleAdd(t.Context(), "invoices")
	require.NoError(t, err)
	_, err = admin.RoleGrantPermission(t.Context(), "invoices", "uid/segments/invoices", "", clientv3.PermissionType(clientv3.PermReadWrite))
	require.NoError(t, err)
	_, err = admin.UserAdd(t.Context(), canary+"invoices", canary)
	require.NoError(t, err)
	_, err = admin.UserGrantRole(t.Context(), canary+"invoices", "invoices")
	require.NoError(t, err)
	authenticate(t, admin)
	open := func(user string) *etcd.Segments {
		client, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints(), Logger: zap.NewNop(), Username: canary + user, Password: canary})
		require.NoError(t, err)
		t.Cleanup(func() { client.Close() })
		store, err := etcd.New(client, etcd.Config{})
		require.NoError(t, err)
		return store.Segments()
	}
	one := open("invoices")
	_, err = one.Inspect(t.Context())
	require.NoError(t, err)
	for range 2 {
		require.NoError(t, one.Change(t.Context(), "invoices", draw(10)))
	}
	_, listed := one.Rows(t.Context(), "", 10)
	for _, err := range []error{listed, one.Change(t.Context(), "orders", draw(10)), open("reader").Change(t.Context(), "invoices", draw(10))} {
		require.ErrorContains(t, err, "permission denied")
		require.False(t, retry.IsTransient(err))
		require.NotContains(t, logtest.Texts(err), canary)
	}
	all := open("service")
	require.NoError(t, all.Change(t.Context(), "orders", draw(10)))
	rows, err := all.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, rows, 2)
}
