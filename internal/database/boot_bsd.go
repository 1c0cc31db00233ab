//go:build freebsd || netbsd || openbsd || dragonfly

package database

import (
	"encoding/hex"

	"golang.org/x/sys/unix"
)

// bootID names the time since the machine was started, or is empty. It moves when the clock is set.
func bootID() string {
	at, _ := unix.SysctlRaw("kern.boottime")
	return hex.EncodeToString(at)
}
