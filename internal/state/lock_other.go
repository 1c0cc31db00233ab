//go:build (!unix && !windows) || aix

package state

import (
	"errors"
	"fmt"
	"os"
	"runtime"
)

// tryLock fails: these systems have no lock that belongs to a handle. AIX has locks of a process,
// which end when the process closes any handle of the file, and which do not tell two workers of
// one process apart.
func tryLock(*os.File) (bool, error) {
	return false, fmt.Errorf("files cannot be locked on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}

func unlock(*os.File) error { return nil }
