package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// levels are the methods of a slog.Logger, with how many arguments come before the message.
var levels = map[string]int{
	"Debug": 0, "Info": 0, "Warn": 0, "Error": 0,
	"DebugContext": 1, "InfoContext": 1, "WarnContext": 1, "ErrorContext": 1, "Log": 2, "LogAttrs": 2,
}

// broken is where a text goes on in another line.
var broken = regexp.MustCompile(`"\+\n\t+"`)

// The operations page lists every record that the library logs, and every attribute, each with
// what it means; it lists no record that is not logged.
func TestEventsAreListed(t *testing.T) {
	text := must(os.ReadFile(filepath.Join(root, "docs", "operations.md")))
	_, section, found := strings.Cut(string(text), "\n### Events\n")
	require.True(t, found)
	section, _, _ = strings.Cut(section, "\n## ")
	records, attributes := 0, map[string]bool{}
	var sources strings.Builder
	for _, file := range library(t) {
		source := must(os.ReadFile(file))
		parsed := must(parser.ParseFile(token.NewFileSet(), file, source, 0))
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, on := method(call)
			switch before, is := levels[name]; {
			case on == "slog" && len(call.Args) > 1: // slog.String(key, value)
				if key := literal(call.Args[0]); key != "" {
					attributes[key] = true
				}
			case is && (strings.HasSuffix(on, "ogger") || on == "log" || on == "Default") && len(call.Args) > before:
				if message := literal(call.Args[before]); message != "" {
					records++
					named := strings.Contains(section, "`"+strings.TrimSpace(message)+"`")
					require.True(t, named, "%s logs %q, which is not listed", file, message)
				}
				for i := before + 1; i < len(call.Args); i += 2 {
					if key := literal(call.Args[i]); key != "" {
						attributes[key] = true
					}
				}
			}
			return true
		})
		sources.WriteString(broken.ReplaceAllString(string(source), ""))
	}
	require.Greater(t, records, 12)
	require.Greater(t, len(attributes), 20)
	for key := range attributes {
		require.True(t, strings.Contains(section, "`"+key+"`"), "the attribute %s is not listed", key)
	}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		level := strings.TrimPrefix(cells[0], "| ")
		if !slices.Contains([]string{"Debug", "Info", "Warn", "Error"}, level) {
			continue
		}
		for _, message := range strings.Split(cells[1], "`, `") {
			require.True(t, strings.Contains(sources.String(), strings.Trim(message, "`")), "nobody logs %s", message)
		}
	}
}

// library returns the sources of the library, without commands, tests and benchmarks.
func library(t *testing.T) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		switch filepath.ToSlash(inside) {
		case ".git", "cmd", "benchmarks", "test", "test/engines", "internal/logtest", "uidtest":
			if entry.IsDir() {
				return filepath.SkipDir
			}
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			files = append(files, path)
		}
		return nil
	}))
	return files
}

// method returns the name of the method that is called, and the last name of what it is called on.
func method(call *ast.CallExpr) (name, on string) {
	called, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	switch x := called.X.(type) {
	case *ast.Ident:
		on = x.Name
	case *ast.SelectorExpr:
		on = x.Sel.Name
	case *ast.CallExpr:
		_, on = method(x)
		if s, ok := x.Fun.(*ast.SelectorExpr); ok {
			on = s.Sel.Name
		}
	}
	return called.Sel.Name, on
}

// literal returns the text of a constant, with what is joined to it as far as that is constant.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		if err == nil && e.Kind == token.STRING {
			return text
		}
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	}
	return ""
}
