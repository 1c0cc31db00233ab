//go:build unix

package database

import (
	"fmt"
	"io/fs"
	"syscall"
)

// LinkCount returns how many names a file has.
func LinkCount(file fs.FileInfo) (links uint64, known bool) {
	s, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(s.Nlink), true
}

// fileID tells a file from all others of the machine, or is empty. A new file may get the number of one that was
// removed, but not the time at which that was made, where the system tells it.
func fileID(path string, file fs.FileInfo) string {
	s, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d/%d%s", s.Dev, s.Ino, born(path))
}
