package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
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
	cmd.Env = append(os.Environ(), asCommand+"=1", dsnEnv+"=", "XDG_DATA_HOME=",
		"GORACE=atexit_sleep_ms=0") // or the race detector sleeps a second at the end
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// today is when the tests take place that need a time.
var today = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// noEnv is an empty environment.
func noEnv(string) string { return "" }

// A call is one run of the command in this process.
type call struct {
	args  []string
	stdin string
	env   map[string]string
	now   time.Time // zero: today

	getenv func(string) string // instead of env
	in     io.Reader           // instead of stdin
	to     io.Writer           // where the output goes; nil: into the outcome
}

type outcome struct {
	code     int
	out, err string
}

// text is what a golden file has of it.
func (o outcome) text() string {
	return fmt.Sprintf("%s--- standard error\n%s--- exit code %d\n", o.out, o.err, o.code)
}

func (c call) run() outcome {
	var out, err bytes.Buffer
	if c.now.IsZero() {
		c.now = today
	}
	p := &program{stdin: c.in, stdout: c.to, stderr: &err, getenv: c.getenv, now: func() time.Time { return c.now }}
	if p.stdin == nil {
		p.stdin = strings.NewReader(c.stdin)
	}
	if p.stdout == nil {
		p.stdout = &out
	}
	if p.getenv == nil {
		p.getenv = func(key string) string { return c.env[key] }
	}
	return outcome{p.run(c.args), out.String(), err.String()}
}

// ok runs the command, which has to succeed without a word on standard error.
func ok(t *testing.T, args ...string) string {
	t.Helper()
	o := call{args: args}.succeeds(t)
	require.Empty(t, o.err)
	return o.out
}

// succeeds runs the command, which has to succeed, whatever it says.
func (c call) succeeds(t require.TestingT) outcome {
	o := c.run()
	require.Zero(t, o.code, o.err)
	return o
}

// fails runs the command, which has to end with the code and one line on standard
// error, and returns the line.
func (c call) fails(t *testing.T, code int) string {
	t.Helper()
	o := c.run()
	require.Equal(t, code, o.code, o.err)
	require.Empty(t, o.out)
	require.Equal(t, 1, strings.Count(o.err, "\n"), o.err)
	line, found := strings.CutPrefix(o.err, "uid: ")
	require.True(t, found, o.err)
	return strings.TrimSuffix(line, "\n")
}

// newStore returns a file that is there, so that nothing is said of making it, and has nothing in it.
func newStore(t *testing.T) string {
	file := missingStore(t)
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	return file
}

func missingStore(t *testing.T) string { return t.TempDir() + "/workers.db" }

// must returns what a call has that the test cannot go on without.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
