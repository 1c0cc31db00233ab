package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
)

// FuzzArgs runs the command with any words. It ends with an exit code that it has, and
// says nothing on standard error when all went well, or one line. Stores are not opened:
// the path of one is a folder.
func FuzzArgs(f *testing.F) {
	for _, args := range []string{
		"gen -n 3 --format json", "gen -n 1e3 --layout 41ms/10/12",
		"parse 962672698415128576", "parse -- -1 42", "version", "worker ls",
		"parse --layout uidgenerator -- -7053003394352373760", "parse --layout js 9007199254740991 --format json",
		"plan --from uidgenerator --layout twitter --at 2026-11-21", "plan --from js --from-workers 1-3 --to-workers 4",
		"plan --from sonyflake --from-lead 9e9s --format json", "plan --rate NaN", "layouts --format plain",
		"plan --rate 1e5 --burst 1e7 --workers 200 --years 30", "range --from 2026-11-21 --to 2026-11-22T00:00:00Z",
		"segment ls x --json", "segment set x --next 1e3 --lower", "segment next x -n 5", "completion bash",
		"gen --segment order --daily --zone UTC", "serve --listen off --resp-listen off", "worker release 1 --forc",
		"parse --format json --layout sonyflake2",
		"serve --listen 127.0.0.1:0 --resp-listen off --worker-id 3", "help parse", "--help", "-v", "",
	} {
		f.Add(args, "1 962672698415128576\nx")
	}
	folder := f.TempDir()
	outside := regexp.MustCompile("store|mysql|db|key") // flags that would touch files and servers
	f.Fuzz(func(t *testing.T, line, stdin string) {
		args := strings.Fields(line)
		if outside.MatchString(line) {
			return
		}
		if len(args) > 0 && slices.Contains([]string{"gen", "worker", "segment", "serve"}, args[0]) {
			args = append(args, "--store", folder)
		}
		env := map[string]string{"HOME": folder}
		o := call{args: args, stdin: stdin, env: env}.run()
		switch o.Code {
		case cli.ExitOK:
		case cli.ExitFailure, cli.ExitBadInput:
			lines := strings.Count(o.Err, "\n") - strings.Count(o.Err, "uid: hint: ") // of a UID before the bad one
			require.LessOrEqual(t, lines, 1, o.Err)
			require.True(t, o.Err == "" || strings.HasPrefix(o.Err, "uid: "), o.Err)
		default:
			require.Fail(t, "exit code", "%d: %s", o.Code, o.Err)
		}
	})
	require.Empty(f, clitest.Must(os.ReadDir(folder)))
}
