package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/segment/segmenttest"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/doctor"
)

type segmentClient struct {
	*Segments
	conn *fakeConn
}

func TestSegments(t *testing.T) {
	for name, lag := range map[string]func(int64) bool{
		"servers behind by chance":          func(int64) bool { return false },
		"servers as far behind as they may": func(int64) bool { return true },
		"both":                              func(n int64) bool { return n%2 == 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			segmenttest.Run(t, segmenttest.Config{Histories: 20, Patience: 2 * time.Millisecond}, func(t *testing.T) segmenttest.Subject {
				f := newFake(time.Now)
				var n atomic.Int64
				return segmenttest.Subject{
					Open: func() (segment.Store, error) {
						conn := f.connect(lag(n.Add(1)))
						return segmentClient{stored(t, f, conn, Config{}).Segments(), conn}, nil
					},
					Fault:   func(s segment.Store, fault segmenttest.Fault) bool { return s.(segmentClient).conn.set(fault) },
					Deliver: f.deliver,
				}
			})
		})
	}
}

// TestSegmentsRoundTrips counts the requests of a take: a read and a write.
func TestSegmentsRoundTrips(t *testing.T) {
	clock := newHandClock()
	f := newFake(clock.Now)
	conn := f.connect(false)
	all := stored(t, f, conn, Config{})
	s := all.Segments()
	g, err := segment.New(segment.Source{Store: s, Tag: "../a b"}, segment.Config{Create: true})
	require.NoError(t, err)
	for want := range 3000 {
		u, err := g.GetUID()
		require.NoError(t, err)
		require.EqualValues(t, want+1, u)
	}
	require.NoError(t, g.Close())
	rows, err := s.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, "../a b", rows[0].Tag)
	require.EqualValues(t, 3001, rows[0].Next)
	clock.Advance(time.Hour)
	conn.mu.Lock()
	conn.reads, conn.writes = 0, 0
	conn.mu.Unlock()
	require.NoError(t, s.Change(t.Context(), "../a b", func(r *segment.Row) error { r.Next++; return nil }))
	require.Equal(t, 1, conn.reads)
	require.Equal(t, 1, conn.writes)

	rows, err = s.Rows(t.Context(), "", 10)
	require.NoError(t, err)
	require.True(t, clock.Now().Equal(rows[0].Updated))

	conn.counts()
	found, _, err := all.Namespaces(context.Background())
	require.ErrorIs(t, err, worker.ErrNoNamespace)
	require.Empty(t, found, "segments are no namespace of leases")
	reads, _ := conn.counts()
	require.Equal(t, 1, reads, "their list is left alone")

	findings, err := all.Examine(t.Context(), doctor.Config{})
	require.NoError(t, err)
	i := slices.IndexFunc(findings, func(f doctor.Finding) bool { return f.What == "rights on the nodes" })
	require.Contains(t, findings[i].Value, "2 of 2")
}

// Calls end with their contexts, and no error has what the network says.
func TestSegmentsFail(t *testing.T) {
	f := newFake(time.Now)
	conn := f.connect(false)
	s := stored(t, f, conn, Config{}).Segments()
	ways := map[string]func(ctx context.Context) error{
		"Change": func(ctx context.Context) error {
			return s.Change(ctx, "a", func(r *segment.Row) error { r.Next, r.Step = r.Next+1, 1; return nil })
		},
		"Rows":    func(ctx context.Context) error { _, err := s.Rows(ctx, "", 9); return err },
		"Inspect": func(ctx context.Context) error { _, err := s.Inspect(ctx); return err },
	}
	require.NoError(t, ways["Change"](t.Context()))
	conn.err = errors.New("dial hunter2")
	for name, call := range ways {
		err := call(t.Context())
		require.True(t, retry.IsTransient(err), name)
		require.NotContains(t, err.Error(), "hunter2", name)
	}
	conn.err = nil
	synctest.Test(t, func(t *testing.T) { // which fails when a goroutine is left
		conn.hold = make(chan struct{})
		for name, call := range ways {
			ctx, cancel := context.WithCancel(t.Context())
			returned := make(chan error)
			go func() { returned <- call(ctx) }()
			synctest.Wait() // until it waits for a reply
			cancel()
			err := <-returned
			require.ErrorIs(t, err, context.Canceled, name)
			require.True(t, retry.IsTransient(err), name)
		}
		close(conn.hold)
	})
}

// missing is a connection that does not see a node.
type missingNode struct {
	*fakeConn
	path string
}

func (c missingNode) Get(path string) ([]byte, *zk.Stat, error) {
	if path == c.path {
		return nil, &zk.Stat{}, zk.ErrNoNode
	}
	return c.fakeConn.Get(path)
}

// A row that is removed while a page is read does not end the page: who reads all pages would take it
// for the last one.
func TestSegmentsPages(t *testing.T) {
	f := newFake(time.Now)
	s := stored(t, f, missingNode{f.connect(false), "/uid/.segments/b"}, Config{}).Segments()
	whole := stored(t, f, f.connect(false), Config{}).Segments()
	want := []string{"a", "c"}
	for i := range 2 * batch {
		want = append(want, fmt.Sprintf("t%04d", i))
	}
	for _, tag := range append([]string{"b"}, want...) {
		require.NoError(t, whole.Change(t.Context(), tag, func(r *segment.Row) error { r.Next, r.Step = 1, 1; return nil }))
	}
	for _, most := range []int{-1, 0, 1, 2, 3, batch, batch + 1, len(want), len(want) + 1} {
		rows, err := s.Rows(t.Context(), "", most)
		require.NoError(t, err)
		var tags []string
		for _, r := range rows {
			tags = append(tags, r.Tag)
		}
		require.Equal(t, want[:min(max(most, 0), len(want))], append([]string{}, tags...), most)
	}
}

func TestSegmentsUnreadable(t *testing.T) {
	f := newFake(time.Now)
	conn := f.connect(false)
	s := stored(t, f, conn, Config{}).Segments()
	require.NoError(t, s.Change(t.Context(), "a", func(r *segment.Row) error { r.Next, r.Step = 1, 1; return nil }))
	_, err := conn.Set("/uid/.segments/a", []byte("secret"), -1)
	require.NoError(t, err)
	err = s.Change(t.Context(), "a", func(*segment.Row) error { return errors.New("decided") })
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorContains(t, err, `tag "a"`)
	require.NotContains(t, err.Error(), "secret")
	_, err = s.Rows(t.Context(), "", 10)
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorIs(t, s.Change(t.Context(), " a", func(*segment.Row) error { return nil }), uid.ErrConfig)
}
