package cluster

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile makes the file if need be, and waits until it holds its lock. The lock ends with the process at the latest.
func lockFile(path string) (unlock func(), err error) { return lock(path, os.O_CREATE, unix.LOCK_EX) }

// tryLockFile fails where the file is not there, or another process holds its lock.
func tryLockFile(path string) (unlock func(), err error) {
	return lock(path, 0, unix.LOCK_EX|unix.LOCK_NB)
}

func lock(path string, open, how int) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|open, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), how); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}
