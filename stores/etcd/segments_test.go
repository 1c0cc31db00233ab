package etcd_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/stores/etcd"
	"github.com/uidgen/uid/worker/doctor"
)

const (
	segmentKey  = "uid/segments/orders"
	thisCluster = 0xcdf818194e3a8c32
)

// segments returns the segments, as another client each time.
func segments(t *testing.T, s *server) *etcd.Segments {
	t.Helper()
	return newStore(t, s).Segments()
}

// draw takes n numbers.
func draw(n int64) func(*segment.Row) error {
	return func(r *segment.Row) error {
		r.Step, r.Next = max(r.Step, 1), r.Next+n
		return nil
	}
}

func notDecided(t *testing.T) func(*segment.Row) error {
	return func(*segment.Row) error { t.Error("decide has run"); return nil }
}

func next(t *testing.T, s *server) (next int64) {
	t.Helper()
	no := errors.New("a look")
	require.ErrorIs(t, segments(t, s).Change(t.Context(), "orders", func(r *segment.Row) error { next = r.Next; return no }), no)
	return next
}

// A change is two requests, and a lost race is one more.
func TestSegmentRequests(t *testing.T) {
	s := newServer(t)
	l, other := segments(t, s), segments(t, s)
	change := func(c *etcd.Segments) func() {
		return func() { require.NoError(t, c.Change(t.Context(), "orders", draw(10))) }
	}
	require.Equal(t, 2, s.count(change(l)))
	require.Equal(t, 2, s.count(change(l)))
	s.between = change(other)
	require.Equal(t, 3+2, s.count(change(l)))
	require.EqualValues(t, 40, next(t, s))
}

// A write that the client library has sent twice is stored once, and decide does not run again.
func TestSegmentSentTwice(t *testing.T) {
	s := newServer(t)
	l := segments(t, s)
	for i := range int64(2) { // one that creates the row, and one that changes it
		s.mu.Lock()
		s.canceled = true
		s.mu.Unlock()
		runs := 0
		require.NoError(t, l.Change(t.Context(), "orders", func(r *segment.Row) error { runs++; return draw(5)(r) }))
		require.Equal(t, 1, runs)
		require.False(t, s.canceled)
		require.EqualValues(t, 5*(i+1), next(t, s))
	}
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
	require.NoError(t, l.Change(t.Context(), "orders", func(r *segment.Row) error {
		require.True(t, r.Fresh)
		return draw(100)(r)
	}))
	require.EqualValues(t, 100, next(t, s))
}

// What was decided before a snapshot was restored is not stored, or at least not confirmed.
func TestSegmentsDecidedBeforeRestore(t *testing.T) {
	late := func(l *etcd.Segments, meanwhile func()) error {
		return l.Change(t.Context(), "orders", func(r *segment.Row) error {
			if r.Description = ""; meanwhile != nil {
				meanwhile()
				meanwhile, r.Description = nil, "late"
			}
			return draw(5)(r)
		})
	}
	begin := func(t *testing.T) (*server, *etcd.Segments, func(uint64)) {
		s := newServer(t)
		l := segments(t, s)
		require.NoError(t, l.Change(t.Context(), "orders", draw(5)))
		return s, l, s.backup()
	}
	t.Run("the revision is not reached again", func(t *testing.T) {
		s, l, restore := begin(t)
		s.set("another/key", "x") // lost, and read with
		require.NoError(t, late(l, func() { restore(thisCluster) }))
		require.NotContains(t, s.value(segmentKey), "late", "decided on what is lost")
	})
	t.Run("the revision is another write", func(t *testing.T) {
		s, l, restore := begin(t)
		require.NoError(t, l.Change(t.Context(), "orders", draw(5))) // lost
		require.NoError(t, late(l, func() {
			restore(thisCluster)
			require.NoError(t, segments(t, s).Change(t.Context(), "orders", draw(5)))
		}))
		require.NotContains(t, s.value(segmentKey), "late")
		require.EqualValues(t, 15, next(t, s))
	})
	t.Run("another cluster answers", func(t *testing.T) {
		s, l, restore := begin(t)
		err := late(l, func() { restore(0xbad) })
		require.ErrorContains(t, err, "0000000000000bad")
		require.True(t, retry.IsTransient(err), "its outcome is open")
		require.ErrorIs(t, late(l, nil), segment.ErrLost)
		require.Contains(t, s.value(segmentKey), "late")
	})
}

// What is under a tag's key is read by later versions: it must not change.
func TestSegmentValue(t *testing.T) {
	s := newServer(t)
	store, err := etcd.New(s.client(t, nil), etcd.Config{Now: func() time.Time { return time.Unix(1782907200, 1999) }})
	require.NoError(t, err)
	l := store.Segments()
	set := func(r *segment.Row) error {
		*r = segment.Row{
			Tag: "another", Next: math.MaxInt64, Step: 7, Description: "<d>", Updated: time.Unix(1, 0),
			Writes: 3, Floor: 5, Takers: []segment.Taker{{Nonce: "A", Last: 1<<53 + 1}},
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

// What this package cannot have written is an error that names the key. Package segmentjson tries
// all that can be wrong with a row.
func TestSegmentUnreadable(t *testing.T) {
	const good = `{"v":2,"cluster":"cdf818194e3a8c32",` +
		`"clock_error":0,"text":{"v":2,"next":5,"step":1,"description":"","updated":0,"writes":0,"floor":0,"takers":[]}}`
	for value, says := range map[string]string{
		good: "",
		strings.Replace(good, `"cluster":"cdf8`, `"cluster":"0xCD`, 1): "cluster is not a number of 16",
		strings.Replace(good, `"v":2,"cluster"`, `"v":3,"cluster"`, 1): "newer version: its form is 3",
		strings.Replace(good, `"next":5,`, ``, 1):                      "a field is missing",
		strings.Replace(good, `"next":5`, `"next":-5`, 1):              "-5",
		strings.Replace(good, `"text":`, `"`+secret+`":1,"text":`, 1):  "a field that is not known",
		secret: "not a JSON object",
	} {
		s := newServer(t)
		l := segments(t, s)
		s.set(segmentKey, value)
		if says == "" {
			require.NoError(t, l.Change(t.Context(), "orders", draw(1)))
			continue
		}
		_, listed := l.Rows(t.Context(), "", 10)
		err := l.Change(t.Context(), "orders", notDecided(t))
		require.ErrorContains(t, err, says)
		for _, err := range []error{err, listed} {
			require.ErrorContains(t, err, "orders")
			require.NotContains(t, err.Error(), secret)
			require.False(t, retry.IsTransient(err))
		}
	}
	s := newServer(t)
	s.set("uid/segments/a@b", good)
	_, err := segments(t, s).Rows(t.Context(), "", 10)
	require.ErrorIs(t, err, uid.ErrRange)
	require.ErrorContains(t, err, "segments/a@b")
}

func TestSegmentRefusals(t *testing.T) {
	s := newServer(t)
	l := segments(t, s)
	require.Equal(t, "segments of etcd below uid/", l.Name())
	for _, tag := range []string{"", "a@b", strings.Repeat("x", 129), " x"} {
		require.Equal(t, segment.CheckTag(tag), l.Change(t.Context(), tag, notDecided(t)))
	}
	err := l.Change(t.Context(), "orders", func(r *segment.Row) error { r.Step, r.Description = 1, "\xff"; return nil })
	require.ErrorIs(t, err, uid.ErrConfig)
}

// Rows come in pages, however many there are, in the order of the bytes of their tags.
func TestSegmentRows(t *testing.T) {
	s := newServer(t)
	l := segments(t, s)
	require.NoError(t, l.Change(t.Context(), "orders", draw(1)))
	value := s.value(segmentKey)
	for i := range 1200 {
		s.set(fmt.Sprintf("uid/segments/t%04d", i), value)
	}
	s.set("uid/segments", "x")
	s.set("uid/segments0", "x") // behind all
	var tags []string
	for after := ""; ; {
		rows, err := l.Rows(t.Context(), after, 700)
		require.NoError(t, err)
		for _, r := range rows {
			tags = append(tags, r.Tag)
			after = r.Tag
		}
		if len(rows) < 700 {
			break
		}
	}
	require.Len(t, tags, 1201)
	require.IsIncreasing(t, tags)
	require.Equal(t, 3, s.count(func() {
		rows, err := l.Rows(t.Context(), "", math.MaxInt)
		require.NoError(t, err)
		require.Len(t, rows, 1201)
	}))
	for _, none := range []int{0, -1} {
		rows, err := l.Rows(t.Context(), "", none)
		require.NoError(t, err)
		require.Empty(t, rows)
	}
}

// A check looks at all rows.
func TestExamineSegments(t *testing.T) {
	s := newServer(t)
	finding := func() (found doctor.Finding) {
		findings, err := newStore(t, s).Examine(t.Context(), doctor.Config{})
		require.NoError(t, err)
		for _, f := range findings {
			if f.What == "segments in the store" {
				found = f
			}
		}
		return found
	}
	require.Empty(t, finding())
	l := segments(t, s)
	for _, tag := range []string{"a", "b", "orders"} {
		require.NoError(t, l.Change(t.Context(), tag, draw(1)))
	}
	require.Equal(t, doctor.LevelOK, finding().Level)
	s.set(segmentKey, "{}")
	require.Equal(t, doctor.LevelError, finding().Level)
	require.Equal(t, "1 of 3 cannot be used", finding().Value)
	s.backup()(0xbad)
	require.Equal(t, "3 of 3 cannot be used", finding().Value)
	require.Contains(t, finding().Why, "0000000000000bad")
}

func TestInspectSegments(t *testing.T) {
	s := newServer(t)
	for version, lossy := range map[string]int{"3.5.5": 1, "3.5.6": 0} {
		s.status.Version = version
		found, err := segments(t, s).Inspect(t.Context())
		require.NoError(t, err)
		require.Len(t, found, lossy)
	}
}
