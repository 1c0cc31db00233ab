package recipes_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/test/engines/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m) }

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// build compiles the program in a folder, and returns its file.
func build(t *testing.T, folder string) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), folder)
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", exe, "./"+folder).CombinedOutput()
	require.NoError(t, err, "%s", out)
	return exe
}

// run runs a program to its end, and returns what it printed to its standard output.
func run(t *testing.T, exe string, env ...string) (string, error) {
	t.Helper()
	var out, log strings.Builder
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = filepath.Dir(exe), append(cmd.Environ(), env...), &out, &log
	err := cmd.Run()
	if log.Len() > 0 {
		t.Logf("%s says:\n%s", filepath.Base(exe), log.String())
	}
	return out.String(), err
}

// keysOf returns the UIDs at the beginnings of lines.
func keysOf(lines string) (keys []uid.UID) {
	for line := range strings.Lines(lines) {
		text, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		keys = append(keys, must(uid.Parse(text)))
	}
	return keys
}
