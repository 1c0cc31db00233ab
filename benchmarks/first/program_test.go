package first

import (
	"bufio"
	"debug/buildinfo"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	written  = regexp.MustCompile("(?s)```go\n(package main\n.*?)```")
	printing = regexp.MustCompile(`(?m)^\s*fmt\.Println\(.*?\) // (.+)$`)
	ids      = regexp.MustCompile(`[0-9a-z]{13,}|[0-9]+`)
)

// A program draws one ID.
type program struct {
	title, source, exe  string
	prints              string // with each ID as 0; "" if nothing says so
	lines, constructors int
	bytes               int64
	first, later        []time.Duration // from its start to its ID, by run
}

// inDocument returns the programs of a document.
func inDocument(t *testing.T, file string, titles ...string) (all []*program) {
	found := written.FindAllStringSubmatch(string(must(os.ReadFile(file))), -1)
	require.Len(t, found, len(titles), file)
	for i, p := range found {
		prints := printing.FindStringSubmatch(p[1])
		require.NotNil(t, prints, p[1])
		all = append(all, &program{title: titles[i], source: p[1], prints: ids.ReplaceAllString(prints[1], "0")})
	}
	return all
}

// ofPeers returns the shortest programs with other libraries, after what those say of themselves.
func ofPeers() (all []*program) {
	for _, file := range must(filepath.Glob("testdata/*.go")) {
		all = append(all, &program{source: string(must(os.ReadFile(file)))})
	}
	return all
}

// build compiles the program in an empty folder, with the modules of this clone, and counts what is in it.
func (p *program) build(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "main.go")
	p.exe = filepath.Join(dir, "main.exe")
	require.NoError(t, os.WriteFile(file, []byte(p.source), 0o644))
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", p.exe, file)
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	p.bytes = must(os.Stat(p.exe)).Size()
	if p.title == "" {
		linked := must(buildinfo.ReadFile(p.exe))
		require.Len(t, linked.Deps, 1)
		p.title = strings.TrimPrefix(linked.Deps[0].Path, "github.com/") + " " + linked.Deps[0].Version
	}
	for line := range strings.Lines(p.source) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			p.lines++
		}
	}
	f := must(parser.ParseFile(token.NewFileSet(), file, p.source, 0))
	p.constructors = constructors(f)
}

var major = regexp.MustCompile(`/v[0-9]+$`)

// constructors counts the calls of packages' functions on the way to a generator: all but those of the standard
// library, of which sql.Open is one, and those whose result is printed at once.
func constructors(f *ast.File) (n int) {
	makes := map[string]bool{"fmt": false}
	for _, i := range f.Imports {
		from := major.ReplaceAllString(strings.Trim(i.Path.Value, `"`), "")
		makes[path.Base(from)] = strings.Contains(from, ".") || from == "database/sql"
	}
	ast.Inspect(f, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if !is {
			return true
		}
		function, is := call.Fun.(*ast.SelectorExpr)
		if !is {
			return true
		}
		of, is := function.X.(*ast.Ident)
		if is && makes[of.Name] {
			n++
		}
		return !is || of.Name != "fmt"
	})
	return n
}

// run returns how long the program takes until it has printed, and runs it to its end.
func (p *program) run(t *testing.T, dir string, env []string) time.Duration {
	cmd := exec.CommandContext(t.Context(), p.exe)
	var log strings.Builder
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(cmd.Environ(), env...), &log
	out := must(cmd.StdoutPipe())
	began := time.Now()
	require.NoError(t, cmd.Start())
	said, _ := bufio.NewReader(out).ReadString('\n') // the program's end says what is wrong
	took := time.Since(began)
	require.NoError(t, cmd.Wait(), "%s: %s", p.title, &log)
	if p.prints != "" {
		require.Equal(t, p.prints+"\n", ids.ReplaceAllString(said, "0"), p.title)
	}
	require.NotEmpty(t, strings.TrimSpace(said), p.title)
	return took
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// must returns what a call has that the test cannot go on without.
func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
