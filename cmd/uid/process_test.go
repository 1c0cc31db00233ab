package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
)

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return cli.ExitOK
	}
	e, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, err)
	return e.ExitCode()
}

// start starts a process of the command, of which the test reads the output.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, out io.ReadCloser, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr = command(nil, args...), new(bytes.Buffer)
	cmd.Stderr = stderr
	out = clitest.Must(cmd.StdoutPipe())
	require.NoError(t, cmd.Start())
	return cmd, out, stderr
}

// TestClosedPipe is `uid gen -n 100000000 | head -1`.
func TestClosedPipe(t *testing.T) {
	for _, format := range []string{"plain", "json"} {
		cmd, out, stderr := start(t, "gen", "-n", "100000000", "--format", format, "--store", newStore(t))
		line, err := bufio.NewReaderSize(out, 16).ReadString('\n')
		require.NoError(t, err)
		require.NotEmpty(t, strings.Trim(line, "\n"))
		require.NoError(t, out.Close())
		require.Zero(t, exitCode(t, cmd.Wait()))
		require.Empty(t, stderr.String())
	}
}

// TestInterrupt: the command ends in good order, with whole lines written; and numbers that were not printed are given
// back.
func TestInterrupt(t *testing.T) {
	store := newStore(t)
	for _, args := range [][]string{{"gen"}, {"gen", "--segment", "x", "--create"}} {
		cmd, out, stderr := start(t, append(args, "-n", "1000000000000", "--store", store)...)
		lines := bufio.NewReader(out)
		_, err := lines.Peek(1)
		require.NoError(t, err)
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		all := string(clitest.Must(io.ReadAll(lines)))
		require.True(t, strings.HasSuffix(all, "\n"))
		require.Equal(t, cli.ExitInterrupted, exitCode(t, cmd.Wait()))
		require.True(t, strings.HasSuffix(stderr.String(), "uid: interrupted\n"), stderr.String())
		if len(args) == 1 {
			require.IsIncreasing(t, uidsOf(all))
			continue
		}
		last := int64(0) // 1, 2, 3, and no number missing
		for line := range strings.Lines(all) {
			last++
			require.Equal(t, fmt.Sprintln(last), line)
		}
		require.Equal(t, fmt.Sprintln(last+1), ok(t, "segment", "next", "x", "--store", store))
	}
}

// TestNumbersThatNobodyReads: `uid segment next x -n 1e9 | head -1` skips what was on its way.
func TestNumbersThatNobodyReads(t *testing.T) {
	store := newStore(t)
	ok(t, "segment", "set", "x", "--create", "--store", store)
	gone := &failingWriter{n: 1 << 20, err: syscall.EPIPE}
	require.Zero(t, call{args: []string{"segment", "next", "x", "-n", "1e9", "--store", store}, to: gone}.run())
	var printed int64 // in 2^20 bytes
	for bytes := 0; bytes < 1<<20; printed++ {
		bytes += len(fmt.Sprintln(printed + 1))
	}
	next := clitest.Must(strconv.ParseInt(strings.TrimSpace(ok(t, "segment", "next", "x", "--store", store)), 10, 64))
	require.Greater(t, next, printed)
	require.Less(t, next, printed+64<<10/5+2*1024)
}

// atOnce starts processes at once, and returns what all have printed.
func atOnce(t *testing.T, n int, args ...string) string {
	t.Helper()
	var all sync.WaitGroup
	outs := make([]string, n)
	for i := range n {
		all.Go(func() {
			out, err := command(nil, args...).Output()
			assert.NoError(t, err)
			outs[i] = string(out)
		})
	}
	all.Wait()
	return strings.Join(outs, "")
}

// Processes that take numbers at once print each number once.
func TestNumbersOfProcesses(t *testing.T) {
	store := newStore(t)
	ok(t, "segment", "set", "x", "--create", "--store", store)
	seen := map[string]bool{}
	out := atOnce(t, 4, "gen", "--segment", "x", "-n", "2000", "--step", "500", "--store", store)
	for number := range strings.FieldsSeq(out) {
		seen[number] = true
	}
	require.Len(t, seen, 8000)
	require.Equal(t, "8001\n", ok(t, "segment", "next", "x", "--store", store), "none was skipped")
}

// Processes that start at once, on a store that nobody has used yet, have each a worker ID of their own.
func TestProcessesAtOnce(t *testing.T) {
	ids := map[int64]bool{}
	for line := range strings.Lines(atOnce(t, 8, "gen", "-n", "3", "--format", "json", "--store", newStore(t))) {
		var parts uid.Parts
		require.NoError(t, json.Unmarshal([]byte(line), &parts))
		ids[parts.WorkerID] = true
	}
	require.Len(t, ids, 8)
}

// TestDriverIsSilent: what is no MySQL server makes the driver talk, if it may.
func TestDriverIsSilent(t *testing.T) {
	listener := clitest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			conn.Close()
		}
	}()
	cmd := command([]string{places.DSNEnv + "=me@tcp(" + listener.Addr().String() + ")/x"}, "gen", "--timeout", "200ms")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.Equal(t, cli.ExitFailure, exitCode(t, cmd.Run()))
	require.Regexp(t, `^level=WARN .*\nuid: .* gave up after 200ms: .*\n$`, stderr.String())
}

// TestInterruptWithoutDatabase: it is waited for no longer.
func TestInterruptWithoutDatabase(t *testing.T) {
	cmd := command([]string{places.DSNEnv + "=me@tcp(127.0.0.1:1)/x"}, "gen", "--timeout", "1h")
	stderr := clitest.Must(cmd.StderrPipe())
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	warning, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, warning, "level=WARN ")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Equal(t, "uid: interrupted\n", string(rest))
	require.Equal(t, cli.ExitInterrupted, exitCode(t, cmd.Wait()))
}
