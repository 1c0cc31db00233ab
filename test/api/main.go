// Api writes the names that all modules export into api.txt, beside it, or says what differs from it: a change of the
// API is seen where it is made, and by who reviews it.
//
//	go run ./test/api [-write]
//
// A name is that of a function, a type, a constant, a variable, or a method of an exported type or interface. Fields of
// structs are left out, and so are commands, internal packages, and the modules that nobody imports.
package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mostNames bounds the names of all modules, and mostWords those of their doc comments.
const mostNames, mostWords = 500, 28_000

// skipped are folders of which nothing is exported to users.
var skipped = []string{".git", "benchmarks", "cmd", "recipes", "test"}

const file = "test/api/api.txt"

func main() {
	write := flag.Bool("write", false, "write the file")
	flag.Parse()
	names, words, err := exported(".")
	if err != nil {
		log.Fatal(err)
	}
	if *write {
		if err := os.WriteFile(file, []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
			log.Fatal(err)
		}
	}
	was, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	were, differs := strings.Fields(string(was)), false
	for _, name := range append(slices.Clone(were), names...) {
		if had, has := slices.Contains(were, name), slices.Contains(names, name); had != has {
			differs = true
			fmt.Printf("%s is new: %t, is gone: %t\n", name, has, had)
		}
	}
	if len(names) > mostNames || words > mostWords {
		log.Fatalf("the modules export %d names with %d words of comments, more than %d or %d: which do users need?",
			len(names), words, mostNames, mostWords)
	}
	if differs {
		log.Fatalf("the API differs from %s. If that is meant, run go run ./test/api -write", file)
	}
}

// exported returns the names that are exported below a folder, by package, and how many words their doc comments have.
func exported(root string) (names []string, words int, err error) {
	err = filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		if slices.Contains(skipped, dir) || slices.Contains([]string{"internal", "testdata", "model"}, entry.Name()) {
			return filepath.SkipDir
		}
		p, err := read(dir)
		if p == nil {
			return err
		}
		names = append(names, namesIn(p, dir)...)
		words += wordsIn(p)
		return err
	})
	return names, words, err
}

// read returns what the package in a folder exports, nil if there is none.
func read(dir string) (*doc.Package, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	set := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return nil, err
	}
	return doc.NewFromFiles(set, files, dir)
}

// wordsIn counts the words of doc comments.
func wordsIn(p *doc.Package) (words int) {
	add := func(text string) { words += len(strings.Fields(text)) }
	within := func(decl ast.Node) { // fields and constants
		ast.Inspect(decl, func(n ast.Node) bool {
			if c, is := n.(*ast.CommentGroup); is {
				add(c.Text())
			}
			return true
		})
	}
	add(p.Doc)
	values, funcs := append(p.Consts, p.Vars...), p.Funcs
	for _, of := range p.Types {
		values = append(append(values, of.Consts...), of.Vars...)
		funcs = append(append(funcs, of.Funcs...), of.Methods...)
		add(of.Doc)
		within(of.Decl)
	}
	for _, v := range values {
		add(v.Doc)
		within(v.Decl)
	}
	for _, f := range funcs {
		add(f.Doc)
	}
	return words
}

// namesIn returns the names of a package, with its path before them.
func namesIn(p *doc.Package, dir string) (names []string) {
	values, funcs := append(p.Consts, p.Vars...), p.Funcs
	for _, of := range p.Types {
		values, funcs = append(append(values, of.Consts...), of.Vars...), append(funcs, of.Funcs...)
		names = append(names, of.Name)
		for _, m := range of.Methods {
			names = append(names, of.Name+"."+m.Name)
		}
		for _, spec := range of.Decl.Specs {
			if i, is := spec.(*ast.TypeSpec).Type.(*ast.InterfaceType); is {
				for _, m := range i.Methods.List {
					for _, name := range m.Names {
						names = append(names, of.Name+"."+name.Name)
					}
				}
			}
		}
	}
	for _, v := range values {
		names = append(names, v.Names...)
	}
	for _, f := range funcs {
		names = append(names, f.Name)
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		return !ast.IsExported(name[strings.LastIndexByte(name, '.')+1:])
	})
	slices.Sort(names)
	for i := range names {
		names[i] = path.Join("uid", filepath.ToSlash(dir)) + "." + names[i]
	}
	return names
}
