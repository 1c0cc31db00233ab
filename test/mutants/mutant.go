package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/uidgen/uid/test/explore/overlay"
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

// end is the end of what the tests wrote.
func (v verdict) end() string {
	const most = 4000
	if len(v.output) > most {
		return "...\n" + v.output[len(v.output)-most:]
	}
	return v.output
}

func (v verdict) String() string {
	return [...]string{"caught by ", "NOT CAUGHT by ", "does not compile, says "}[v.fate] + v.by
}

// place is where the mutant is, for people.
func (m mutant) place() string {
	source, err := os.ReadFile(m.file)
	if err != nil || len(m.edits) == 0 {
		return m.file
	}
	return fmt.Sprintf("%s:%d", m.file, 1+bytes.Count(source[:m.edits[0].begin], []byte("\n")))
}

// whole has what the tests of other folders than the code's say without a mutant, which make test may not run.
var whole sync.Map // from folder, tests and variable to func() verdict

// try says whether the mutant's tests catch it, and only it.
func (m mutant) try() verdict {
	v := m.run()
	if v.fate != caught || m.in == "" {
		return v
	}
	none := m
	none.edits = nil
	run, _ := whole.LoadOrStore(m.in+" "+m.tests+" "+m.env, sync.OnceValue(none.run))
	if w := run.(func() verdict)(); w.fate == caught {
		return verdict{survived, "a test: without it there fails, too, " + w.by, w.output}
	}
	return v
}

// run builds the mutant, runs its tests, and says whether one failed.
func (m mutant) run() verdict {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return verdict{survived, err.Error(), ""}
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "program.test")
	if out, err := m.build(dir, program); err != nil {
		return verdict{impossible, "the compiler: " + err.Error(), string(out)}
	}
	return m.judge(m.test(dir, program))
}

// folder is that of the mutant's tests.
func (m mutant) folder() string { return cmp.Or(m.in, filepath.Dir(m.file)) }

// source is where these are written.
func (m mutant) source() string { return cmp.Or(m.scenarios, m.folder()) }

// mutated returns the file's text with the fault.
func (m mutant) mutated() ([]byte, error) {
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

// build compiles the mutant's tests, with the mutant in what they use.
func (m mutant) build(dir, program string) (output []byte, err error) {
	text, err := m.mutated()
	if err != nil {
		return nil, err
	}
	flags, err := m.overlay(dir, text)
	if err != nil {
		return nil, err
	}
	args := append([]string{"test", "-c", "-vet", "off", "-ldflags", "-w", "-o", program}, flags...)
	return exec.Command("go", append(args, "./"+m.folder())...).CombinedOutput()
}

// overlay writes what has the compiler take a text in place of the mutant's file, and returns the flags for that.
func (m mutant) overlay(dir string, text []byte) (flags []string, err error) {
	if m.scenarios != "" {
		whole := strings.Contains(m.tests, "Whole")
		file, err := overlay.Write(dir, ".", whole, map[string][]byte{filepath.Clean(m.file): text})
		return overlay.Flags(file), err
	}
	abs, err := filepath.Abs(m.file)
	if err != nil {
		return nil, err
	}
	file, list := filepath.Join(dir, filepath.Base(m.file)), filepath.Join(dir, "overlay.json")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: file}})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	return []string{"-overlay", list}, os.WriteFile(list, replaced, 0o600)
}

// test runs the mutant's tests, in their own folder as go test does.
func (m mutant) test(dir, program string) (output []byte, err error) {
	limit := 2 * time.Minute
	if m.hangs {
		limit = 20 * time.Second
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit+time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.timeout", limit.String(), "-test.failfast", "-test.run", m.tests)
	cmd.Dir = m.folder()
	cmd.Env = append(os.Environ(), "EXPLORE_OVERLAY="+filepath.Join(dir, "overlay.json"))
	if m.env != "" {
		cmd.Env = append(cmd.Env, m.env)
	}
	return cmd.CombinedOutput()
}

var (
	failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	timedOut   = regexp.MustCompile(`(?m)^panic: test timed out`)
	panicked   = regexp.MustCompile(`(?m)^(?:panic|fatal error): .{1,60}`)
)

// judge reads the verdict from what the tests wrote and how they ended.
func (m mutant) judge(output []byte, err error) verdict {
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
