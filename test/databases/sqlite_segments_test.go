package databases_test

import (
	"os"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/segment"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker"
)

// Numbers are taken from the file that is in its place, under its only name, and from no other.
func TestSegmentsInAPlace(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		link := func() {}
		db := hooked(t, s, &link)
		segments := segmentsOf(t, db)
		draw(t, segments, "orders")
		refused := func(says string) {
			t.Helper()
			_, err := drawn(t.Context(), segments, "orders", "drawer", 10)
			require.ErrorIs(t, err, worker.ErrState)
			require.ErrorContains(t, err, says)
			require.NotContains(t, logtest.Texts(err), s.Source)
		}
		second := s.Source + ".link"
		require.NoError(t, os.Link(s.Source, second))
		before := contentOfSegments(t, db)
		refused("2 names")
		require.Equal(t, before, contentOfSegments(t, db), "nothing was written")
		require.NoError(t, os.Remove(second))

		link = func() { _ = os.Link(s.Source, second) }
		refused("2 names")
		link = func() {}
		require.NoError(t, os.Remove(second))
		require.NotEqual(t, before, contentOfSegments(t, db), "it was committed")
		require.Equal(t, segment.Range{First: 21, Last: 30}, draw(t, segments, "orders"))

		moveAll(t, s.Source, s.Source+".old")
		setJournal(t, s, mode)
		other := s.Open(t)
		require.Equal(t, segment.Range{First: 1, Last: 10}, draw(t, segmentsOf(t, other), "orders"))
		before = contentOfSegments(t, other)
		refused("no longer in its place")
		require.Equal(t, before, contentOfSegments(t, other))
	})
}

// A connection of the pool that has a former file open writes where nobody looks.
func TestSegmentsOfAStaleConnection(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		db := s.Open(t)
		draw(t, segmentsOf(t, db), "orders")
		moveAll(t, s.Source, s.Source+".old")
		setJournal(t, s, mode)
		other := s.Open(t)
		draw(t, segmentsOf(t, other), "orders")

		before := contentOfSegments(t, other)
		anew := segmentsOf(t, db)
		_, err := drawn(t.Context(), anew, "orders", "drawer", 10)
		require.ErrorIs(t, err, worker.ErrState)
		require.Equal(t, before, contentOfSegments(t, other))
		require.Equal(t, segment.Range{First: 11, Last: 20}, draw(t, anew, "orders"))
	})
}

// A row that was written, and is another's by the time it is read back, was written.
func TestSegmentIsAnothersByThen(t *testing.T) {
	eachJournal(t, func(t *testing.T, s store, mode string) {
		change := func() {}
		db, other := hooked(t, s, &change), s.Open(t)
		segments := segmentsOf(t, db)
		draw(t, segments, "orders")
		change = func() { kit.Do(t, other, "UPDATE leaf_alloc_takers SET nonce = 'another'") }
		require.Equal(t, segment.Range{First: 11, Last: 20}, draw(t, segments, "orders"))
	})
}

func TestSegmentsWithoutAPlace(t *testing.T) {
	db, err := sqlx.Open("sqlite", ":memory:")
	require.NoError(t, err)
	defer db.Close()
	_, err = drawn(t.Context(), segmentsOf(t, db), "orders", "drawer", 10)
	require.ErrorIs(t, err, uid.ErrConfig)
	require.ErrorContains(t, err, "in memory")
}
