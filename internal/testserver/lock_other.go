//go:build !unix

package testserver

// LockFile locks nothing where there is no flock.
func LockFile(string) (unlock func(), err error) { return func() {}, nil }

// tryLockFile reports every file as locked.
func tryLockFile(string) (unlock func(), held bool, err error) { return nil, true, nil }
