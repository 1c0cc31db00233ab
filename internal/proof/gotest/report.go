package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// An event is a line of go test -json; see go doc test2json and go help buildjson.
type event struct {
	Action, Package, Test, Output string
}

// silence is how long a report may print nothing.
const silence = 10 * time.Second

// A report turns events into output.
type report struct {
	out    io.Writer
	now    func() time.Time
	module string // cut off the names of packages

	began, printed time.Time
	packages       map[string]*running
	failed         bool
}

// running is a package whose tests run.
type running struct {
	tests map[string]time.Time // that run, and since when
	done  int                  // tests that have ended
	// The output in order, with its test ("" for the package itself). That of tests which
	// passed or were skipped is dropped when the package ends.
	output []event
	passed map[string]bool
	failed bool // one of the tests
}

func newReport(out io.Writer, now func() time.Time) *report {
	r := &report{out: out, now: now, began: now(), printed: now(), packages: map[string]*running{}}
	if info, ok := debug.ReadBuildInfo(); ok {
		r.module = info.Main.Path + "/"
	}
	return r
}

func (r *report) print(text string) {
	if text != "" {
		fmt.Fprint(r.out, text)
		r.printed = r.now()
	}
}

func (r *report) event(e event) {
	if e.Package == "" { // of a build
		r.print(e.Output)
		return
	}
	p := r.packages[e.Package]
	if p == nil {
		p = &running{tests: map[string]time.Time{}, passed: map[string]bool{}}
		r.packages[e.Package] = p
	}
	switch e.Action {
	case "output":
		p.output = append(p.output, e)
	case "run", "cont":
		p.tests[e.Test] = r.now()
	case "pause":
		delete(p.tests, e.Test)
	case "pass", "skip", "fail":
		if e.Test == "" {
			r.ended(p, e.Action == "fail")
			delete(r.packages, e.Package)
			return
		}
		delete(p.tests, e.Test)
		p.done++
		p.passed[e.Test] = e.Action != "fail"
		p.failed = p.failed || e.Action == "fail"
	}
}

// ended prints the result of a package: its own last lines or, if it failed, the output of
// all tests but those that passed; all of the output if no failed test is known.
func (r *report) ended(p *running, failed bool) {
	r.failed = r.failed || failed
	for _, e := range p.output {
		own := e.Test == "" && e.Output != "PASS\n"
		if own || failed && !(p.failed && p.passed[e.Test]) {
			r.print(e.Output)
		}
	}
}

// end is the end of go test.
func (r *report) end() {
	for _, name := range r.names() { // packages whose end was not reported
		p := r.packages[name]
		p.failed = p.failed || len(p.tests) > 0 // the tests that were still running
		r.ended(p, true)
	}
	if r.failed {
		r.print("FAIL\n")
	}
}

// tick prints which tests run, if nothing was printed for a while.
func (r *report) tick() {
	if r.now().Sub(r.printed) < silence {
		return
	}
	var texts []string
	for _, name := range r.names() {
		p := r.packages[name]
		text := fmt.Sprintf("%s: %d tests done", strings.TrimPrefix(name, r.module), p.done)
		if test, since := p.longest(); test != "" {
			text += fmt.Sprintf(", %s runs for %.0f s", test, r.now().Sub(since).Seconds())
		}
		texts = append(texts, text)
	}
	if len(texts) == 0 {
		texts = []string{"no test runs; go builds"}
	}
	r.print(fmt.Sprintf("... %.0f s: %s\n", r.now().Sub(r.began).Seconds(), strings.Join(texts, "; ")))
}

func (r *report) names() (names []string) {
	for name := range r.packages {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// longest returns the test that has run for longest, not counting those that wait for a
// subtest.
func (p *running) longest() (test string, since time.Time) {
	for name, began := range p.tests {
		waits := false
		for other := range p.tests {
			waits = waits || strings.HasPrefix(other, name+"/")
		}
		if !waits && (test == "" || began.Before(since) || began.Equal(since) && name < test) {
			test, since = name, began
		}
	}
	return test, since
}
