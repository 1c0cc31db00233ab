package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A mutant counts as caught only by a test that fails or a program that panics.
func TestJudge(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		name   string
		output string
		err    error
		hangs  bool
		caught bool
		by     string
	}{
		{"test fails", "--- FAIL: TestTake (0.01s)\n    a_test.go:9: 1 is not 2\nFAIL\n", failed, false, true, "TestTake"},
		{"test fails, another hangs", "--- FAIL: TestTake (0.01s)\npanic: test timed out after 2m0s\n", failed, false, true, "TestTake"},
		{"program panics", "panic: out of range\n\ngoroutine 7 [running]:\n", failed, false, true, "panic: out of range"},
		{"program deadlocks", "fatal error: all goroutines are asleep - deadlock!\n", failed, false, true, "fatal error: all goroutines are asleep - deadlock!"},
		{"all pass", "PASS\n", nil, false, false, "any test"},
		{"no test", "testing: warning: no tests to run\nPASS\n", nil, false, false, "any test: there is none"},
		{"time is up", "panic: test timed out after 2m0s\n	running tests:\n		TestTake (2m0s)\n", failed, false, false, "the time limit"},
		{"time is up, as it should be", "panic: test timed out after 20s\n", failed, true, true, "the time limit"},
		{"killed", "", errors.New("signal: killed"), false, false, "a test: signal: killed"},
	} {
		v := mutant{hangs: c.hangs}.judge([]byte(c.output), c.err)
		require.Equal(t, verdict{c.caught, c.by, c.output}, v, c.name)
	}
}

// Each mutant fits the source as it is, and none has the name of another: one that does not
// would be found only when all are tried.
func TestMutantsAreUpToDate(t *testing.T) {
	names := map[string]int{}
	for _, m := range all {
		names[m.name]++
		assert.Equal(t, 1, names[m.name], "mutants with the name %q", m.name)
		assert.NotEqual(t, m.from, m.to, m.name)
		source, err := os.ReadFile(filepath.Join("..", "..", "..", m.file))
		if assert.NoError(t, err, m.name) {
			assert.Equal(t, 1, strings.Count(string(source), m.from), "%s in %s: %q", m.name, m.file, m.from)
		}
	}
}
