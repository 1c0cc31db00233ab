//go:build unix && !aix

package state

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock locks an open file against all other handles, even those of this process. It reports
// false when another one holds the lock. The lock ends with the file's Close.
func tryLock(file *os.File) (locked bool, err error) {
	for {
		err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		case !errors.Is(err, unix.EINTR):
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// unlock ends the lock at once, even if a child of the process has inherited the handle.
func unlock(file *os.File) error {
	return os.NewSyscallError("flock", unix.Flock(int(file.Fd()), unix.LOCK_UN))
}
