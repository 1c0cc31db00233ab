// Typecheck checks the types of packages, and of their tests, as they are on other machines. It
// finds what a build for these would refuse, and is quicker than one, since it compiles nothing.
//
//	go run ./internal/proof/typecheck -for windows/amd64,darwin/arm64 ./... ./cmd/uid
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	machines := flag.String("for", "windows/amd64,darwin/arm64", "systems and architectures")
	flag.Parse()
	failed := false
	for machine := range strings.SplitSeq(*machines, ",") {
		n, err := check(".", machine, flag.Args())
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", machine, err)
			failed = true
			continue
		}
		fmt.Printf("%s: %d packages hold\n", machine, n)
	}
	if failed {
		os.Exit(1)
	}
}

// check returns how many packages there are, as seen from a folder, or what is wrong with them.
func check(dir, machine string, patterns []string) (int, error) {
	system, architecture, ok := strings.Cut(machine, "/")
	if !ok {
		return 0, fmt.Errorf("%q is not a system and an architecture, such as windows/amd64", machine)
	}
	all, err := packages.Load(&packages.Config{
		// Types of dependencies come from their source: there is no build of them.
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Dir:   dir,
		Env:   append(os.Environ(), "GOOS="+system, "GOARCH="+architecture, "CGO_ENABLED=0"),
		Tests: true,
	}, patterns...)
	if err != nil {
		return 0, err
	}
	var wrong []string
	for _, p := range all {
		for _, e := range p.Errors {
			wrong = append(wrong, e.Error())
		}
	}
	if len(wrong) > 0 {
		return 0, fmt.Errorf("%d errors:\n%s", len(wrong), strings.Join(wrong, "\n"))
	}
	return len(all), nil
}
