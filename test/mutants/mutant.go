package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

// A mutant is a fault in a file: the bytes from begin to end are replaced.
type mutant struct {
	name  string
	file  string
	edits []edit
	in    string // the folder of the tests that are to notice, the file's if empty
	tests string // regular expression for go test -run; empty runs all
	env   string // a variable for the tests, if need be
	hangs bool   // a call never ends: the tests' time limit catches it
	slip  bool   // made by makeSlips
	// scenarios is the folder of the scenarios that are to notice, by package explore, if tests are not.
	scenarios string

	number  int    // among those of its group, from 1 on
	woven   bool   // one program has it, with others
	refused string // what the compiler said of it there
}

// An edit replaces the bytes of a source from begin to end.
type edit struct {
	begin, end int
	text       string
}

// A fate is what becomes of a mutant.
type fate int

const (
	caught     fate = iota
	survived        // the tests pass, or do not end
	impossible      // it does not compile
)

// A verdict says what became of a mutant.
type verdict struct {
	fate   fate
	by     string // the test that failed, or what went wrong instead
	output string // of the tests, if the mutant was not caught
}

// ending is the end of what tests wrote.
func ending(output string) string {
	const most = 4000
	if len(output) > most {
		return "...\n" + output[len(output)-most:]
	}
	return output
}

func (v verdict) String() string {
	return [...]string{"caught by ", "NOT CAUGHT by ", "does not compile: "}[v.fate] + v.by
}

// place is where the mutant is, for people.
func (m *mutant) place() string {
	source, err := os.ReadFile(m.file)
	if err != nil || len(m.edits) == 0 {
		return m.file
	}
	return fmt.Sprintf("%s:%d", m.file, 1+bytes.Count(source[:m.edits[0].begin], []byte("\n")))
}

// folder is that of the mutant's tests.
func (m *mutant) folder() string { return cmp.Or(m.in, filepath.Dir(m.file)) }

// source is where these are written.
func (m *mutant) source() string { return cmp.Or(m.scenarios, m.folder()) }

// mutated returns the file's text with the fault.
func (m *mutant) mutated() ([]byte, error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	var text []byte
	at := 0
	for _, e := range m.edits {
		text = append(append(text, source[at:e.begin]...), e.text...)
		at = e.end
	}
	return append(text, source[at:]...), nil
}

var (
	failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	timedOut   = regexp.MustCompile(`(?m)^panic: test timed out`)
	panicked   = regexp.MustCompile(`(?m)^(?:panic|fatal error): .{1,60}`)
)

// judge reads the verdict from what the tests wrote and how they ended.
func (m *mutant) judge(output []byte, err error) verdict {
	v := verdict{fate: survived, output: string(output)}
	failed := failedTest.FindSubmatch(output)
	switch {
	case bytes.Contains(output, []byte("no tests to run")):
		v.by = "any test: there is none"
	case err == nil:
		v.by = "any test"
	case failed != nil:
		v.fate, v.by = caught, string(failed[1])
	case timedOut.Match(output):
		v.by = "the time limit"
		if m.hangs || m.slip {
			v.fate = caught
		}
	case panicked.Match(output):
		v.fate, v.by = caught, string(panicked.Find(output))
	default:
		v.by = "a test: " + err.Error()
	}
	return v
}
