// Mutants takes guards out of the code, one at a time, and runs the tests that are to
// notice. A test that has never failed proves little: each mutant here is a fault that
// the code would have without a line of it, and a mutant that survives is a failure of
// the tests. The sources are not touched; the compiler is given an overlay.
//
//	go run ./internal/mutants [-j n] [-run regexp]
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A mutant is a fault: where from stands in file, exactly once, to is put.
type mutant struct {
	name     string
	file     string
	from, to string
	tests    string // regular expression for go test -run; empty runs all
	env      string // a variable for the tests, if need be
}

func main() {
	jobs := flag.Int("j", runtime.NumCPU(), "mutants to test at the same time")
	only := flag.String("run", "", "test only the mutants whose file or name matches")
	flag.Parse()
	re, err := regexp.Compile(*only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	}
	survivors := 0
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, *jobs)
	for _, m := range all {
		if !re.MatchString(m.file) && !re.MatchString(m.name) {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			began := time.Now()
			verdict, ok := m.try()
			mu.Lock()
			defer mu.Unlock()
			if !ok {
				survivors++
			}
			fmt.Printf("%-28s %-62s %-10s %5.1fs\n", m.file, m.name, verdict, time.Since(began).Seconds())
		})
	}
	wg.Wait()
	if survivors > 0 {
		fmt.Printf("%d mutants were not caught\n", survivors)
		os.Exit(1)
	}
}

// try builds and tests the mutant, and says whether it was caught.
func (m mutant) try() (verdict string, caught bool) {
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return err.Error(), false
	}
	defer os.RemoveAll(dir)
	source, err := os.ReadFile(m.file)
	if err != nil {
		return err.Error(), false
	}
	if n := bytes.Count(source, []byte(m.from)); n != 1 {
		return fmt.Sprintf("OUTDATED: found %d times: %q", n, m.from), false
	}
	mutated := filepath.Join(dir, filepath.Base(m.file))
	overlay := filepath.Join(dir, "overlay.json")
	abs, err := filepath.Abs(m.file)
	if err != nil {
		return err.Error(), false
	}
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{abs: mutated}})
	if err != nil {
		return err.Error(), false
	}
	if err := os.WriteFile(mutated, bytes.Replace(source, []byte(m.from), []byte(m.to), 1), 0o600); err != nil {
		return err.Error(), false
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return err.Error(), false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	// A mutant that deadlocks or spins is caught too, by the tests' own time limit.
	cmd := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-count", "1", "-timeout", "60s",
		"-failfast", "-vet", "off", "-run", m.tests, "./"+filepath.Dir(m.file))
	if m.env != "" {
		cmd.Env = append(os.Environ(), m.env)
	}
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return "SURVIVED", false
	case strings.Contains(string(out), "[build failed]"):
		return "DOES NOT BUILD: " + string(out), false
	case strings.Contains(string(out), "no tests to run"):
		return "NO TESTS", false
	}
	return "caught", true
}
