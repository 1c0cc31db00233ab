package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A report on a clock of its own.
type clocked struct {
	*report
	text strings.Builder
	at   time.Time
}

func newClocked() *clocked {
	c := &clocked{at: time.Unix(0, 0)}
	c.report = newReport(&c.text, func() time.Time { return c.at })
	c.module = "m/"
	return c
}

// takes returns what is printed on the lines.
func (c *clocked) takes(lines string) string {
	for line := range strings.Lines(lines) {
		c.line([]byte(strings.TrimSpace(line)))
	}
	defer c.text.Reset()
	return c.text.String()
}

// waits returns what is printed after some time.
func (c *clocked) waits(d time.Duration) string {
	c.at = c.at.Add(d)
	c.tick()
	return c.takes("")
}

// What runs is told after 10 s without a word, and each 10 s from then on.
func TestReportOfWhatRuns(t *testing.T) {
	c := newClocked()
	require.Empty(t, c.waits(9*time.Second))
	require.Equal(t, "... 10 s: no test runs; go builds\n", c.waits(time.Second))
	require.Empty(t, c.takes(`{"Action":"start","Package":"m/b"}
		{"Action":"run","Package":"m/b","Test":"TestDone"}
		{"Action":"output","Package":"m/b","Test":"TestDone","Output":"a word\n"}
		{"Action":"pass","Package":"m/b","Test":"TestDone"}
		{"Action":"run","Package":"m/b","Test":"TestLong"}
		{"Action":"run","Package":"m/b","Test":"TestLong/part"}
		{"Action":"run","Package":"m/b","Test":"TestWaits"}
		{"Action":"pause","Package":"m/b","Test":"TestWaits"}
		{"Action":"start","Package":"m/a"}`))
	require.Empty(t, c.waits(9*time.Second))
	require.Empty(t, c.takes(`{"Action":"cont","Package":"m/b","Test":"TestWaits"}`))
	require.Equal(t, "... 20 s: a: 0 tests done; b: 1 tests done, TestLong/part runs for 10 s\n", c.waits(time.Second))
	require.Empty(t, c.waits(9*time.Second))
	require.Equal(t, "ok  \tm/a\t29.1s\n", c.takes(`{"Action":"output","Package":"m/a","Output":"PASS\n"}
		{"Action":"output","Package":"m/a","Output":"ok  \tm/a\t29.1s\n"}
		{"Action":"pass","Package":"m/a"}
		{"Action":"pass","Package":"m/b","Test":"TestLong/part"}
		{"Action":"pass","Package":"m/b","Test":"TestLong"}`))
	require.Empty(t, c.waits(9*time.Second))
	require.Equal(t, "... 39 s: b: 3 tests done, TestWaits runs for 20 s\n", c.waits(time.Second))
}

// A package whose last words were not followed by its end has failed.
func TestReportOfWhatBroke(t *testing.T) {
	c := newClocked()
	require.Empty(t, c.takes(`{"Action":"run","Package":"m/b","Test":"TestDone"}
		{"Action":"output","Package":"m/b","Test":"TestDone","Output":"quiet\n"}
		{"Action":"pass","Package":"m/b","Test":"TestDone"}
		{"Action":"run","Package":"m/b","Test":"TestA"}
		{"Action":"output","Package":"m/b","Test":"TestA","Output":"a word\n"}`))
	c.end()
	require.Equal(t, "a word\nFAIL\n", c.takes(""))
	c = newClocked()
	require.Equal(t, "not JSON", c.takes("not JSON"))
	c.end()
	require.Empty(t, c.takes(""))
}

// The real go test: its lines on packages, what failing tests and builds say, and its exit
// status.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module m\n",
		"a/a_test.go":  "package a\nimport \"testing\"\nfunc TestA(t *testing.T) { t.Log(\"quiet\") }",
		"b/b_test.go":  "package b\nimport \"testing\"\nfunc TestB(t *testing.T) {\nt.Run(\"good\", func(t *testing.T) { t.Log(\"quiet\") })\nt.Run(\"bad\", func(t *testing.T) { t.Error(\"the reason\") })\n}",
		"c/c_test.go":  "package c\nimport \"testing\"\nfunc TestC(t *testing.T) { undefined() }",
		"d/d_test.go":  "package d\nimport (\"os\"; \"testing\")\nfunc TestD(t *testing.T) { t.Log(\"loud\") }\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(3) }",
		"e/e.go":       "package e",
		"f/f_test.go":  "package f\nimport \"testing\"\nfunc TestF(t *testing.T) { panic(\"out of range\") }",
		"g/ok_test.go": "package g\nimport \"testing\"\nfunc TestG(t *testing.T) { t.Skip(\"quiet\") }",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	}
	var out strings.Builder
	code, err := run(t.Context(), dir, []string{"-count=1", "./a", "./e", "./g"}, &out)
	require.NoError(t, err)
	require.Zero(t, code)
	require.Regexp(t, `(?m)^ok  \tm/a\t[0-9.]+s$`, out.String())
	require.Contains(t, out.String(), "?   \tm/e\t[no test files]\n")
	require.NotContains(t, out.String(), "FAIL")

	out.Reset()
	code, err = run(t.Context(), dir, []string{"./..."}, &out)
	require.NoError(t, err)
	require.Equal(t, 1, code)
	for _, says := range []string{
		`(?m)^ok  \tm/a\t`, `(?m)^FAIL\tm/b\t`, `--- FAIL: TestB/bad`, `b_test.go:5: the reason`,
		`(?m)^FAIL\tm/c \[build failed\]`, `c_test.go:3:.* undefined`, `(?m)^FAIL\tm/d\t`, `d_test.go:3: loud`,
		`(?m)^panic: out of range`, `f_test.go:3`, `(?m)^ok  \tm/g\t`, `\nFAIL\n$`,
	} {
		require.Regexp(t, says, out.String())
	}
	require.NotContains(t, out.String(), "quiet")

	code, err = run(t.Context(), dir, []string{"-count=x"}, &out)
	require.NoError(t, err)
	require.Equal(t, 2, code)
}
