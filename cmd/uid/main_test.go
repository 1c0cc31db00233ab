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
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
)

// asCommand makes the test binary the command.
const asCommand = "UID_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns a process of the command, with nothing of the test's environment
// that it looks at.
func command(env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asCommand+"=1", places.DSNEnv+"=",
		"GORACE=atexit_sleep_ms=0") // or the race detector sleeps a second at the end
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// A call is one run of the command in this process.
type call struct {
	args  []string
	stdin string
	env   map[string]string
	now   time.Time // zero: Today

	getenv func(string) string // instead of env
	in     io.Reader           // instead of stdin
	to     io.Writer           // where the output goes; nil: into the outcome
}

func (c call) run() clitest.Outcome {
	var out, err bytes.Buffer
	if c.now.IsZero() {
		c.now = clitest.Today
	}
	p := &cli.Program{Stdin: c.in, Stdout: c.to, Stderr: &err, Getenv: c.getenv, Now: func() time.Time { return c.now }}
	if p.Stdin == nil {
		p.Stdin = strings.NewReader(c.stdin)
	}
	if p.Stdout == nil {
		p.Stdout = &out
	}
	if p.Getenv == nil {
		p.Getenv = func(key string) string { return c.env[key] }
	}
	return clitest.Outcome{Code: p.Run(c.args, root), Out: out.String(), Err: err.String()}
}

// ok runs the command, which has to succeed without a word on standard error.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	o := call{args: args}.succeeds(t)
	require.Empty(t, o.Err)
	return o.Out
}

// succeeds runs the command, which has to succeed, whatever it says.
func (c call) succeeds(t require.TestingT) clitest.Outcome {
	o := c.run()
	require.Zero(t, o.Code, o.Err)
	return o
}

// fails runs the command, which has to end with the code and one line on standard
// error, and returns the line.
func (c call) fails(t *testing.T, code int) string {
	t.Helper()
	o := c.run()
	require.Equal(t, code, o.Code, o.Err)
	require.Empty(t, o.Out)
	require.Equal(t, 1, strings.Count(o.Err, "\n"), o.Err)
	line, found := strings.CutPrefix(o.Err, "uid: ")
	require.True(t, found, o.Err)
	return strings.TrimSuffix(line, "\n")
}

// newStore returns a file that is there, so that nothing is said of making it, and has nothing in it.
func newStore(t *testing.T) string {
	file := t.TempDir() + "/workers.db"
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	return file
}

// commands returns all commands and topics by the words that call them.
func commands() map[string]*cobra.Command {
	p := &cli.Program{Stdin: strings.NewReader(""), Getenv: clitest.NoEnv, Out: new(cli.Output)}
	all := map[string]*cobra.Command{}
	cli.ForAll(root(p), func(cmd *cobra.Command) {
		_, words, _ := strings.Cut(cmd.CommandPath(), " ")
		all[words] = cmd
	})
	return all
}

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

// TestDriverIsSilent: the driver of MySQL would log each answer of another server.
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

func uidsOf(lines string) (all []uid.UID) {
	for line := range strings.Lines(lines) {
		all = append(all, clitest.Must(uid.Parse(strings.TrimSuffix(line, "\n"))))
	}
	return all
}

func TestMillion(t *testing.T) {
	// It also says how far ahead the last ones will be.
	all := uidsOf(call{args: []string{"gen", "-n", "1000000", "--store", newStore(t)}}.succeeds(t).Out)
	require.Len(t, all, 1_000_000)
	require.IsIncreasing(t, all)

	// They take 123 ticks, of which the first is the clock's own.
	tick := func(i int) int64 { return clitest.Must(bits.Default().Tick(all[i])) }
	require.EqualValues(t, 122, tick(len(all)-1)-tick(0))
}
