package recipes_test

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

var (
	program  = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")
	printing = regexp.MustCompile(`(?m)^\s*fmt\.Println\(.*?\) // (.+)$`)
	ids      = regexp.MustCompile(`[0-9a-z]{13,}|[0-9]+`)
)

// longest is how many lines a program's main function and imports have at most.
const longest = 25

// Each program of the examples is short, and prints at its first run, on an empty database, what the page
// says, but for the numbers.
func TestExamples(t *testing.T) {
	server := cluster.Shared(t)
	postgres, err := cluster.StartPostgres("examples")
	cluster.For(t, postgres, err)
	page, err := os.ReadFile("../docs/examples.md")
	require.NoError(t, err)
	programs := program.FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(programs), 5)
	for _, p := range programs {
		dir := t.TempDir()
		file, exe := filepath.Join(dir, "main.go"), filepath.Join(dir, "main.exe")
		require.NoError(t, os.WriteFile(file, []byte(p[1]), 0o644))
		out, err := exec.CommandContext(t.Context(), "go", "build", "-o", exe, file).CombinedOutput()
		require.NoError(t, err, "%s", out)
		prints := printing.FindStringSubmatch(p[1])
		require.NotNil(t, prints, p[1])
		began := time.Now()
		said, err := run(t, exe,
			"UID_MYSQL_DSN="+server.DSN(server.NewDatabase(t)), "UID_POSTGRES_URL="+postgres.NewDatabase(t),
			"UID_STORE=sqlite:"+filepath.Join(dir, "workers.db"), "UID_WORKER_ID=7",
			"UID_SEAL_KEYS=1:"+strings.Repeat("4f", 32))
		require.NoError(t, err, p[1])
		require.Equal(t, ids.ReplaceAllString(prints[1], "0")+"\n", ids.ReplaceAllString(said, "0"), p[1])
		t.Logf("%d lines, %d ms: %s", lines(t, p[1]), time.Since(began).Milliseconds(), prints[0])
		require.LessOrEqual(t, lines(t, p[1]), longest, p[1])
	}
}

// lines counts the lines of a program's imports and functions, without blank ones.
func lines(t *testing.T, source string) (n int) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, "main.go", source, 0)
	require.NoError(t, err)
	all := strings.Split(source, "\n")
	for _, d := range f.Decls {
		for _, line := range all[files.Position(d.Pos()).Line-1 : files.Position(d.End()).Line] {
			if strings.TrimSpace(line) != "" {
				n++
			}
		}
	}
	return n
}
