package etcd_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/etcd"
)

const (
	segmentKey  = "uid/segments/orders"
	thisCluster = 0xcdf818194e3a8c32
)

// segments returns the segments, as another client each time.
func segments(t *testing.T, s *server) segment.Store {
	t.Helper()
	return newStore(t, s).Segments()
}

// draw takes n numbers.
func draw(n int64) func(*segmentstore.Row) error {
	return func(r *segmentstore.Row) error {
		r.Step, r.Next = max(r.Step, 1), r.Next+n
		return nil
	}
}

func notDecided(t *testing.T) func(*segmentstore.Row) error {
	return func(*segmentstore.Row) error { t.Error("decide has run"); return nil }
}

func next(t *testing.T, s *server) (next int64) {
	t.Helper()
	no := errors.New("a look")
	require.ErrorIs(t, segments(t, s).Change(t.Context(), "orders",
		func(r *segmentstore.Row) error { next = r.Next; return no }), no)
	return next
}

// A snapshot that is restored under another cluster ID refuses everybody, until the key is deleted.
func TestSegmentsRestoredElsewhere(t *testing.T) {
	s := newServer(t)
	l := segments(t, s)
	require.NoError(t, l.Change(t.Context(), "orders", draw(77)))
	s.backup()(0xbad)
	err := l.Change(t.Context(), "orders", notDecided(t))
	require.ErrorIs(t, err, segment.ErrLost)
	require.False(t, retry.IsTransient(err))
	for _, says := range []string{"cdf818194e3a8c32", "0000000000000bad", "77", segmentKey} {
		require.ErrorContains(t, err, says)
	}
	rows, err := l.Rows(t.Context(), "", 10)
	require.NoError(t, err, "people may look")
	require.Len(t, rows, 1)

	s.set(segmentKey, "")
	require.NoError(t, l.Change(t.Context(), "orders", func(r *segmentstore.Row) error {
		require.True(t, r.Fresh)
		return draw(100)(r)
	}))
	require.EqualValues(t, 100, next(t, s))
}

// What is under a tag's key is read by later versions: it must not change.
func TestSegmentValue(t *testing.T) {
	s := newServer(t)
	store, err := etcd.New(s.client(t), etcd.Config{Now: func() time.Time { return time.Unix(1782907200, 1999) }})
	require.NoError(t, err)
	l := store.Segments()
	set := func(r *segmentstore.Row) error {
		*r = segmentstore.Row{
			Tag: "another", Next: math.MaxInt64, Step: 7, Description: "<d>", Updated: time.Unix(1, 0),
			Writes: 3, Floor: 5, Takers: []segmentstore.Taker{{Nonce: "A", Last: 1<<53 + 1}},
		}
		return nil
	}
	require.NoError(t, l.Change(t.Context(), "orders", set))
	is := s.value(segmentKey)
	require.Regexp(t, `^\{"v":2,"cluster":"cdf818194e3a8c32","clock_error":0,`+
		`"text":\{"v":2,"write":"[A-Z2-7]{26}","next":9223372036854775807,"step":7,"description":"\\u003cd\\u003e",`+
		`"updated":1782907200000001,"writes":3,"floor":5,"takers":\["A 9007199254740993"\]\}\}$`, is)
	require.NoError(t, l.Change(t.Context(), "orders", set))
	require.NotEqual(t, is, s.value(segmentKey), "no two values are equal, even if they say the same")
	rows, err := l.Rows(t.Context(), "", 1)
	require.NoError(t, err)
	require.Equal(t, "orders", rows[0].Tag)
	require.Equal(t, time.UnixMicro(1782907200000001).UTC(), rows[0].Updated)
}
