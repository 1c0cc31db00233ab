package documents

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	errorRow  = regexp.MustCompile("(?m)^\\| `(\\w+\\.\\w+)` \\| [^|]+ \\| [^|]+ \\|$")
	sentinel  = regexp.MustCompile(`^Err[A-Z]`)
	errorType = regexp.MustCompile(`^[A-Z]\w*Error$`)
)

// The catalogue lists every sentinel and every type of error that the library exports, once, and no other.
func TestErrorsAreListed(t *testing.T) {
	text := must(os.ReadFile(filepath.Join(root, "docs", "errors.md")))
	var exported, listed []string
	for _, file := range library(t) {
		inside := filepath.ToSlash(must(filepath.Rel(root, file)))
		if strings.HasPrefix(inside, "internal/") || strings.HasPrefix(inside, "recipes/") {
			continue
		}
		parsed := must(parser.ParseFile(token.NewFileSet(), file, nil, 0))
		for _, name := range errorsOf(parsed) {
			exported = append(exported, parsed.Name.Name+"."+name)
		}
	}
	require.Greater(t, len(exported), 20)
	for _, row := range errorRow.FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, row[1])
	}
	require.ElementsMatch(t, exported, listed)
}

// errorsOf returns the errors that a file exports: variables Err… and types …Error.
func errorsOf(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		declared, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range declared.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if errorType.MatchString(s.Name.Name) {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					if sentinel.MatchString(name.Name) {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}
