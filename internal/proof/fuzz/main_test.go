package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestFindings: of a module with a sound target and one with a fault, both are listed, and the fault
// is found.
func TestFindings(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	for name, text := range map[string]string{
		"go.mod": "module example.org/a\n",
		"a.go":   "package a\n",
		"a_test.go": "package a\nimport \"testing\"\n" +
			"func FuzzSound(f *testing.F) { f.Fuzz(func(*testing.T, []byte) {}) }\n" +
			"func FuzzFaulty(f *testing.F) { f.Add(1); f.Fuzz(func(t *testing.T, n int) { if n != 1 { t.Error(n) } }) }\n" +
			"func helper() {}\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	targets, err := list("./...")
	require.NoError(t, err)
	where, err := filepath.EvalSymlinks(dir)
	require.NoError(t, err)
	require.Equal(t, []target{{"example.org/a", where, "FuzzSound"}, {"example.org/a", where, "FuzzFaulty"}}, targets)
	b, err := newBinaries()
	require.NoError(t, err)
	defer b.remove()
	output, err := targets[0].fuzz(b, 50*time.Millisecond)
	require.True(t, err == nil || onlyTimeIsUp(output), "%s", output)
	output, err = targets[1].fuzz(b, time.Minute)
	require.Error(t, err)
	require.False(t, onlyTimeIsUp(output), "%s", output)
	require.DirExists(t, filepath.Join(dir, "testdata", "fuzz", "FuzzFaulty"))
	require.Len(t, b.built, 1)
}

// The first output is one that Go 1.26.8 wrote; the others have a finding of each kind.
func TestOnlyTimeIsUp(t *testing.T) {
	const progress = "fuzz: elapsed: 9s, execs: 152994 (19418/sec), new interesting: 0 (total: 14)\n" +
		"fuzz: elapsed: 10s, execs: 168774 (15192/sec), new interesting: 0 (total: 14)\n"
	for _, c := range []struct {
		output string
		want   bool
	}{
		{progress + "--- FAIL: FuzzCodec (10.04s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\texample.org/a\t10.054s\n", true},
		{progress + "--- FAIL: FuzzCodec (1.04s)\n    --- FAIL: FuzzCodec (0.00s)\n        a_test.go:9: 1 is not 2\n    \n" +
			"    Failing input written to testdata/fuzz/FuzzCodec/1\n    To re-run:\n    go test -run=FuzzCodec/1\nFAIL\nexit status 1\n", false},
		{progress + "--- FAIL: FuzzCodec (10.04s)\n    --- FAIL: FuzzCodec (0.00s)\n        a_test.go:9: context deadline exceeded\nFAIL\n", false},
		{progress + "--- FAIL: FuzzCodec (1.04s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\n" +
			"    Failing input written to testdata/fuzz/FuzzCodec/1\nFAIL\n", false},
		{"panic: out of range\n\n--- FAIL: FuzzCodec (10.04s)\n    context deadline exceeded\nFAIL\n", false},
		{"FAIL\texample.org/a [build failed]\nFAIL\n", false},
		{"", false},
	} {
		require.Equal(t, c.want, onlyTimeIsUp([]byte(c.output)), c.output)
	}
}
