package main

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const root = "../.."

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

// Each guard fits the source as it is, and has a test: otherwise it would be found only when all are tried.
func TestGuardsAreUpToDate(t *testing.T) {
	all := must(readGuards(root))
	require.Greater(t, len(all), 100)
	for _, m := range all {
		require.NotEqual(t, string(must(os.ReadFile(m.file))), string(must(m.mutated())), m.name)
		top, _, _ := strings.Cut(m.tests, "/")
		found := slices.ContainsFunc(testsOf(m.source()), regexp.MustCompile(top).MatchString)
		require.True(t, found, "%s is to be caught by %s, which does not exist", m.name, m.tests)
	}
}

// testsOf returns the names of the tests in a folder.
func testsOf(folder string) (names []string) {
	for _, file := range must(filepath.Glob(filepath.Join(folder, "*.go"))) {
		text := must(os.ReadFile(file))
		for _, found := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, found[1])
		}
	}
	return names
}

// Each fault of the ring's model has one of the same name in the code, or a reason why not. No guard has another name.
func TestModelsAndGuards(t *testing.T) {
	names := func(pattern, file string) (all []string) {
		text := must(os.ReadFile(filepath.Join(root, file)))
		for _, found := range regexp.MustCompile(pattern).FindAllString(string(text), -1) {
			all = append(all, regexp.MustCompile(`M_\w+`).FindAllString(found, -1)...)
		}
		return all
	}
	const model = "ringbuffer/model/ring.pml"
	var guards []string
	for _, folder := range []string{"ringbuffer", "cached"} {
		guards = append(guards, names(`(?m)\(M_\w+\)$|^without [^:]+:`, folder+"/"+guardsFile)...)
	}
	faults := names(`\bM_\w+`, model)
	slices.Sort(faults)
	require.ElementsMatch(t, slices.Compact(faults), guards)
}

func TestParseGuard(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte("a {\n\tb\n\tc\n}\nb\n"), 0o600))
	m := must(parseGuard(dir, dir, "no b\na.go ^TestB$ in=tests N=1 hangs\n-b\n-c\n+\td"))
	require.Equal(t, "a {\n\td\n}\nb\n", string(must(m.mutated())))
	in := filepath.ToSlash(filepath.Join(dir, "tests"))
	require.Equal(t, mutant{name: "no b", file: filepath.ToSlash(filepath.Join(dir, "a.go")), edits: m.edits, in: in,
		tests: "^TestB$", env: "N=1", hangs: true}, m)
	for record, says := range map[string]string{
		"no b\na.go ^TestB$\n-b":         "2 times", // not once
		"no b\na.go ^TestB$\n-e":         "0 times",
		"no b\na.go ^TestB$\n+e":         "begin with -",
		"no b\na.go ^TestB$\n-a {\n-e":   "0 times",
		"no b\na.go ^TestB$":             "three lines",
		"no b\na.go\n-c":                 "regular expression",
		"no b\na.go ^TestB$ slow\n-c":    "slow",
		"no b\na.go ^TestB$\n-c\nand so": "and so",
	} {
		_, err := parseGuard(dir, dir, record)
		require.ErrorContains(t, err, says, record)
	}
}

// A mutant counts as caught only by a test that fails or a program that panics.
func TestJudge(t *testing.T) {
	failed := errors.New("exit status 1")
	for _, c := range []struct {
		name   string
		output string
		err    error
		hangs  bool
		fate   fate
		by     string
	}{
		{"test fails", "--- FAIL: TestTake (0.01s)\n    a_test.go:9: 1 is not 2\nFAIL\n",
			failed, false, caught, "TestTake"},
		{"one fails, one hangs", "--- FAIL: TestTake (0.01s)\npanic: test timed out after 2m\n",
			failed, false, caught, "TestTake"},
		{"program panics", "panic: out of range\n\ngoroutine 7 [running]:\n",
			failed, false, caught, "panic: out of range"},
		{"program deadlocks", "fatal error: all are asleep\n", failed, false, caught, "fatal error: all are asleep"},
		{"all pass", "PASS\n", nil, false, survived, "any test"},
		{"no test", "testing: warning: no tests to run\nPASS\n", nil, false, survived, "any test: there is none"},
		{"time is up", "panic: test timed out after 2m0s\n", failed, false, survived, "the time limit"},
		{"time is up, as it should be", "panic: test timed out after 20s\n", failed, true, caught, "the time limit"},
		{"killed", "", errors.New("signal: killed"), false, survived, "a test: signal: killed"},
	} {
		require.Equal(t, verdict{c.fate, c.by, c.output}, mutant{hangs: c.hangs}.judge([]byte(c.output), c.err), c.name)
	}
	v := mutant{}.judge([]byte("--- FAIL: TestTake (0.01s)\n"+strings.Repeat("long\n", 1000)), failed)
	require.Equal(t, "TestTake", v.by)
	require.Less(t, len(v.end()), 5000)
}

// A guard is not caught by a test that fails without it, too.
func TestTestFailsAnyhow(t *testing.T) {
	dir := t.TempDir()
	const tests = `package a

import "testing"

func TestA(t *testing.T) {
	if A != 1 {
		t.Fail()
	}
}

func TestB(t *testing.T) { t.Fail() }
`
	files := map[string]string{"go.mod": "module a\n", "a.go": "package a\n\nvar A = 1\n", "a_test.go": tests}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	t.Chdir(dir)
	for test, fate := range map[string]fate{"TestA": caught, "TestB": survived} {
		m := must(parseGuard(".", ".", "A is 2\na.go ^"+test+"$ in=.\n-var A = 1\n+var A = 2"))
		require.Equal(t, fate, m.try().fate, test)
	}
}

func TestSlips(t *testing.T) {
	const source = `package a

func f(a, b int) {
	if a < b {
		g()
	}
	a = b
	x.h()
	if a == b {
	}
	switch c := "c" + d(); c {
	case "c":
		i := 1
		k := x.k()
	case "d":
		i := 2
		k := x.k(i)
	}
}
`
	dir := t.TempDir()
	file := filepath.Join(dir, "a.go")
	require.NoError(t, os.WriteFile(file, []byte(source), 0o600))
	slips := must(slipsIn(file, []byte(source)))
	var texts []string
	for _, m := range slips {
		texts = append(texts, string(must(m.mutated())))
	}
	replaced := func(old, new string) string { return strings.Replace(source, old, new, 1) }
	require.ElementsMatch(t, []string{
		replaced("a < b", "a <= b"), replaced("a < b", "!(a < b)"), replaced("a == b", "a != b"),
		replaced("g()", ""), replaced("a = b", ""), replaced("x.h()", ""),
		replaced("a = b\n\tx.h()", "x.h()\n\ta = b"), replaced("i := 1\n\t\tk := x.k()", "k := x.k()\n\t\ti := 1"),
	}, texts)
}

func TestChanged(t *testing.T) {
	changed, err := parseDiff("--- a/x/a.go\n+++ b/x/a.go\n@@ -1,2 +3 @@ func f() {\n+\tg()\n@@ -9,0 +10,2 @@\n" +
		"--- a/y/b_test.go\n+++ b/y/b_test.go\n@@ -1 +0,0 @@\n")
	require.NoError(t, err)
	require.Equal(t, changes{"x/a.go": {3: true, 10: true, 11: true}, "y/b_test.go": {}}, changed)
	guards := []mutant{{name: "a", file: "x/a.go"}, {name: "b", file: "y/b.go"}, {name: "c", file: "z/c.go"}}
	require.Equal(t, guards[:2], chosenFor(guards, changed))
}
