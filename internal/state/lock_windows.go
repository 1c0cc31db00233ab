package state

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks the file's first byte against all other handles, even those of this process: they
// can neither read nor write it. It reports false when another one holds the lock.
func tryLock(file *os.File) (locked bool, err error) {
	err = windows.LockFileEx(windows.Handle(file.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return false, nil
	}
	return false, os.NewSyscallError("LockFileEx", err)
}

// unlock ends the lock. Closing the file would do that too, but perhaps not at once.
func unlock(file *os.File) error {
	return os.NewSyscallError("UnlockFileEx",
		windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, &windows.Overlapped{}))
}
