package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	require.Equal(t, []target{{"example.org/a", "FuzzOne"}, {"example.org/a", "FuzzTwo"}, {"example.org/c", "FuzzThree"}}, parse(
		"FuzzOne\nFuzzTwo\nok  \texample.org/a\t0.004s\n"+
			"ok  \texample.org/b\t0.003s\n"+
			"?   \texample.org/d\t[no test files]\n"+
			"FuzzThree\nok  \texample.org/c\t0.005s\n"))
}

// The first output is one that Go 1.26.8 wrote; the others have a finding of each kind.
func TestOnlyTimeIsUp(t *testing.T) {
	const progress = "fuzz: elapsed: 9s, execs: 152994 (19418/sec), new interesting: 0 (total: 14)\n" +
		"fuzz: elapsed: 10s, execs: 168774 (15192/sec), new interesting: 0 (total: 14)\n"
	for _, c := range []struct {
		output string
		want   bool
	}{
		{progress + "--- FAIL: FuzzCodec (10.04s)\n    context deadline exceeded\nFAIL\nexit status 1\nFAIL\texample.org/a\t10.054s\n", true},
		{progress + "--- FAIL: FuzzCodec (1.04s)\n    --- FAIL: FuzzCodec (0.00s)\n        a_test.go:9: 1 is not 2\n    \n" +
			"    Failing input written to testdata/fuzz/FuzzCodec/1\n    To re-run:\n    go test -run=FuzzCodec/1\nFAIL\nexit status 1\n", false},
		{progress + "--- FAIL: FuzzCodec (10.04s)\n    --- FAIL: FuzzCodec (0.00s)\n        a_test.go:9: context deadline exceeded\nFAIL\n", false},
		{progress + "--- FAIL: FuzzCodec (1.04s)\n    fuzzing process hung or terminated unexpectedly: exit status 2\n" +
			"    Failing input written to testdata/fuzz/FuzzCodec/1\nFAIL\n", false},
		{"panic: out of range\n\n--- FAIL: FuzzCodec (10.04s)\n    context deadline exceeded\nFAIL\n", false},
		{"FAIL\texample.org/a [build failed]\nFAIL\n", false},
		{"", false},
	} {
		require.Equal(t, c.want, onlyTimeIsUp([]byte(c.output)), c.output)
	}
}
