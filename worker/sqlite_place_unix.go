//go:build unix

package worker

import (
	"io/fs"
	"syscall"
)

// linkCount returns how many names a file has.
func linkCount(file fs.FileInfo) (links uint64, known bool) {
	s, ok := file.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(s.Nlink), true
}
