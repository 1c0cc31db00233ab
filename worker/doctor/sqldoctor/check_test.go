package sqldoctor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/worker/doctor"
)

// checkFinding wants a finding of the level, with the words in its texts, and complete.
func checkFinding(t *testing.T, f doctor.Finding, level doctor.Level, words ...string) {
	t.Helper()
	require.Equal(t, level, f.Level, "%+v", f)
	require.NotEmpty(t, f.What)
	require.NotEmpty(t, f.Value)
	require.Equal(t, level == doctor.LevelOK, f.Why == "", "%+v", f)
	require.Equal(t, level == doctor.LevelOK, f.Do == "", "%+v", f)
	for _, w := range words {
		require.Contains(t, f.Value+"\n"+f.Why+"\n"+f.Do, w)
	}
}
