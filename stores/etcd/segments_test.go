package etcd_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/storage"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/stores/internal/orders"
)

const (
	segmentKey  = "uid/segments/orders"
	thisCluster = 0xcdf818194e3a8c32
)

// segments returns the segments, as another client each time.
func segments(t *testing.T, s *server) segment.Store {
	t.Helper()
	return s.store(t, etcd.Config{}).Segments()
}

// A snapshot that is restored under another cluster ID refuses everybody, until the key is deleted.
func TestSegmentsRestoredElsewhere(t *testing.T) {
	s := newServer(t)
	l := segments(t, s)
	require.NoError(t, l.Change(t.Context(), "orders", orders.Draw(77)))
	s.backup()(0xbad)
	err := l.Change(t.Context(), "orders", orders.UnaskedDraw(t))
	require.ErrorIs(t, err, segment.ErrLost)
	orders.Fails(t, err, false, "cdf818194e3a8c32", "0000000000000bad", "77", segmentKey)
	require.Len(t, orders.Rows(t, l, 10), 1, "people may look")

	s.set(segmentKey, "")
	require.NoError(t, l.Change(t.Context(), "orders", func(r *storage.Segment) error {
		require.True(t, r.Fresh)
		return orders.Draw(100)(r)
	}))
	require.EqualValues(t, 100, orders.Rows(t, l, 10)[0].Next)
}

// What is under a tag's key is read by later versions: it must not change.
func TestSegmentValue(t *testing.T) {
	s := newServer(t)
	l := s.store(t, etcd.Config{Now: func() time.Time { return time.Unix(1782907200, 1999) }}).Segments()
	set := func(r *storage.Segment) error {
		*r = storage.Segment{
			Tag: "another", Next: math.MaxInt64, Step: 7, Description: "<d>", Updated: time.Unix(1, 0),
			Writes: 3, Floor: 5, Takers: []storage.Taker{{Nonce: "A", Last: 1<<53 + 1}},
		}
		return nil
	}
	require.NoError(t, l.Change(t.Context(), "orders", set))
	require.Regexp(t, `^\{"v":2,"cluster":"cdf818194e3a8c32","clock_error":0,`+
		`"text":\{"v":2,"write":"[A-Z2-7]{26}","next":9223372036854775807,"step":7,"description":"\\u003cd\\u003e",`+
		`"updated":1782907200000001,"writes":3,"floor":5,"takers":\["A 9007199254740993"\]\}\}$`, s.value(segmentKey))
}
