//go:build darwin || freebsd

package main

import (
	"os"
	"syscall"
)

// anonymousFile returns a temporary file without a name.
func anonymousFile() (*os.File, error) {
	f, err := os.CreateTemp("", "uid-soak-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// dieWithParent does nothing: a process sees the end of its input when its parent dies.
func dieWithParent() *syscall.SysProcAttr { return nil }

// availableMemory says that it is not known how many bytes may be used.
func availableMemory() int64 { return 0 }
