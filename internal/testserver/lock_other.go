//go:build !unix

package testserver

// lockFile locks nothing where there is no flock.
func lockFile(string) (unlock func(), err error) { return func() {}, nil }

// tryLockFile reports every file as locked.
func tryLockFile(string) (unlock func(), held bool, err error) { return nil, true, nil }
