//go:build !(darwin || freebsd || netbsd || openbsd || dragonfly)

package database

import (
	"os"
	"strings"
)

// bootID names the time since the machine was started, or is empty: only Linux has the file.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
