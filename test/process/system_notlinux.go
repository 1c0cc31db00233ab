//go:build unix && !linux

package process

import "syscall"

// dieWithParent does nothing: a process sees the end of its input when its parent dies.
func dieWithParent(*syscall.SysProcAttr) {}
