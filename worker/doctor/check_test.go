package doctor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// checkFinding wants a finding of the level, with the words in its texts, and complete.
func checkFinding(t *testing.T, f Finding, level Level, words ...string) {
	t.Helper()
	require.Equal(t, level, f.Level, "%+v", f)
	require.NotEmpty(t, f.What)
	require.NotEmpty(t, f.Value)
	require.Equal(t, level == LevelOK, f.Why == "", "%+v", f)
	require.Equal(t, level == LevelOK, f.Do == "", "%+v", f)
	for _, w := range words {
		require.Contains(t, f.Value+"\n"+f.Why+"\n"+f.Do, w)
	}
}
