package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzArgs runs the command with any words. It ends with an exit code that it has, and
// says nothing on standard error when all went well, or one line. Stores are not opened:
// the path of one is a folder.
func FuzzArgs(f *testing.F) {
	for _, args := range []string{
		"gen -n 3 --format json", "backfill 2026-01-02 1767225600000 --within 1s", "gen -n 1e3 --layout 41ms/10/12", "parse 962672698415128576", "parse --guess -1",
		"parse --layout uidgenerator -- -7053003394352373760", "parse --guess -- -1 42", "plan --from uidgenerator --layout twitter --at 2026-11-21",
		"parse --format json --layout sonyflake2", "plan --from sonyflake --from-lead 9e9s --format json", "plan --from js --from-workers 1-3 --to-workers 4",
		"parse --layout js 9007199254740991 --format json", "plan --rate 1e5 --burst 1e7 --workers 200 --years 30", "plan --rate NaN",
		"range --from 2026-11-21 --to 2026-11-22T00:00:00Z",
		"layouts --format plain", "version", "worker ls", "worker release 1 --forc",
		"segment ls x --json", "segment set x --next 1e3 --lower", "segment next x -n 5", "gen --segment order --daily --zone UTC",
		"serve --listen off --resp-listen off", "serve --listen 127.0.0.1:0 --resp-listen off --worker-id 3", "help parse", "--help", "-v", "", "completion bash",
	} {
		f.Add(args, "1 962672698415128576\nx")
	}
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, line, stdin string) {
		args := strings.Fields(line)
		for _, arg := range args {
			// These would touch files and servers.
			if strings.Contains(arg, "store") || strings.Contains(arg, "mysql") || strings.Contains(arg, "db") || strings.Contains(arg, "key") {
				return
			}
		}
		if len(args) > 0 && (args[0] == "gen" || args[0] == "backfill" || args[0] == "worker" || args[0] == "segment" || args[0] == "serve") {
			args = append(args, "--store", folder)
		}
		o := call{args: args, stdin: stdin, env: map[string]string{"HOME": folder, "XDG_DATA_HOME": folder + "/" + "none"}}.run()
		switch o.code {
		case exitOK:
		case exitFailure, exitBadInput:
			lines := strings.Count(o.err, "\n") - strings.Count(o.err, "uid: hint: ") // of a UID before the bad one
			require.LessOrEqual(t, lines, 1, o.err)
			require.True(t, o.err == "" || strings.HasPrefix(o.err, "uid: "), o.err)
		default:
			require.Fail(t, "exit code", "%d: %s", o.code, o.err)
		}
	})
	entries, err := os.ReadDir(folder)
	require.NoError(f, err)
	require.Empty(f, entries)
}
