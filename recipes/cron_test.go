package recipes_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

// Twenty runs of the job, one right after the other, and after every fifth one more, which is killed
// before it has ended.
func TestCron(t *testing.T) {
	t.Parallel()
	exe := build(t, "cron")
	file := filepath.Join(t.TempDir(), "cron.state")
	env := []string{"UID_STATE_FILE=" + file, "UID_WORKER_ID=7"}
	drawn := map[uid.UID]bool{}
	add := func(printed string) {
		for _, u := range keysOf(printed) {
			require.False(t, drawn[u], "%v comes twice", u)
			drawn[u] = true
		}
	}
	for i := range 20 {
		printed, err := run(t, exe, env...)
		require.NoError(t, err)
		require.Equal(t, 5000, strings.Count(printed, "\n"))
		add(printed)
		if i%5 == 4 {
			kill := started(t, exe, env...)
			add(kill())
		}
	}
	require.Greater(t, len(drawn), 20*5000)

	// A run that comes while another one is at work is refused.
	end := started(t, exe, env...)
	_, err := run(t, exe, env...)
	require.Error(t, err)
	end()
}

// started starts the job and waits until it has printed something. It cannot end: no pipe holds all
// that it prints. The result kills it, and returns the whole lines that it has printed.
func started(t *testing.T, exe string, env ...string) (kill func() string) {
	t.Helper()
	out, in, err := os.Pipe()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env, cmd.Stdout = append(cmd.Environ(), env...), in
	require.NoError(t, cmd.Start())
	require.NoError(t, in.Close())
	first := make([]byte, 1)
	_, err = io.ReadFull(out, first)
	require.NoError(t, err)
	return func() string {
		require.NoError(t, cmd.Process.Kill())
		require.Error(t, cmd.Wait())
		rest := must(io.ReadAll(out))
		require.NoError(t, out.Close())
		printed := string(first) + string(rest)
		return printed[:strings.LastIndexByte(printed, '\n')+1]
	}
}
