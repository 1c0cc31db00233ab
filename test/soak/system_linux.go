package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// availableMemory returns how many bytes may be used, or 0 if that is not known.
func availableMemory() (bytes int64) {
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			var kib int64
			if _, err := fmt.Sscanf(lines.Text(), "MemAvailable: %d kB", &kib); err == nil {
				bytes = kib << 10
			}
		}
	}
	limit, used := cgroup("memory.max"), cgroup("memory.current")
	if limit > 0 && (bytes == 0 || limit-used < bytes) {
		bytes = max(1, limit-used)
	}
	return bytes
}

// cgroup reads a number of the control group's, or 0 if there is none.
func cgroup(name string) int64 {
	text, err := os.ReadFile("/sys/fs/cgroup/" + name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
