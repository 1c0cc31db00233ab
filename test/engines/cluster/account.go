package cluster

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"github.com/uidgen/uid/test/harness"
)

// account looks up a user of this machine.
func account(name string) (*harness.Account, error) {
	u, err := user.Lookup(name)
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the account %s: %w", name, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, fmt.Errorf("the account %s: %w", name, err)
	}
	return &harness.Account{UID: uint32(uid), GID: uint32(gid)}, nil
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
