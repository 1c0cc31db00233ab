//go:build unix

package database

import (
	"fmt"
	"io/fs"
	"syscall"
)

// linkCount returns the number of a file's names, its hard links.
func linkCount(file fs.FileInfo) (links uint64, known bool) {
	s, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(s.Nlink), true
}

// fileID identifies a file on this machine, or is empty. A new file may get the number of a removed one, but not the
// time at which that one was made, where the system tells it.
func fileID(path string, file fs.FileInfo) string {
	s, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d/%d%s", s.Dev, s.Ino, born(path))
}
