package cluster

import (
	"fmt"
	"os/exec"
	"path/filepath"
)

// BuildCommand builds the command uid in a folder, and returns its path.
func BuildCommand(dir string) (path string, err error) {
	path = filepath.Join(dir, "uid")
	if out, err := exec.Command("go", "build", "-o", path, "github.com/uidgen/uid/cmd/uid").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the command: %w\n%s", err, out)
	}
	return path, nil
}
