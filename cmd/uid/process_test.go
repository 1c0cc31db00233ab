package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
)

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return exitOK
	}
	e, ok := errors.AsType[*exec.ExitError](err)
	require.True(t, ok, err)
	return e.ExitCode()
}

// TestClosedPipe is `uid gen -n 100000000 | head -1`.
func TestClosedPipe(t *testing.T) {
	for _, format := range []string{"plain", "json"} {
		var stderr bytes.Buffer
		cmd := command(nil, "gen", "-n", "100000000", "--format", format, "--store", newStore(t))
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		line, err := bufio.NewReaderSize(out, 16).ReadString('\n')
		require.NoError(t, err)
		require.NotEmpty(t, strings.Trim(line, "\n"))
		require.NoError(t, out.Close())
		require.Zero(t, exitCode(t, cmd.Wait()))
		require.Empty(t, stderr.String())
	}
}

// TestInterrupt: the command ends in good order, with whole lines written.
func TestInterrupt(t *testing.T) {
	var stderr bytes.Buffer
	cmd := command(nil, "gen", "-n", "1000000000000", "--store", newStore(t))
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	require.NoError(t, err)
	_, err = uid.Parse(strings.TrimSuffix(first, "\n"))
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	var end [64]byte // the last bytes
	for {
		n, err := lines.Read(end[:])
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		end[len(end)-1] = end[n-1]
	}
	require.Equal(t, byte('\n'), end[len(end)-1])
	require.Equal(t, exitInterrupted, exitCode(t, cmd.Wait()))
	require.True(t, strings.HasSuffix(stderr.String(), "uid: interrupted\n"), stderr.String())
}

// numbers reads what a command has printed: 1, 2, 3, and no number missing. It returns the last one.
func numbers(t *testing.T, out io.Reader) (last int64) {
	t.Helper()
	for s := bufio.NewScanner(out); s.Scan(); last++ {
		require.Equal(t, strconv.FormatInt(last+1, 10), s.Text())
	}
	return last
}

// TestInterruptedNumbers: what was not printed is given back.
func TestInterruptedNumbers(t *testing.T) {
	store := newStore(t)
	var stderr bytes.Buffer
	cmd := command(nil, "gen", "--segment", "x", "--create", "-n", "1000000000000", "--store", store)
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	_, err = lines.Peek(1)
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	last := numbers(t, lines)
	require.Equal(t, exitInterrupted, exitCode(t, cmd.Wait()))
	require.True(t, strings.HasSuffix(stderr.String(), "uid: interrupted\n"), stderr.String())
	require.Equal(t, fmt.Sprintln(last+1), ok(t, "segment", "next", "x", "--store", store))
}

// TestNumbersThatNobodyReads: `uid segment next x -n 1e9 | head -1` skips what was on its way.
func TestNumbersThatNobodyReads(t *testing.T) {
	store := newStore(t)
	ok(t, "segment", "set", "x", "--create", "--store", store)
	var stderr bytes.Buffer
	out := &failingWriter{n: 1 << 20, err: syscall.EPIPE}
	require.Zero(t, run([]string{"segment", "next", "x", "-n", "1e9", "--store", store}, nil, out, &stderr, func(string) string { return "" }))
	require.Empty(t, stderr.String())
	var printed int64 // in 2^20 bytes
	for bytes := 0; bytes < 1<<20; printed++ {
		bytes += len(fmt.Sprintln(printed + 1))
	}
	next, err := strconv.ParseInt(strings.TrimSpace(ok(t, "segment", "next", "x", "--store", store)), 10, 64)
	require.NoError(t, err)
	require.Greater(t, next, printed)
	require.Less(t, next, printed+outputBuffer/5+2*drawChunk)
}

// Processes that take numbers at once print each number once.
func TestNumbersOfProcesses(t *testing.T) {
	const processes, each = 4, 2000
	store := newStore(t)
	ok(t, "segment", "set", "x", "--create", "--store", store)
	var outs, errs [processes]bytes.Buffer
	var started [processes]*exec.Cmd
	for i := range processes {
		cmd := command(nil, "gen", "--segment", "x", "-n", strconv.Itoa(each), "--step", "500", "--store", store)
		cmd.Stdout, cmd.Stderr = &outs[i], &errs[i]
		require.NoError(t, cmd.Start())
		started[i] = cmd
	}
	seen := map[string]bool{}
	for i, cmd := range started {
		require.NoError(t, cmd.Wait(), errs[i].String())
		for _, number := range strings.Fields(outs[i].String()) {
			seen[number] = true
		}
	}
	require.Len(t, seen, processes*each)
	require.Equal(t, fmt.Sprintln(processes*each+1), ok(t, "segment", "next", "x", "--store", store), "none was skipped")
}

// TestDriverIsSilent: what is no MySQL server makes the driver talk, if it may.
func TestDriverIsSilent(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
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
	cmd := command([]string{dsnEnv + "=me@tcp(" + listener.Addr().String() + ")/x"}, "gen", "--timeout", "200ms")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.Equal(t, exitFailure, exitCode(t, cmd.Run()))
	require.Regexp(t, `^level=WARN .*\nuid: .* gave up after 200ms: .*\n$`, stderr.String())
}

// TestInterruptWithoutDatabase: it is waited for no longer.
func TestInterruptWithoutDatabase(t *testing.T) {
	cmd := command([]string{dsnEnv + "=me@tcp(127.0.0.1:1)/x"}, "gen", "--timeout", "1h")
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(stderr)
	warning, err := lines.ReadString('\n')
	require.NoError(t, err)
	require.Contains(t, warning, "level=WARN ")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(lines)
	require.NoError(t, err)
	require.Equal(t, "uid: interrupted\n", string(rest))
	require.Equal(t, exitInterrupted, exitCode(t, cmd.Wait()))
}
