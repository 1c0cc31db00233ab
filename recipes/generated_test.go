package recipes_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"entgo.io/ent/entc"
	"entgo.io/ent/entc/gen"
	"github.com/stretchr/testify/require"
)

// The generated code is what ent makes of the schema.
func TestEntIsCurrent(t *testing.T) {
	t.Parallel()
	const folder = "ent/ent"
	anew := t.TempDir()
	cfg := &gen.Config{Target: anew, Package: "github.com/uidgen/uid/recipes/" + folder}
	require.NoError(t, entc.Generate("./"+folder+"/schema", cfg))
	made := files(t, anew)
	require.Greater(t, len(made), 10)
	for name, text := range files(t, folder) {
		if name == "generate.go" || strings.HasPrefix(name, "schema/") {
			continue
		}
		if name == "runtime/runtime.go" {
			// It has the version of ent, which a test does not know of its own binary.
			list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", "entgo.io/ent")
			version := must(list.Output())
			require.Contains(t, text, strconv.Quote(strings.TrimSpace(string(version))))
			made[name] = text
		}
		require.Equal(t, made[name], text, "%s/%s: run go generate in %s", folder, name, folder)
		delete(made, name)
	}
	require.Empty(t, made, "run go generate in %s", folder)
}

// The generated code is what sqlc makes of the queries.
func TestSqlcIsCurrent(t *testing.T) {
	t.Parallel()
	source := must(os.ReadFile("sqlc/main.go"))
	_, command, found := strings.Cut(string(source), "//go:generate ")
	require.True(t, found)
	command, found = strings.CutSuffix(command[:strings.IndexByte(command, '\n')], " generate")
	require.True(t, found)
	args := strings.Fields(command)
	cmd := exec.CommandContext(t.Context(), args[0], append(args[1:], "diff")...)
	cmd.Dir = "sqlc"
	// It links a parser of PostgreSQL, which without cgo needs no C compiler. It is large: with flags
	// of its own it is built once, whatever the tests' are.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "run go generate in recipes/sqlc\n%s", out)
}

// files returns the texts of the files below a folder.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		texts[filepath.ToSlash(name)] = string(text)
		return err
	}))
	return texts
}
