package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWidth(t *testing.T) {
	for columns, want := range map[string]int{"": 80, "80": 80, "132": 132, "40": 40, "39": 40, "1": 40, "0": 80,
		"-5": 80, "wide": 80, " 90": 80} {
		p := &program{stdout: &bytes.Buffer{}, getenv: func(string) string { return columns }}
		require.Equal(t, want, p.width(), columns)
	}
}

// A table uses the columns that there are.
func TestTablesUseTheWidth(t *testing.T) {
	args := []string{"plan", "--rate", "2e6", "--burst", "5e7", "--workers", "500", "--years", "30"}
	narrow, wide := call{args: args}.run(), call{args: args, env: map[string]string{"COLUMNS": "200"}}.run()
	require.LessOrEqual(t, longest(narrow.out), 80)
	require.Greater(t, longest(wide.out), 100)
}
