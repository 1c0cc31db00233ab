package database

import (
	"os"
	"strings"
)

// bootID names the time since the machine was started, or is empty.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}
