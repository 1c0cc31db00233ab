// Fuzz runs every fuzz target of the workspace, one after the other, each for a given time,
// and says at the end which of them found something.
//
//	go run ./internal/proof/fuzz [-time 10s] [-run regexp]
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

// A target is a fuzz function of a package.
type target struct{ pkg, name string }

func main() {
	each := flag.Duration("time", 10*time.Second, "how long each target is fuzzed")
	only := flag.String("run", "", "fuzz only the targets whose package or name matches")
	flag.Parse()
	re, err := regexp.Compile(*only)
	if err != nil || *each <= 0 {
		fmt.Fprintf(os.Stderr, "fuzz: -run %q, -time %v: want a regular expression, and more than 0 s\n", *only, *each)
		os.Exit(2)
	}
	targets, err := list()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fuzz:", err)
		os.Exit(1)
	}
	var findings []target
	ran := 0
	for _, t := range targets {
		if !re.MatchString(t.pkg) && !re.MatchString(t.name) {
			continue
		}
		ran++
		fmt.Println(t.pkg, t.name)
		output, err := t.fuzz(*each)
		switch {
		case err == nil:
		case onlyTimeIsUp(output):
			fmt.Println("nothing was found: that the time was up is all there is to it (go.dev/issue/75804)")
		default:
			findings = append(findings, t)
		}
	}
	if ran == 0 {
		fmt.Fprintf(os.Stderr, "fuzz: no target matches %q\n", *only)
		os.Exit(1)
	}
	for _, t := range findings {
		fmt.Println("FAILED:", t.pkg, t.name)
	}
	fmt.Printf("%d targets fuzzed for %v each, %d failed\n", ran, *each, len(findings))
	if len(findings) > 0 {
		os.Exit(1)
	}
}

// list returns all targets, in the order of go list.
func list() ([]target, error) {
	cmd := exec.Command("go", "test", "-list", "^Fuzz", "work")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the targets: %w\n%s", err, out)
	}
	return parse(string(out)), nil
}

// parse reads the output of go test -list: the names of a package's targets, then the package.
func parse(out string) []target {
	var targets []target
	var names []string
	for line := range strings.Lines(out) {
		switch fields := strings.Fields(line); {
		case len(fields) == 1 && strings.HasPrefix(fields[0], "Fuzz"):
			names = append(names, fields[0])
		case len(fields) > 1 && fields[0] == "ok":
			for _, name := range names {
				targets = append(targets, target{fields[1], name})
			}
			names = nil
		}
	}
	return targets
}

// fuzz runs the target, and shows and returns its output.
func (t target) fuzz(each time.Duration) (output []byte, err error) {
	var kept bytes.Buffer
	cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+t.name+"$", "-fuzztime", each.String(), t.pkg)
	cmd.Stdout = io.MultiWriter(os.Stdout, &kept)
	cmd.Stderr = cmd.Stdout
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
