package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	t.Setenv("GOWORK", "off")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":         "module m\n\ngo 1.26\n",
		"m.go":           "package m\n\nconst Large = 1 << 40\n",
		"m_test.go":      "package m\n\nvar _ int = Large // which 32 bits do not hold\n",
		"n/n.go":         "package n\n",
		"n/only_test.go": "package n\n",
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for machine, wrong := range map[string]string{
		"darwin/arm64": "",
		"linux/386":    "overflows",
		"windows":      `"windows" is not`,
	} {
		n, err := check(dir, machine, []string{"./..."})
		if wrong == "" {
			require.NoError(t, err, machine)
			require.GreaterOrEqual(t, n, 2)
			continue
		}
		require.ErrorContains(t, err, wrong, machine)
	}
}
