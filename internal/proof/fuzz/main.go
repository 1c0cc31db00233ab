// Fuzz runs every fuzz target of the workspace, one after the other, each for a given time,
// and says at the end which of them found something.
//
//	go run ./internal/proof/fuzz [-time 10s] [-run regexp]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A target is a fuzz function of a package, whose folder is dir.
type target struct{ pkg, dir, name string }

func main() {
	each := flag.Duration("time", 10*time.Second, "how long each target is fuzzed")
	only := flag.String("run", "", "fuzz only the targets whose package or name matches")
	flag.Parse()
	re, err := regexp.Compile(*only)
	if err != nil || *each <= 0 {
		fmt.Fprintf(os.Stderr, "fuzz: -run %q, -time %v: want a regular expression, and more than 0 s\n", *only, *each)
		os.Exit(2)
	}
	targets, err := list("work")
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	binaries, err := newBinaries()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	defer binaries.remove()
	var findings []target
	ran := 0
	for _, t := range targets {
		if !re.MatchString(t.pkg) && !re.MatchString(t.name) {
			continue
		}
		ran++
		fmt.Println(t.pkg, t.name)
		output, err := t.fuzz(binaries, *each)
		switch {
		case err == nil:
		case onlyTimeIsUp(output):
			fmt.Println("nothing was found: that the time was up is all there is to it (go.dev/issue/75804)")
		default:
			findings = append(findings, t)
		}
	}
	if ran == 0 {
		binaries.remove()
		fmt.Fprintf(os.Stderr, "fuzz: no target matches %q\n", *only)
		os.Exit(1)
	}
	for _, t := range findings {
		fmt.Println("FAILED:", t.pkg, t.name)
	}
	fmt.Printf("%d targets fuzzed for %v each, %d failed\n", ran, *each, len(findings))
	if len(findings) > 0 {
		binaries.remove()
		os.Exit(1)
	}
}

// list returns the targets of packages, in the order of go list.
func list(packages string) ([]target, error) {
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}}{{"\t"}}{{.Dir}}{{range .TestGoFiles}}{{"\t"}}{{.}}{{end}}{{range .XTestGoFiles}}{{"\t"}}{{.}}{{end}}`, packages)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages: %w", err)
	}
	var targets []target
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		for _, file := range fields[2:] {
			names, err := fuzzFunctions(filepath.Join(fields[1], file))
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				targets = append(targets, target{pkg: fields[0], dir: fields[1], name: name})
			}
		}
	}
	return targets, nil
}

// fuzzFunctions returns the names of a test file's fuzz functions. The sources tell them in no time;
// go test -list builds all tests for it.
func fuzzFunctions(path string) (names []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
			names = append(names, f.Name.Name)
		}
	}
	return names, nil
}

// fuzz runs the target, and shows and returns its output.
func (t target) fuzz(b *binaries, each time.Duration) (output []byte, err error) {
	var kept bytes.Buffer
	show := io.MultiWriter(os.Stdout, &kept)
	of, err := b.of(t, show)
	if err != nil {
		return kept.Bytes(), err
	}
	cmd := exec.Command(of.path, "-test.run", "^$", "-test.fuzz", "^"+t.name+"$", "-test.fuzztime", each.String(), "-test.fuzzcachedir", of.cache)
	cmd.Dir = t.dir
	cmd.Stdout, cmd.Stderr = show, show
	err = cmd.Run()
	return kept.Bytes(), err
}

var (
	timeIsUp = regexp.MustCompile(`(?m)^--- FAIL: Fuzz\S+ \([0-9.]+s\)\n    context deadline exceeded\nFAIL$`)
	finding  = regexp.MustCompile(`(?m)Failing input|^panic:|^fatal error:|^\s+--- FAIL`)
)

// onlyTimeIsUp reports whether a failed run found nothing. Before Go 1.27, go test sometimes
// reports the end of the time as a failure, when a worker sees its deadline a moment before
// the coordinator does. A finding leaves an input or a panic.
func onlyTimeIsUp(output []byte) bool {
	return timeIsUp.Match(output) && !finding.Match(output)
}
