package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

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
