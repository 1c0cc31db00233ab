package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// EnvCache is the environment variable with the folder that keeps what [FromSid] downloads, and
// folders of data as servers' programs have made them, which takes long. It is uid-engines in the
// user's cache by default, and may be removed at any time.
const EnvCache = "UID_ENGINES_CACHE"

// kept returns a folder of the cache, which fill makes the first time.
func kept(name string, fill func(dir string) error) (dir string, err error) {
	cache := os.Getenv(EnvCache)
	if cache == "" {
		if cache, err = os.UserCacheDir(); err != nil {
			return "", err
		}
		cache = filepath.Join(cache, "uid-engines")
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockFile(filepath.Join(cache, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	dir = filepath.Join(cache, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	next := dir + ".new"
	if err := os.RemoveAll(next); err != nil {
		return "", err
	}
	if err := fill(next); err != nil {
		return "", err
	}
	return dir, os.Rename(next, dir)
}

// fill makes the folder of the data as the program does, or as it did it for another server.
func (s *Server) fill(prepare Program) error {
	program, err := os.Stat(prepare.Path)
	if err != nil {
		return err
	}
	args := strings.ReplaceAll(strings.Join(prepare.Args, "\x00"), s.Path(), "")
	key := sha256.Sum256(fmt.Append(nil, prepare.Path, program.ModTime(), args))
	made, err := kept("data-"+hex.EncodeToString(key[:8]), func(dir string) error {
		if _, err := s.Do(prepare); err != nil {
			return err
		}
		_ = os.Remove(s.Path("data", "auto.cnf")) // which makes a MySQL one of a kind
		if err := os.CopyFS(dir, os.DirFS(s.Path("data"))); err != nil {
			return err
		}
		return os.RemoveAll(s.Path("data"))
	})
	if err != nil {
		return err
	}
	if err := os.CopyFS(s.Path("data"), os.DirFS(made)); err != nil {
		return err
	}
	return os.Chmod(s.Path("data"), 0o700) // or PostgreSQL refuses it
}
