package segment_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/conformance"
	"github.com/uidgen/uid/segment"
)

func TestConformance(t *testing.T) {
	conformance.Every(t, func(t testing.TB) uid.Generator { return newHouse().start(t, segment.Config{}) })
	empty := func(t testing.TB, handler func(uid.Rejection) error, log *slog.Logger) uid.Generator {
		h := newHouse()
		h.takes = time.Second
		g := h.start(t, segment.Config{OnRejectedTake: handler, Logger: log})
		require.ErrorIs(t, errOf(g.TryGetUID()), uid.ErrRejectedTake) // has numbers asked for
		return g
	}
	t.Run("Waiting", func(t *testing.T) {
		conformance.Waiting(t, time.Second, func(t testing.TB) uid.Generator { return empty(t, nil, nil) })
	})
	t.Run("Handled", func(t *testing.T) { conformance.Handled(t, empty) })
}
