package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

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
		m := &mutant{hangs: c.hangs}
		require.Equal(t, verdict{c.fate, c.by, c.output}, m.judge([]byte(c.output), c.err), c.name)
	}
	v := new(mutant).judge([]byte("--- FAIL: TestTake (0.01s)\n"+strings.Repeat("long\n", 1000)), failed)
	require.Equal(t, "TestTake", v.by)
	require.Less(t, len(ending(v.output)), 5000)
}

// Each mutant is tried as it should be: in one program with others or, if it is not in a function's body, alone. None
// is caught by a test that fails without it, too.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("go.mod", "module a\n\ngo 1.26\n")
	write("a.go", `package a

const one = 1

type box[V any] struct{ v V }

func (b box[V]) get(n int, other ...V) (v V, err error) {
	if n > one {
		return other[0], nil
	}
	v = b.v
	return
}

func double(n *int) { *n *= 2 }
`)
	write("a_test.go", `package a

import "testing"

func TestGet(t *testing.T) {
	v, _ := box[int]{7}.get(1, 8)
	w, _ := box[string]{"7"}.get(2, "8")
	if v != 7 || w != "8" {
		t.Fail()
	}
}

func TestDouble(t *testing.T) {
	n := 2
	if double(&n); n != 4 {
		t.Fail()
	}
}

func TestBroken(t *testing.T) { t.Fail() }
`)
	t.Chdir(dir)
	const double = "-func double(n *int) { *n *= 2 }\n+func double(n *int) {}"
	type cases []struct{ tests, fault, says string }
	try := func(all cases) (verdicts []string) {
		var mutants []mutant
		for i, c := range all {
			mutants = append(mutants, must(parseGuard(".", ".", fmt.Sprintf("%d\na.go %s\n%s", i, c.tests, c.fault))))
		}
		groups := grouped(mutants)
		require.Len(t, groups, 1)
		verdicts = make([]string, len(all))
		var mu sync.Mutex
		turn := func(f func()) {
			mu.Lock()
			defer mu.Unlock()
			f()
		}
		groups[0].try(turn, func(m *mutant, v verdict, _ time.Duration) { verdicts[m.number-1] = v.String() })
		return verdicts
	}
	all := cases{
		{"^TestGet$", "-v = b.v\n+\tv = other[0]", "caught by TestGet"},
		{"^TestGet$", "-if n > one {\n+\tif n > 2*one {", "caught by TestGet"},
		{"^TestGet$", "-const one = 1\n+const one = 0", "caught by TestGet"},
		{"^TestDouble$", double, "caught by TestDouble"},
		{"^TestGet$", double, "NOT CAUGHT by any test"},
		{"^TestNone$", double, "NOT CAUGHT by any test: there is none"},
		{"^TestGet$", "-v = b.v\n+\tv = none", "does not compile: undefined: none"},
		{"^TestGet$", "-v = b.v\n-return\n+\tv = b.v", "does not compile: missing return"},
		{"^TestGet$", "-const one = 1\n+const one = none", "does not compile: exit status 1"},
	}
	for i, says := range try(all) {
		require.Equal(t, all[i].says, says, all[i])
	}
	for _, says := range try(append(all, cases{{"^TestBroken$", double, ""}}...)) {
		require.Contains(t, says, "NOT CAUGHT by a test: without it exit status 1: --- FAIL: TestBroken")
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
	require.True(t, changed.in("x"))
	require.True(t, changed.in("z", "y"))
	require.False(t, changed.in("z", "."))
	require.True(t, everything.in("z"))
}
