// Package clitest runs parts of the command in tests.
package clitest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
)

// Update is the flag that writes golden files anew.
var Update = flag.Bool("update", false, "write testdata/*.txt anew")

// Today is when the tests take place that need a time.
var Today = time.Date(2026, time.November, 21, 10, 0, 0, 0, time.UTC)

// NoEnv is an empty environment.
func NoEnv(string) string { return "" }

// An Outcome is what came of a run.
type Outcome struct {
	Code     int
	Out, Err string
}

// Text is what a golden file has of it.
func (o Outcome) Text() string {
	return fmt.Sprintf("%s--- standard error\n%s--- exit code %d\n", o.Out, o.Err, o.Code)
}

// Run runs part of a command.
func Run(do func(*cli.Program) error) Outcome {
	var out, stderr bytes.Buffer
	p := &cli.Program{Stdout: &out, Stderr: &stderr, Getenv: NoEnv, Now: func() time.Time { return Today }}
	code := p.Do(func() error { return do(p) })
	return Outcome{code, out.String(), stderr.String()}
}

// Golden compares the outcome of a part of a command with the one in testdata.
func Golden(t *testing.T, name string, do func(*cli.Program) error) {
	t.Run(name, func(t *testing.T) {
		o, file := Run(do), filepath.Join("testdata", name+".txt")
		if *Update {
			require.NoError(t, os.WriteFile(file, []byte(o.Text()), 0o644))
		}
		require.Equal(t, string(Must(os.ReadFile(file))), o.Text())
	})
}

// Must returns what a call has that the test cannot go on without.
func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
