// Mutants takes guards out of the code, one at a time, and runs the tests that are to
// notice. A test that has never failed proves little: each mutant here is a fault that
// the code would have without a line of it, and a mutant that survives is a failure of
// the tests. The sources are not touched; the compiler is given an overlay.
//
// A mutant is caught when a test fails or the program under test panics. Tests that
// take too long have not noticed anything, unless the mutant says that it hangs.
//
// All of them take half an hour and more. With -of n one part in n is tried. The sources choose
// which: a change has its part, and who repeats a run has the same.
//
//	go run ./internal/proof/mutants [-j n] [-run regexp] [-of n] [-times n]
package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"sync"
	"time"
)

// A mutant is a fault: where from stands in file, exactly once, to is put.
type mutant struct {
	name     string
	file     string
	from, to string
	in       string // the folder of the tests that are to notice, the file's if empty
	tests    string // regular expression for go test -run; empty runs all
	hangs    bool   // a call never ends: the tests' time limit catches it
	env      string // a variable for the tests, if need be
}

// A verdict says what became of a mutant.
type verdict struct {
	caught bool
	by     string // the test that failed, or what went wrong instead
	output string // of the tests, if the mutant was not caught
}

func main() {
	jobs := flag.Int("j", runtime.NumCPU(), "mutants to test at the same time")
	only := flag.String("run", "", "test only the mutants whose file or name matches")
	of := flag.Int("of", 1, "test one part in so many, as the sources choose")
	times := flag.Int("times", 1, "have each caught so many times, to find those that are caught by luck")
	flag.Parse()
	chosen, err := choose(all, *of)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	re, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	type survivor struct {
		mutant
		verdict
	}
	var survivors []survivor
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, *jobs)
	for _, m := range chosen {
		if !re.MatchString(m.file) && !re.MatchString(m.name) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			began := time.Now()
			v := m.try(*times)
			mu.Lock()
			defer mu.Unlock()
			word := "caught"
			if !v.caught {
				word = "NOT CAUGHT"
				survivors = append(survivors, survivor{m, v})
			}
			fmt.Printf("%-28s %-62s %s by %s, %.1f s\n", m.file, m.name, word, v.by, time.Since(began).Seconds())
		})
	}
	wg.Wait()
	for _, s := range survivors {
		fmt.Printf("\nNOT CAUGHT: %s in %s: %s\n%s\n", s.name, s.file, s.by, s.output)
	}
	if n := len(survivors); n > 0 {
		fmt.Printf("%d mutants were not caught\n", n)
		os.Exit(1)
	}
}

// try builds the mutant, runs its tests a number of times, and says whether they
// caught it each time.
func (m mutant) try(times int) verdict {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return verdict{by: err.Error()}
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "program.test")
	if out, err := m.build(dir, program); err != nil {
		return verdict{by: "a test: it does not build: " + err.Error(), output: string(out)}
	}
	var v verdict
	for range times {
		if v = m.judge(m.test(program)); !v.caught {
			break
		}
	}
	return v
}

// folder is that of the mutant's tests.
func (m mutant) folder() string { return cmp.Or(m.in, filepath.Dir(m.file)) }

// build compiles the mutant's tests, with the mutant in what they use.
func (m mutant) build(dir, program string) (output []byte, err error) {
	source, err := os.ReadFile(m.file)
	if err != nil {
		return nil, err
	}
	if n := bytes.Count(source, []byte(m.from)); n != 1 {
		return nil, fmt.Errorf("outdated: found %d times: %q", n, m.from)
	}
	mutated := filepath.Join(dir, filepath.Base(m.file))
	overlay := filepath.Join(dir, "overlay.json")
	abs, err := filepath.Abs(m.file)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: mutated}})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(mutated, bytes.Replace(source, []byte(m.from), []byte(m.to), 1), 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return nil, err
	}
	return exec.Command("go", "test", "-c", "-overlay", overlay, "-vet", "off", "-ldflags", "-w", "-o", program, "./"+m.folder()).CombinedOutput()
}

// test runs the mutant's tests, in their own directory as go test does.
func (m mutant) test(program string) (output []byte, err error) {
	limit := "2m"
	if m.hangs {
		limit = "20s"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, "-test.timeout", limit, "-test.failfast", "-test.run", m.tests)
	cmd.Dir = m.folder()
	if m.env != "" {
		cmd.Env = append(os.Environ(), m.env)
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
	v := verdict{output: tail(output)}
	failed := failedTest.FindSubmatch(output)
	switch {
	case bytes.Contains(output, []byte("no tests to run")):
		v.by = "any test: there is none"
	case err == nil:
		v.by = "any test"
	case failed != nil:
		v.caught, v.by = true, string(failed[1])
	case timedOut.Match(output):
		v.caught, v.by = m.hangs, "the time limit"
	case panicked.Match(output):
		v.caught, v.by = true, string(panicked.Find(output))
	default:
		v.by = "a test: " + err.Error()
	}
	return v
}

// tail is the end of what tests wrote, if that is long.
func tail(output []byte) string {
	const most = 4000
	if len(output) > most {
		return "...\n" + string(output[len(output)-most:])
	}
	return string(output)
}
