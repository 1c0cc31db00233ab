package cluster

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"

	"github.com/uidgen/uid/test/harness"
)

// account looks up a user of this machine.
func account(name string) (*harness.Account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	a := new(harness.Account)
	if _, err := fmt.Sscan(u.Uid+" "+u.Gid, &a.UID, &a.GID); err != nil {
		return nil, fmt.Errorf("the account %s: %w", name, err)
	}
	return a, nil
}

// give makes the account the owner of a folder with all that is in it.
func give(dir string, a *harness.Account) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(a.UID), int(a.GID))
	})
}
