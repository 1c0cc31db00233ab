package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Find returns the path of a program on the PATH or in one of the folders, which may be patterns
// as of [filepath.Glob]. If it is missing, root installs the Debian packages that bring it, which
// are listed with spaces between them.
func Find(pkg, program string, folders ...string) (string, error) {
	look := func() string {
		if path, err := exec.LookPath(program); err == nil {
			return path
		}
		for _, folder := range folders {
			found, _ := filepath.Glob(filepath.Join(folder, program))
			for _, path := range found {
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					return path
				}
			}
		}
		return ""
	}
	if path := look(); path != "" {
		return path, nil
	}
	err := install(pkg, func() bool { return look() != "" })
	if path := look(); err == nil && path != "" {
		return path, nil
	}
	if err == nil {
		err = fmt.Errorf("the package brings no such program")
	}
	return "", fmt.Errorf("cluster: no %s on the PATH or in %q; apt-get: %w; install %s", program, folders, err, pkg)
}
