package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// MainWithCommand is [Main] for tests that run the command, which it builds first.
func MainWithCommand(m *testing.M, path *string) {
	dir, err := os.MkdirTemp("", "uid-command-")
	if err == nil {
		*path, err = BuildCommand(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	Main(m, func() { os.RemoveAll(dir) })
}

// BuildCommand builds the command uid in a folder, and returns its path.
func BuildCommand(dir string) (path string, err error) {
	path = filepath.Join(dir, "uid")
	build := exec.Command("go", "build", "-o", path, "github.com/uidgen/uid/cmd/uid")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return path, nil
}
