// Package overlay writes what has the go command compile packages against package explore in place of sync and
// sync/atomic, together with the scenarios that are to explore them. The sources are not touched, and lines keep their
// numbers.
//
// Sizes that are constants may make runs too long to explore. So a line of a scenario's file may edit one of the
// package's:
//
//	//explore:edit unordered.go homeBits = 6 => homeBits = 1
//
// The text before the arrow has to be there exactly once.
package overlay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Scenarios is the folder whose folders have the scenarios of packages.
const Scenarios = "test/explore/scenarios"

const stand = `"github.com/uidgen/uid/test/explore"`

// Packages returns the folders of the packages that have scenarios.
func Packages(root string) (folders []string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, Scenarios))
	for _, e := range entries {
		folders = append(folders, e.Name())
	}
	return folders, err
}

// whole is what scenarios of whole generators explore too.
var whole = []string{"internal/tenure"}

// Write writes an overlay, for go build's -overlay, and all that it needs into a folder. Without isWhole, what the
// packages start with a go statement is explore's to start. In place of a file that is a key of changed it takes that
// text. Keys are paths below root, the repository.
func Write(dir, root string, isWhole bool, changed map[string][]byte) (file string, err error) {
	folders, err := Packages(root)
	if err != nil {
		return "", err
	}
	w := writer{dir: dir, whole: isWhole, changed: changed, replace: map[string]string{}, edits: map[string][]string{}}
	if w.root, err = filepath.Abs(root); err != nil {
		return "", err
	}
	for _, folder := range folders {
		if err := w.scenarios(folder); err != nil {
			return "", err
		}
	}
	if isWhole {
		folders = append(folders, whole...)
	}
	for _, folder := range folders {
		if err := w.sources(folder); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": w.replace})
	if err != nil {
		return "", err
	}
	file = filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o600)
}

// Flags are what go test needs for an overlay: paths as they are, for traces, and the tag of scenarios.
func Flags(file string) []string {
	return []string{"-overlay", file, "-tags", "explore", "-trimpath=false"}
}

type writer struct {
	dir, root string
	whole     bool
	changed   map[string][]byte
	replace   map[string]string   // by absolute path
	edits     map[string][]string // by path below root
}

// scenarios puts a package's scenarios where its tests are, and notes their edits.
func (w *writer) scenarios(folder string) error {
	files, err := filepath.Glob(filepath.Join(w.root, Scenarios, folder, "*.go"))
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".go") + "_explore_test.go"
		w.replace[filepath.Join(w.root, folder, name)] = file
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if rest, is := strings.CutPrefix(line, "//explore:edit "); is {
				name, change, _ := strings.Cut(strings.TrimSpace(rest), " ")
				w.edits[folder+"/"+name] = append(w.edits[folder+"/"+name], change)
			}
		}
	}
	return err
}

// edited makes the edits of a file that scenarios ask for.
func (w *writer) edited(name string, text []byte) ([]byte, error) {
	for _, change := range w.edits[name] {
		before, after, is := strings.Cut(change, " => ")
		if n := bytes.Count(text, []byte(before)); !is || n != 1 {
			return nil, fmt.Errorf("%s: %q is no edit, or its text is there %d times", name, change, n)
		}
		text = bytes.Replace(text, []byte(before), []byte(after), 1)
	}
	return text, nil
}

// sources replaces a package's files. Its own tests are left out: they would run against the stand-ins.
func (w *writer) sources(folder string) error {
	files, err := filepath.Glob(filepath.Join(w.root, folder, "*.go"))
	if err != nil {
		return err
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			w.replace[file] = ""
			continue
		}
		name := folder + "/" + filepath.Base(file)
		text, isChanged := w.changed[name]
		if !isChanged {
			if text, err = os.ReadFile(file); err != nil {
				return err
			}
		}
		edited, err := w.edited(name, text)
		if err != nil {
			return err
		}
		out, err := rewrite(file, edited, !w.whole)
		if err != nil {
			return err
		}
		if !isChanged && string(out) == string(text) {
			continue
		}
		w.replace[file] = filepath.Join(w.dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(w.replace[file], out, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// An edit replaces the bytes of a text from begin to end.
type edit struct {
	begin, end int
	text       string
}

// rewrite has a file import explore in place of sync and sync/atomic, and, with starts, start goroutines by it.
func rewrite(name string, text []byte, starts bool) ([]byte, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	at := func(pos token.Pos) int { return files.Position(pos).Offset }
	var edits []edit
	for _, i := range file.Imports {
		path, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, err
		}
		if path != "sync" && path != "sync/atomic" {
			continue
		}
		if i.Name != nil {
			return nil, fmt.Errorf("%s: %s under another name", files.Position(i.Pos()), path)
		}
		edits = append(edits, edit{at(i.Path.Pos()), at(i.Path.End()), filepath.Base(path) + " " + stand})
	}
	if starts {
		first := len(edits)
		ast.Inspect(file, func(n ast.Node) bool {
			if g, is := n.(*ast.GoStmt); is {
				// go f(x) becomes started.Go(f, x), which looks at f and x now, too.
				sep := ", "
				if len(g.Call.Args) == 0 {
					sep = ""
				}
				edits = append(edits, edit{at(g.Go), at(g.Call.Pos()), "started.Go("},
					edit{at(g.Call.Lparen), at(g.Call.Lparen) + 1, sep})
			}
			return true
		})
		if len(edits) > first {
			end := at(file.Name.End())
			edits = append(edits, edit{end, end, "; import started " + stand})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return a.begin - b.begin })
	var out []byte
	done := 0
	for _, e := range edits {
		out = append(append(out, text[done:e.begin]...), e.text...)
		done = e.end
	}
	return append(out, text[done:]...), nil
}
