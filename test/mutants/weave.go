package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// variable has the number of the mutant to run, in the environment of a program that has several. Zero is none.
const variable = "UID_MUTANT"

// weave returns a file with the mutants that are in bodies of functions, and marks these as woven. One body becomes
//
//	{ switch chosen { case 7: return func() error { the faulty one }() }; the body }
//
// so that a faulty one has the parameters, but labels of its own, and must return. To the compiler it is in a file
// mutant-7.go. All else keeps its lines.
func weave(file string, mutants []*mutant) ([]byte, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	source := string(text)
	whole, err := parse(source)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	cases := make([]string, len(whole.bodies))
	for _, m := range mutants {
		text, err := m.mutated()
		if err != nil {
			return nil, err
		}
		faulty, err := parse(string(text))
		m.woven = err == nil && faulty.around == whole.around
		for i := 0; m.woven && i < len(cases); i++ {
			b := faulty.bodies[i]
			if b.text == whole.bodies[i].text {
				continue
			}
			call := fmt.Sprintf("func() %s /*line mutant-%d.go:%d:1*/%s()", b.results, m.number, b.line, b.text)
			if b.results == "" {
				call += "; return"
			} else {
				call = "return " + call
			}
			cases[i] += fmt.Sprintf("case %d:\n%s\n", m.number, call)
		}
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	chosen := fmt.Sprintf("chosenMutant%d", mutants[0].number) // no two files have the same
	var out strings.Builder
	out.WriteString(source[:whole.name] + `; import chosenOS "os"; import chosenNumber "strconv"`)
	done := whole.name
	for i, b := range whole.bodies {
		if cases[i] != "" {
			fmt.Fprintf(&out, "%s{switch %s {\n%s}\n/*line %s:%d:1*/",
				source[done:b.begin], chosen, cases[i], path, b.line)
			done = b.begin + len("{")
		}
	}
	fmt.Fprintf(&out, "%s\nvar %s, _ = chosenNumber.Atoi(chosenOS.Getenv(%q))\n", source[done:], chosen, variable)
	return []byte(out.String()), nil
}

// A parsed source has the bodies of its functions, what is around them, and where the package's name ends.
type parsed struct {
	bodies []body
	around string
	name   int
}

type body struct {
	begin, line   int
	text, results string
}

func parse(source string) (p parsed, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.SkipObjectResolution)
	if err != nil {
		return p, err
	}
	at := func(pos token.Pos) int { return files.Position(pos).Offset }
	p.name = at(file.Name.End())
	done := 0
	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		if !is || f.Body == nil {
			continue
		}
		b := body{begin: at(f.Body.Pos()), line: files.Position(f.Body.Pos()).Line}
		end := at(f.Body.End())
		b.text = source[b.begin:end]
		if r := f.Type.Results; r != nil {
			b.results = source[at(r.Pos()):at(r.End())]
		}
		p.bodies = append(p.bodies, b)
		p.around += source[done:b.begin]
		done = end
	}
	p.around += source[done:]
	return p, nil
}
