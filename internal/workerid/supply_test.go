package workerid_test

import (
	"bytes"
	"log/slog"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/workerid"
)

func TestLow(t *testing.T) {
	for _, c := range []struct {
		id, most int64
		low      bool
	}{
		{0, 0, false}, {0, 1, false}, {1, 1, true},
		{80, 100, false}, {81, 100, true}, {100, 100, true},
		{3355442, 4194303, false}, {3355443, 4194303, true}, {4194303, 4194303, true},
		{1 << 62, math.MaxInt64, false}, {math.MaxInt64, math.MaxInt64, true},
	} {
		require.Equal(t, c.low, workerid.Low(c.id, c.most), "%+v", c)
		var text bytes.Buffer
		workerid.WarnLow(t.Context(), slog.New(slog.NewTextHandler(&text, nil)), c.id, 0, c.most, "are used")
		require.Equal(t, c.low, strings.Contains(text.String(), "are used"))
		require.Equal(t, c.low, text.Len() > 0)
	}
	var text bytes.Buffer
	workerid.WarnLow(t.Context(), slog.New(slog.NewTextHandler(&text, nil)), 9, 0, 10, "are used", "table", "X")
	require.Contains(t, text.String(), `level=WARN msg="worker IDs are running out: more than 80 % are used" `+
		`worker_id=9 min_worker_id=0 max_worker_id=10 ids_left=1 table=X`)

	// Of a range it is the place in it that counts.
	for id, low := range map[int64]bool{512: false, 920: false, 921: true, 1023: true} {
		text.Reset()
		workerid.WarnLow(t.Context(), slog.New(slog.NewTextHandler(&text, nil)), id, 512, 1023, "are used")
		require.Equal(t, low, text.Len() > 0, id)
	}
}
