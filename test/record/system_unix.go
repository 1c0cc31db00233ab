//go:build linux || darwin || freebsd

package record

import (
	"os"

	"golang.org/x/sys/unix"
)

// What Seek takes to find the parts of a file that are there, and those that are not.
const (
	seekData = unix.SEEK_DATA
	seekHole = unix.SEEK_HOLE
)

func mapShared(file *os.File, size int64) ([]byte, error) {
	return unix.Mmap(int(file.Fd()), 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|noReserve)
}

func unmap(data []byte) error { return unix.Munmap(data) }
