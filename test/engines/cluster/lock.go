package cluster

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits until it holds the file's lock. The lock ends with the process at the
// latest.
func lockFile(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}

// tryLockFile does not wait; held reports whether another process holds the lock. It does
// not create the file.
func tryLockFile(path string) (unlock func(), held bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, false, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, errors.Is(err, unix.EWOULDBLOCK), nil
	}
	return func() { f.Close() }, false, nil
}
