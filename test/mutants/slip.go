package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// makeSlips returns the slips in packages that have changed, those in changed lines first, in an order that the newest
// commit chooses: a run can be repeated, and the next night has others.
func makeSlips(changed changes) ([]mutant, error) {
	out, err := exec.Command("git", "ls-files", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("git rev-parse HEAD: %w", err)
	}
	var first, others []mutant
	for _, file := range strings.Fields(string(out)) {
		if !changed.in(filepath.Dir(file)) || strings.HasSuffix(file, "_test.go") || !tested(file) {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		slips, err := slipsIn(file, source)
		if err != nil {
			return nil, err
		}
		for _, m := range slips {
			if line := 1 + bytes.Count(source[:m.edits[0].begin], []byte("\n")); changed.line(file, line) {
				first = append(first, m)
			} else {
				others = append(others, m)
			}
		}
	}
	order := func(m mutant) uint64 {
		h := fnv.New64a()
		fmt.Fprint(h, string(commit), m.file, m.name, m.edits)
		return h.Sum64()
	}
	for _, slips := range [][]mutant{first, others} {
		slices.SortFunc(slips, func(a, b mutant) int { return cmp.Compare(order(a), order(b)) })
	}
	return append(first, others...), nil
}

// noSlips are folders whose tests need servers, or which are there for tests.
var noSlips = []string{
	"benchmarks/", "recipes/", "stores/", "internal/fake/", "internal/logtest/", "test/",
	"internal/suite/", "internal/storetest/", "internal/segmenttest/", "internal/drivers/",
}

// elsewhere are the folders of tests that judge slips of packages whose own tests have no database.
var elsewhere = map[string]string{"worker/sqlstore": "worker/sqlite"}

// tested reports whether a file is built here, and its package has tests of its own.
func tested(file string) bool {
	dir, name := filepath.Split(file)
	built, _ := build.Default.MatchFile(dir, name)
	tests, _ := filepath.Glob(dir + "*_test.go")
	return built && len(tests) > 0 &&
		!slices.ContainsFunc(noSlips, func(folder string) bool { return strings.HasPrefix(file, folder) })
}

// slipsIn returns the slips of a source.
func slipsIn(file string, source []byte) (all []mutant, err error) {
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(pos token.Pos) int { return files.Position(pos).Offset }
	slip := func(name string, edits ...edit) {
		all = append(all, mutant{name: name, file: file, edits: edits, in: elsewhere[filepath.Dir(file)], slip: true})
	}
	text := func(n ast.Node) string { return string(source[at(n.Pos()):at(n.End())]) }
	among := func(list []ast.Stmt) {
		for i, s := range list {
			if leavable(s) {
				slip("without "+short(text(s)), edit{at(s.Pos()), at(s.End()), ""})
			}
			if i > 0 && swappable(list[i-1], s) {
				before := list[i-1]
				slip("swapped: "+short(text(before))+" and "+short(text(s)),
					edit{at(before.Pos()), at(before.End()), text(s)}, edit{at(s.Pos()), at(s.End()), text(before)})
			}
		}
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			other, found := mistaken[n.Op]
			if found && (n.Op != token.ADD || !strings.Contains(text(n), `"`)) { // texts have no difference
				begin := at(n.OpPos)
				slip(fmt.Sprintf("%s for %s in %s", other, n.Op, short(text(n))),
					edit{begin, begin + len(n.Op.String()), other.String()})
			}
		case *ast.IfStmt:
			// An equation is turned round above.
			if c, _ := n.Cond.(*ast.BinaryExpr); c == nil || c.Op != token.EQL && c.Op != token.NEQ {
				slip("the other way round: if "+short(text(n.Cond)),
					edit{at(n.Cond.Pos()), at(n.Cond.End()), "!(" + text(n.Cond) + ")"})
			}
		case *ast.BlockStmt:
			among(n.List)
		case *ast.CaseClause:
			among(n.Body)
		case *ast.CommClause:
			among(n.Body)
		}
		return true
	})
	return all, nil
}

// mistaken are operators that a programmer might write for another.
var mistaken = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
	token.ADD: token.SUB, token.SUB: token.ADD,
}

// leavable reports whether a statement is a call or sets what was declared before.
func leavable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ExprStmt, *ast.IncDecStmt, *ast.DeferStmt, *ast.SendStmt:
		return true
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	}
	return false
}

// swappable reports whether two statements can be swapped and their order may matter: the second uses nothing
// that the first defines, and one of them calls something.
func swappable(before, s ast.Stmt) (calls bool) {
	defined := map[string]bool{}
	if first, is := before.(*ast.AssignStmt); is && first.Tok == token.DEFINE {
		for _, e := range first.Lhs {
			defined[e.(*ast.Ident).Name] = true
		}
	}
	uses := false
	ast.Inspect(s, func(n ast.Node) bool {
		name, is := n.(*ast.Ident)
		uses = uses || is && defined[name.Name]
		return true
	})
	for _, s := range []ast.Stmt{before, s} {
		switch s.(type) {
		case *ast.ExprStmt, *ast.AssignStmt, *ast.SendStmt, *ast.IncDecStmt:
		default:
			return false
		}
		ast.Inspect(s, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is {
				_, selects := call.Fun.(*ast.SelectorExpr) // else it is most often a conversion
				calls = calls || selects
			}
			return true
		})
	}
	return calls && !uses
}

// short is the beginning of a text, on one line.
func short(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 50 {
		return string(runes[:50]) + "..."
	}
	return text
}

// scores count the slips of packages, and those that were caught.
type scores map[string]*struct{ caught, all int }

func (s scores) add(m *mutant, v verdict) {
	if v.fate == impossible {
		return
	}
	pkg := filepath.Dir(m.file)
	if s[pkg] == nil {
		s[pkg] = &struct{ caught, all int }{}
	}
	s[pkg].all++
	if v.fate == caught {
		s[pkg].caught++
	}
}

func (s scores) print() {
	for _, pkg := range slices.Sorted(maps.Keys(s)) {
		fmt.Printf("%-28s %d of %d slips caught\n", pkg, s[pkg].caught, s[pkg].all)
	}
}
