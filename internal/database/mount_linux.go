package database

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// isMountPoint reports whether something is mounted at a path; a file mounted there has another
// path as well. It reports false if the system does not tell.
func isMountPoint(path string) bool {
	var s unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_SYNC_AS_STAT, 0, &s)
	if err == nil && s.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return s.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
	}
	// Before Linux 5.8, or in a sandbox that does not know the attribute.
	return isListedMount(path)
}

// born returns a file's birth time, or "" if its file system has none.
func born(path string) string {
	var s unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_STATX_SYNC_AS_STAT, unix.STATX_BTIME, &s)
	if err != nil || s.Mask&unix.STATX_BTIME == 0 {
		return ""
	}
	return fmt.Sprintf(" born %d.%09d", s.Btime.Sec, s.Btime.Nsec)
}

// isListedMount looks the path up in the list of all mounts.
func isListedMount(path string) bool {
	list, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return false
	}
	defer list.Close()
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return listsMount(list, path)
}

// mountEscapes decodes characters that would end a field or a line of the list.
var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`, `\043`, "#")

// listsMount reports whether a path is the fifth field of a line of the list.
func listsMount(list io.Reader, path string) bool {
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, 1<<20) // an overlay of many layers makes a long line
	for lines.Scan() {
		if fields := strings.Fields(lines.Text()); len(fields) > 4 && mountEscapes.Replace(fields[4]) == path {
			return true
		}
	}
	return false
}
