package cluster

import (
	"fmt"
	"os"
	"path/filepath"
)

// folderPrefix begins the names of the folders of private servers.
const folderPrefix = "uid-cluster-"

// newFolder makes a temporary folder that belongs to this process until it calls unlock or ends.
func newFolder() (dir string, unlock func(), err error) {
	dir, err = os.MkdirTemp("", folderPrefix)
	if err != nil {
		return "", nil, err
	}
	// Lock before renaming: others find the folder by the final name of its lock file.
	lock := filepath.Join(dir, "lock")
	unlock, err = lockFile(lock + ".new")
	if err == nil {
		err = os.Rename(lock+".new", lock)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return "", nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	return dir, unlock, nil
}

// removeLeftovers removes the folders of test processes that ended before they could do
// so: those whose lock nobody holds. It leaves a folder without a lock file alone, which
// is about to get one.
func removeLeftovers() {
	locks, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*", "lock"))
	for _, lock := range locks {
		if unlock, err := tryLockFile(lock); err == nil {
			_ = os.RemoveAll(filepath.Dir(lock))
			unlock()
		}
	}
}
