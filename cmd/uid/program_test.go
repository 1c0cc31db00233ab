package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestErrorsAreOneLine(t *testing.T) {
	var stderr bytes.Buffer
	p := &program{stderr: &stderr}
	require.Equal(t, exitFailure, p.report(errors.Join(errors.New("one"), errors.New("two\r\n"))))
	require.Equal(t, "uid: one; two\n", stderr.String())
}

// What the go command records of a module, of a clone, of a clone with changes, and of nothing.
func TestVersionText(t *testing.T) {
	with := func(version string, settings ...string) string {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		build := fmt.Sprintf("%s, %s/%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH)
		return strings.TrimSuffix(versionText(info), build)
	}
	const revision = "f0b9d9c609b4984e3ff3d0582f4439873c7d2465"
	const pseudo = "v0.1.1-0.20261122112522-f0b9d9c609b4+dirty"
	require.Equal(t, "v0.1.0 (", with("v0.1.0"))
	require.Equal(t, pseudo+" (revision f0b9d9c609b4 of 2026-11-22, modified, ", with(pseudo, "vcs", "git",
		"vcs.revision", revision, "vcs.time", "2026-11-22T11:25:22Z", "vcs.modified", "true"))
	require.Equal(t, "(devel) (revision f0b9d9c609b4, ",
		with("(devel)", "vcs.revision", revision, "vcs.modified", "false"))
	require.Equal(t, "(unknown) (", with(""))
}

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
			fail := func(err error) outcome {
				return call{args: args, stdin: strings.Repeat("180363646902239241\n", 5_000), getenv: withKey,
					to: &failingWriter{n: 3, err: err}}.run()
			}
			answersNo := slices.Contains(args, "--js-safe")
			pipe := &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
			for _, gone := range []error{syscall.EPIPE, pipe, io.ErrClosedPipe} {
				want := outcome{code: exitOK}
				if answersNo {
					want.code = exitFailure
				}
				require.Equal(t, want, fail(gone))
			}
			full := fail(errors.New("disk full"))
			require.Equal(t, exitFailure, full.code)
			if !answersNo {
				require.Equal(t, "uid: writing the output: disk full\n", full.err)
			}
		})
	}
}

// TestInputThatFails in the midst of a number, which is not to be taken for a whole
// one.
func TestInputThatFails(t *testing.T) {
	words := strings.NewReader("180363646902239241 1803636469022")
	in := io.MultiReader(words, iotest.ErrReader(errors.New("bad sector")))
	require.Equal(t, outcome{exitFailure, "180363646902239241\t2026-03-02T18:07:53Z\t4\t9\n",
		"uid: reading the input: bad sector\n"}, call{args: []string{"parse", "--format", "plain"}, in: in}.run())
}

// The default layout, which nobody chose, comes to its end one day.
func TestEndOfTheDefaultLayout(t *testing.T) {
	require.Contains(t, call{args: []string{"gen"}, now: today.AddDate(10, 0, 0)}.fails(t, exitFailure),
		"exhausted: the last tick")
}
