package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestBadInput(t *testing.T) {
	for _, tt := range []struct {
		args []string
		says string
	}{
		{[]string{"make"}, `unknown command "make": the commands are `},
		{[]string{"--nothing"}, "unknown flag --nothing"},
		{[]string{"gen", "-x"}, "unknown flag -x (uid gen --help lists them)"},
		{[]string{"gen", "5"}, "uid gen takes no arguments"},
		{[]string{"gen", "-n"}, "-n needs a value"},
		{[]string{"gen", "-n", "0"}, "-n: 0 is below 1"},
		{[]string{"gen", "-n", "-4"}, "-n: -4 is below 1"},
		{[]string{"gen", "-n", "1.5"}, `-n: "1.5" is not a whole number`},
		{[]string{"gen", "-n", "many"}, `-n: "many" is not a whole number`},
		{[]string{"gen", "-n", "1e16"}, `-n: "1e16" is too large a number`},
		{[]string{"gen", "-n", "9223372036854775808"}, "is too large a number"},
		{[]string{"gen", "-n", "10001", "--format", "table"}, "-n 10001: a table has at most 10000 rows"},
		{[]string{"gen", "--format", "xml"}, `--format: "xml" is not one of plain, json, table`},
		{[]string{"gen", "--layout", "tweeter"}, "--layout: syntax error"},
		{[]string{"gen", "--layout", "40/20/13"}, "--layout: unusable configuration: 40/20/13"},
		{[]string{"gen", "--layout", "uidgenerator"}, "exhausted: the last tick"},
		{[]string{"gen", "--store", "x", "--mysql", "y"}, "--store and --mysql exclude each other"},
		{[]string{"gen", "--store", ""}, "--store: it is empty"},
		{[]string{"gen", "--mysql", ""}, "--mysql: it is empty"},
		{[]string{"gen", "--mysql", "nonsense"}, "--mysql: the DSN cannot be read"},
		{[]string{"gen", "--mysql", "me@tcp(127.0.0.1:1)/"}, "--mysql: the DSN names no database"},
		{[]string{"gen", "--mysql", "/x"}, "--mysql: the DSN names no host: it has to be user:password@tcp(host:3306)/database"},
		{[]string{"gen", "--mysql", "me@/x"}, "--mysql: the DSN names no host"},
		{[]string{"gen", "--mysql", "me:hunter2@tcp/x"}, "--mysql: the DSN names no host"},
		{[]string{"gen", "--mysql", "me@tcp()/x"}, "--mysql: the DSN names no host"},
		{[]string{"gen", "--mysql", "me@tcp(:3306)/x"}, "--mysql: the DSN names no host"},
		{[]string{"gen", "--mysql", "me@unix()/x?timeout=1s"}, "--mysql: the DSN names no host"},
		{[]string{"gen", "--mysql", "me@tcp(127.0.0.1:1)/x?tls=unheard"}, "--mysql: the DSN cannot be read"},
		{[]string{"gen", "--store", "me@tcp(127.0.0.1:1)/x"}, "--store: it names no store"},
		{[]string{"gen", "--timeout", "0s"}, "--timeout: 0s is not above 0"},
		{[]string{"gen", "--timeout", "soon"}, `--timeout: "soon" is not a duration`},
		{[]string{"parse", "-1"}, "-1 begins as a flag does: put -- before it"},
		{[]string{"parse", "1x"}, `syntax error: "1x" is not a decimal UID`},
		{[]string{"parse", "1", "2", "x"}, `syntax error: "x"`},
		{[]string{"parse", "9223372036854775808"}, "value out of range"},
		{[]string{"parse", "--layout", "js", "9007199254740993"}, "it may be of another layout, try --guess"},
		{[]string{"parse", "--layout", "js", "--guess", "1"}, "--guess and --layout exclude each other"},
		{[]string{"plan"}, "--rate is missing"},
		{[]string{"plan", "--rate", "fast"}, `--rate: "fast" is not a number`},
		{[]string{"plan", "--rate", "-1"}, "rate -1: it has to be from 0"},
		{[]string{"plan", "--rate", "NaN"}, "rate NaN"},
		{[]string{"plan", "--rate", "1", "--workers", "0"}, "--workers: 0 is below 1"},
		{[]string{"plan", "--rate", "1", "--epoch", "1969-12-31"}, "epoch"},
		{[]string{"range"}, "--from is missing"},
		{[]string{"range", "--from", "yesterday"}, `--from: "yesterday" is not a time`},
		{[]string{"range", "--from", "2026-11-22"}, "--from 2026-11-22T00:00:00Z: value out of range: that is not in the past (now is 2026-11-21T10:00:00Z), and without --to"},
		{[]string{"range", "--from", "2025-11-21"}, "--from 2025-11-21T00:00:00Z: value out of range: the layout 28/22/13 unit=1s epoch=2026-01-01T00:00:00Z begins at 2026-01-01T00:00:00Z"},
		{[]string{"range", "--from", "2026-11-21", "--to", "2026-11-21"}, "--from 2026-11-21T00:00:00Z: value out of range: that is not before --to 2026-11-21T00:00:00Z"},
		{[]string{"range", "--from", "2026-11-21", "--to", "2034-07-05"}, "--to 2034-07-05T00:00:00Z: value out of range: the layout"},
		{[]string{"range", "--from", "2034-07-05", "--to", "2034-07-06"}, "ends at 2034-07-04T21:24:16Z"},
		{[]string{"range", "--from", "2024-11-01", "--layout", "uidgenerator"}, "--to is missing: value out of range: without it the range ends now, 2026-11-21T10:00:00Z, and the layout"},
		{[]string{"bench", "fast"}, "uid bench takes no arguments"},
		{[]string{"bench", "--time", "0"}, "--time: 0s is not above 0"},
		{[]string{"version", "1"}, "uid version takes no arguments"},
		{[]string{"worker", "list"}, `unknown command "list": did you mean ls?`},
		{[]string{"worker", "ls", "x"}, "uid worker ls takes no arguments"},
		{[]string{"worker", "ls", "--json=no"}, `--json: "no": it takes no value`},
		{[]string{"worker", "ls", "--layout", "js", "--max-id", "5"}, "--layout and --max-id exclude each other"},
		{[]string{"worker", "check", "--layout", "js", "--max-id", "5"}, "--layout and --max-id exclude each other"},
		{[]string{"worker", "ls", "--max-id", "0"}, "--max-id: 0 is below 1"},
		{[]string{"worker", "ls", "--quarantine", "0s"}, "--quarantine: 0s is not above 0"},
		{[]string{"worker", "release"}, "uid worker release takes one worker ID"},
		{[]string{"worker", "release", "1", "2"}, "uid worker release takes one worker ID"},
		{[]string{"worker", "release", "default/x"}, "no worker ID"},
		{[]string{"worker", "release", "default/-1"}, "no worker ID"},
		{[]string{"worker", "release", "/1"}, "the namespace before the / is empty"},
		{[]string{"worker", "release", "9223372036854775808"}, "no worker ID"},
		{[]string{"gen", "--daily"}, "--daily is for --segment"},
		{[]string{"gen", "--zone", "UTC"}, "--zone is for --segment"},
		{[]string{"gen", "--create"}, "--create is for --segment"},
		{[]string{"gen", "--first", "1"}, "--first is for --segment"},
		{[]string{"gen", "--last", "1"}, "--last is for --segment"},
		{[]string{"gen", "--step", "1"}, "--step is for --segment"},
		{[]string{"gen", "--segment-table", "x"}, "--segment-table is for --segment"},
		{[]string{"gen", "--segment", "x", "--layout", "js"}, "--layout is for UIDs, not for --segment"},
		{[]string{"gen", "--segment", "x", "--namespace", "y"}, "--namespace is for UIDs, not for --segment"},
		{[]string{"gen", "--segment", "x", "--zone", "UTC"}, "--zone is for --daily"},
		{[]string{"gen", "--segment", "x", "--daily", "--zone", "Mars"}, "--zone: it is no time zone such as Europe/Berlin"},
		{[]string{"gen", "--segment", "x", "--daily", "--zone", ""}, "--zone: it is no time zone"},
		{[]string{"gen", "--segment", "x", "--format", "json"}, "--format is for UIDs; a number of --segment has no time"},
		{[]string{"gen", "--segment", "x", "--format", "table"}, "--format is for UIDs"},
		{[]string{"gen", "--segment", "x", "--format", "base32"}, "--format is for UIDs"},
		{[]string{"gen", "--format", "base64"}, `--format: "base64" is not one of plain, json, table, base32, base58`},
		{[]string{"prase"}, `unknown command "prase": did you mean parse?`},
		{[]string{"help", "prase"}, `no help about "prase": did you mean parse?`},
		{[]string{"klingon"}, `unknown command "klingon": the commands are backfill`},
		{[]string{"range", "2026-11-21", "2026-11-22"}, "range takes one day or UID, or else --from and --to"},
		{[]string{"range", "2026-11-21", "--to", "2026-11-22"}, "range takes one day or UID, or else --from and --to"},
		{[]string{"range", "yesterday"}, `"yesterday" is neither a day such as 2026-11-21 nor a UID`},
		{[]string{"range", "2025-11-21"}, "the layout 28/22/13 unit=1s epoch=2026-01-01T00:00:00Z begins at"},
		{[]string{"parse", "--form", "base64", "1"}, `--form: unusable configuration: "base64" is not one of base32`},
		{[]string{"parse", "--form", "base58", "0O"}, "syntax error"},
		{[]string{"gen", "--segment", "x", "--first", "5", "--last", "4"}, "--last 4 is below --first 5"},
		{[]string{"gen", "--segment", "x", "--step", "2147483648"}, "--step 2147483648: want 1 to 2147483647"},
		{[]string{"gen", "--segment", ""}, "--segment: these 0 bytes are no tag"},
		{[]string{"gen", "--segment", strings.Repeat("x", 129)}, "--segment: these 129 bytes are no tag"},
		{[]string{"gen", "--segment", "b\u00fccher"}, "--segment: these 7 bytes are no tag: it has 1 to 128 ASCII letters"},
		{[]string{"segment", "list"}, `unknown command "list": did you mean ls?`},
		{[]string{"segment", "ls", "a", " b"}, "these 2 bytes are no tag"},
		{[]string{"segment", "ls", "--json=no"}, `--json: "no": it takes no value`},
		{[]string{"segment", "next"}, "uid segment next takes one tag, such as invoice"},
		{[]string{"segment", "next", "a", "b"}, "uid segment next takes one tag"},
		{[]string{"segment", "next", "a@b"}, "these 3 bytes are no tag"},
		{[]string{"segment", "next", "a", "-n", "0"}, "-n: 0 is below 1"},
		{[]string{"segment", "set"}, "uid segment set takes one tag"},
		{[]string{"segment", "set", "a"}, "there is nothing to set"},
		{[]string{"gen", "--lossy-store", "--store", "redis://127.0.0.1:1/0"},
			"--lossy-store is for databases, which give each run an ID of its own, and for --segment"},
		{[]string{"segment", "ls", "--store", "etcd://127.0.0.1:1/x", "--segment-table", "x"}, "are for databases that speak SQL"},
	} {
		t.Run(strings.Join(tt.args, " "), func(t *testing.T) {
			require.Contains(t, call{args: tt.args}.fails(t, exitBadInput), tt.says)
		})
	}
}

func TestFailures(t *testing.T) {
	folder := t.TempDir()
	require.Contains(t, call{args: []string{"gen", "--store", folder}}.fails(t, exitFailure), folder)
	notADatabase := folder + "/text"
	require.NoError(t, os.WriteFile(notADatabase, []byte(strings.Repeat("no database", 100)), 0o600))
	require.Contains(t, call{args: []string{"gen", "--store", notADatabase}}.fails(t, exitFailure), notADatabase)

	// The default layout, which nobody chose, comes to its end one day.
	late := call{args: []string{"gen"}, now: today.AddDate(10, 0, 0)}
	require.Contains(t, late.fails(t, exitFailure), "exhausted: the last tick")
}

func TestErrorsAreOneLine(t *testing.T) {
	var stderr bytes.Buffer
	p := &program{stderr: &stderr}
	require.Equal(t, exitFailure, p.report(errors.Join(errors.New("one"), errors.New("two\r\n"))))
	require.Equal(t, "uid: one; two\n", stderr.String())
}

func TestVersion(t *testing.T) {
	require.Regexp(t, `^uid \S+ \(.*go1\.\S+, \w+/\w+\)\n$`, ok(t, "version"))
	require.Equal(t, ok(t, "version"), ok(t, "--version"))
}

// What the go command records of a module, of a clone, of a clone with changes, and of nothing.
func TestVersionText(t *testing.T) {
	with := func(version string, settings ...string) string {
		info := &debug.BuildInfo{Main: debug.Module{Version: version}}
		for i := 0; i < len(settings); i += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: settings[i], Value: settings[i+1]})
		}
		return strings.TrimSuffix(versionText(info), fmt.Sprintf("%s, %s/%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH))
	}
	const revision = "f0b9d9c609b4984e3ff3d0582f4439873c7d2465"
	require.Equal(t, "v0.1.0 (", with("v0.1.0"))
	require.Equal(t, "v0.1.1-0.20261122112522-f0b9d9c609b4+dirty (revision f0b9d9c609b4 of 2026-11-22, modified, ",
		with("v0.1.1-0.20261122112522-f0b9d9c609b4+dirty", "vcs", "git", "vcs.revision", revision, "vcs.time", "2026-11-22T11:25:22Z", "vcs.modified", "true"))
	require.Equal(t, "(devel) (revision f0b9d9c609b4, ", with("(devel)", "vcs.revision", revision, "vcs.modified", "false"))
	require.Equal(t, "(unknown) (", with(""))
}

// TestVerbose: without -v standard error stays empty, with it the worker ID
// is told.
func TestVerbose(t *testing.T) {
	store := newStore(t)
	ok(t, "gen", "-n", "1", "--store", store)
	o := call{args: []string{"gen", "-n", "1", "--store", store, "-v"}}.run()
	require.Zero(t, o.code)
	require.Contains(t, o.err, `level=INFO msg="worker ID assigned" worker_id=3 `)
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
		{"parse", "--guess"},
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
			fail := func(err error) (int, string) {
				var stderr bytes.Buffer
				stdin := strings.NewReader(strings.Repeat("180363646902239241\n", 5_000))
				p := &program{
					stdin: stdin, stdout: &failingWriter{n: 3, err: err}, stderr: &stderr,
					getenv: noEnv, now: func() time.Time { return today },
				}
				return p.run(args), stderr.String()
			}
			for _, gone := range []error{syscall.EPIPE, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}, io.ErrClosedPipe} {
				code, text := fail(gone)
				if args := strings.Join(args, " "); strings.Contains(args, "--js-safe") {
					require.Equal(t, exitFailure, code) // the answer
				} else {
					require.Zero(t, code)
				}
				require.Empty(t, text)
			}
			code, text := fail(errors.New("disk full"))
			require.Equal(t, exitFailure, code)
			if !strings.Contains(strings.Join(args, " "), "--js-safe") {
				require.Equal(t, "uid: writing the output: disk full\n", text)
			}
		})
	}
}

// TestInputThatFails in the midst of a number, which is not to be taken for a whole
// one.
func TestInputThatFails(t *testing.T) {
	var out, stderr bytes.Buffer
	in := io.MultiReader(strings.NewReader("180363646902239241 1803636469022"), iotest.ErrReader(errors.New("bad sector")))
	require.Equal(t, exitFailure, run([]string{"parse", "--format", "plain"}, in, &out, &stderr, os.Getenv))
	require.Equal(t, "uid: reading the input: bad sector\n", stderr.String())
	require.Equal(t, "180363646902239241\t2026-03-02T18:07:53Z\t4\t9\n", out.String())
}
