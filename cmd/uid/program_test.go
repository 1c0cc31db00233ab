package main

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
)

// failingWriter takes n bytes and then fails.
type failingWriter struct {
	n   int
	err error
}

func (w *failingWriter) Write(b []byte) (int, error) {
	if n := min(w.n, len(b)); n < len(b) {
		w.n = 0
		return n, w.err
	}
	w.n -= len(b)
	return len(b), nil
}

func TestOutputThatFails(t *testing.T) {
	used := storeWithLease(t)
	ok(t, "segment", "set", "x", "--create", "--store", used)
	for _, args := range [][]string{
		{},
		{"gen", "-n", "1e9", "--store", newStore(t)},
		{"gen", "-n", "1e9", "--store", newStore(t), "--format", "json"},
		{"gen", "--store", newStore(t), "--format", "table"},
		{"parse", "1"},
		{"parse"},
		{"parse", "--format", "json"},
		{"seal"}, {"seal", "--format", "table", "1"}, {"open", "--format", "json", "1387aqd7r9xwke"},
		{"plan", "--rate", "1"},
		{"plan", "--rate", "2e6", "--workers", "500", "--js-safe"},
		{"range", "--from", "2026-11-01"},
		{"range", "--from", "2026-11-01", "--format", "plain"},
		{"version"},
		{"worker", "ls", "--store", used},
		{"worker", "ls", "--store", used, "--json"},
		{"gen", "--help"},
		{"help", "times"},
		{"worker", "release", "shop/0", "--force", "--store", used},
		{"worker", "check", "--store", used},
		{"segment", "ls", "--store", used},
		{"segment", "ls", "x", "--json", "--store", used},
		{"segment", "set", "x", "--step", "5", "--store", used},
		{"segment", "next", "x", "-n", "3", "--store", used},
		{"gen", "--segment", "x", "-n", "1e6", "--store", used},
		{"gen", "--segment", "x", "--daily", "--store", used},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			fail := func(err error) clitest.Outcome {
				return call{args: args, stdin: strings.Repeat("180363646902239241\n", 5_000), getenv: withKey,
					to: &failingWriter{n: 3, err: err}}.run()
			}
			answersNo := slices.Contains(args, "--js-safe")
			pipe := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
			for _, gone := range []error{syscall.EPIPE, pipe, io.ErrClosedPipe} {
				want := clitest.Outcome{Code: cli.ExitOK}
				if answersNo {
					want.Code = cli.ExitFailure
				}
				require.Equal(t, want, fail(gone))
			}
			full := fail(errors.New("disk full"))
			require.Equal(t, cli.ExitFailure, full.Code)
			if !answersNo {
				require.Equal(t, "uid: writing the output: disk full\n", full.Err)
			}
		})
	}
}

// TestInputThatFails in the midst of a number, which is not to be taken for a whole
// one.
func TestInputThatFails(t *testing.T) {
	words := strings.NewReader("180363646902239241 1803636469022")
	in := io.MultiReader(words, iotest.ErrReader(errors.New("bad sector")))
	require.Equal(t, clitest.Outcome{Code: cli.ExitFailure, Out: "180363646902239241\t2026-03-02T18:07:53Z\t4\t9\n",
		Err: "uid: reading the input: bad sector\n"}, call{args: []string{"parse", "--format", "plain"}, in: in}.run())
}

// The default layout, which nobody chose, comes to its end one day.
func TestEndOfTheDefaultLayout(t *testing.T) {
	require.Contains(t, call{args: []string{"gen"}, now: clitest.Today.AddDate(10, 0, 0)}.fails(t, cli.ExitFailure),
		"exhausted: the last tick")
}
