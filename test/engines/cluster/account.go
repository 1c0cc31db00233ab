package cluster

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"syscall"
)

// account looks up a user of this machine.
func account(name string) (*syscall.Credential, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	a := new(syscall.Credential)
	if _, err := fmt.Sscan(u.Uid+" "+u.Gid, &a.Uid, &a.Gid); err != nil {
		return nil, fmt.Errorf("the account %s: %w", name, err)
	}
	return a, nil
}

// give makes the account the owner of a folder with all that is in it.
func give(dir string, a *syscall.Credential) error {
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(a.Uid), int(a.Gid))
	})
}
