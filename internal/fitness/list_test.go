package fitness

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
)

// checkRows wants one finding of each What, and all of them complete; that of what has to be of the level, or
// missing if that is "", and have the words in its texts.
func checkRows(t *testing.T, rows []row, what string, level doctor.Level, words ...string) {
	t.Helper()
	var is doctor.Finding
	for _, f := range doctor.Judge(rows...) {
		require.NotEmpty(t, f.What)
		require.NotEmpty(t, f.Value, "%+v", f)
		require.Equal(t, f.Level == ok, f.Why == "", "%+v", f)
		require.Equal(t, f.Level == ok, f.Do == "", "%+v", f)
		if f.What == what {
			is = f
		}
	}
	require.Equal(t, level, is.Level, "%s: %+v", what, is)
	for _, w := range words {
		require.Contains(t, is.Value+"\n"+is.Why+"\n"+is.Do, w)
	}
}

// with returns the settings with some of them changed.
func (s settings) with(changed settings) settings {
	s = maps.Clone(s)
	maps.Copy(s, changed)
	return s
}

// How bad a loss is depends on what the database is used for.
func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		e                           exam
		crashed, taken, damaged, no doctor.Level
	}{
		{exam{}, bad, warn, bad, bad}, // nobody knows what will be used
		{exam{hasNodes: true}, bad, warn, bad, bad},
		{exam{hasNodes: true, hasLease: true}, bad, warn, bad, bad},
		{exam{hasLease: true}, note, note, bad, bad},
		{exam{hasLease: true, Config: doctor.Config{Never: true}}, bad, bad, bad, bad},
		{exam{hasNodes: true, Config: doctor.Config{Never: true}}, bad, bad, bad, bad},
	} {
		require.Equal(t, tt.crashed, tt.e.level(crash), "%+v", tt.e)
		require.Equal(t, tt.taken, tt.e.level(takeover), "%+v", tt.e)
		require.Equal(t, tt.damaged, tt.e.level(damage))
		require.Equal(t, tt.no, tt.e.level(refused))
		require.Equal(t, note, tt.e.level(note))
	}
}
