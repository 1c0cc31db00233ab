package documents

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/engines/cluster"
)

func TestMain(m *testing.M) { cluster.Main(m) }

var (
	printing = regexp.MustCompile(`(?m)^\s*fmt\.Println\(.*?\) // (.+)$`)
	inits    = regexp.MustCompile("`uid worker init ([^`]+)`")
	parsed   = regexp.MustCompile("(?s)`go run ./cmd/uid parse ([0-9]+)` takes a UID apart, and draws it:\n\n" +
		"```\n(.*?)```")
	digits = regexp.MustCompile(`[0-9]+`)
)

// A reader does what README shows, in folders of his own: its commands, then its programs. They print
// what README says, but for the numbers.
func TestReadmeHolds(t *testing.T) {
	readme := must(os.ReadFile(filepath.Join(root, "README.md")))
	text, dir := string(readme), t.TempDir()
	server := cluster.Shared(t)
	t.Setenv("UID_MYSQL_DSN", server.DSN(server.NewDatabase(t)))
	command := filepath.Join(dir, "uid.exe")
	run(t, root, "go", "build", "-o", command, "./cmd/uid")
	namespace := inits.FindStringSubmatch(text)
	require.NotNil(t, namespace)
	run(t, dir, command, append([]string{"worker", "init"}, strings.Fields(namespace[1])...)...)

	programs := program.FindAllStringSubmatch(text, -1)
	require.NotEmpty(t, programs)
	// Its first lines are those of a whole program further down.
	_, first, found := strings.Cut(strings.Join(strings.SplitN(text, "\n", 11)[:10], "\n"), "```go\n")
	require.True(t, found)
	first, _, found = strings.Cut(first, "```")
	require.True(t, found)
	for line := range strings.Lines(first) {
		code, _, _ := strings.Cut(line, " //")
		require.Contains(t, programs[0][1], "\t"+strings.TrimSpace(code)+"\n")
	}
	for _, p := range programs {
		prints := printing.FindAllStringSubmatch(p[1], -1)
		require.Len(t, prints, 1, p[1])
		exe, workers := build(t, p[1]), []int64(nil)
		for range 3 { // an empty store, and used ones
			since := time.Now()
			said := run(t, dir, exe)
			require.Equal(t, digits.ReplaceAllString(prints[0][1], "0")+"\n", digits.ReplaceAllString(said, "0"))
			workers = append(workers, requireNew(t, said, since).WorkerID)
		}
		// A start uses up one or two IDs.
		require.Contains(t, []int64{1, 2}, workers[1]-workers[0])
		require.Contains(t, []int64{1, 2}, workers[2]-workers[1])
	}

	t.Setenv("UID_MYSQL_DSN", "")
	since := time.Now()
	drawn := run(t, dir, command, "gen", "--store", "workers.db")
	require.Contains(t, text, "    go run ./cmd/uid gen --store workers.db     # five UIDs\n")
	require.Equal(t, 5, strings.Count(drawn, "\n"))
	for line := range strings.Lines(drawn) {
		requireNew(t, line, since)
	}
	example := parsed.FindStringSubmatch(text)
	require.NotNil(t, example)
	words, picture, _ := strings.Cut(run(t, dir, command, "parse", example[1]), "\n\n")
	require.Equal(t, example[2], words+"\n")
	require.Contains(t, picture, "+-+--")
}

// build compiles a program in a module of its own, outside the workspace.
func build(t *testing.T, source string) (file string) {
	dir := t.TempDir()
	t.Setenv("GOWORK", "off")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
	here := must(filepath.Abs(root))
	run(t, dir, "go", "mod", "init", "example.org/program")
	for _, module := range []string{"", "/worker/sqlite"} {
		path := "github.com/uidgen/uid" + module
		run(t, dir, "go", "mod", "edit", "-require="+path+"@v0.0.0", "-replace="+path+"="+here+module)
	}
	run(t, dir, "go", "mod", "tidy")
	run(t, dir, "go", "build", "-o", "program.exe", ".")
	t.Setenv("GOWORK", "")
	return filepath.Join(dir, "program.exe")
}

// run returns what a command prints.
func run(t *testing.T, dir, name string, args ...string) string {
	var out, said strings.Builder
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &said
	require.NoError(t, cmd.Run(), "%s %v: %s%s", name, args, &out, &said)
	return out.String()
}

// requireNew returns the parts of the UID with which a text begins. It fails unless that is one of the default layout
// that was made after since. One of a lease may be some minutes ahead.
func requireNew(t *testing.T, text string, since time.Time) uid.Parts {
	u, err := uid.Parse(digits.FindString(text))
	require.NoError(t, err)
	parts := must(bits.Default().Parse(u))
	require.False(t, parts.Time.Before(since.Truncate(time.Second)), "%v was made before %v", u, since)
	require.Less(t, time.Until(parts.Time), 10*time.Minute)
	return parts
}
