//go:build !linux

package harness

import (
	"os"
	"syscall"
)

// dieWithParent does nothing: a process sees the end of its input when its parent dies.
func dieWithParent(*syscall.SysProcAttr) {}

// noReserve is no flag: nothing is promised to what is never used.
const noReserve = 0

// anonymousFile returns a temporary file without a name.
func anonymousFile() (*os.File, error) {
	f, err := os.CreateTemp("", "uid-record-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}
