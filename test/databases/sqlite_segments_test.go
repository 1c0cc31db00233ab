package databases_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/segmentstore"
	"github.com/uidgen/uid/worker"
)

// Numbers are taken from the file that is in its place, under its only name, and from no other.
func TestSegmentsInAPlace(t *testing.T) {
	t.Parallel()
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
		require.Equal(t, segmentstore.Range{First: 21, Last: 30}, draw(t, segments, "orders"))

		moveAll(t, s.Source, s.Source+".old")
		setJournal(t, s, mode)
		other := s.Open(t)
		require.Equal(t, segmentstore.Range{First: 1, Last: 10}, draw(t, segmentsOf(t, other), "orders"))
		before = contentOfSegments(t, other)
		refused("no longer in its place")
		require.Equal(t, before, contentOfSegments(t, other))
	})
}
