package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Find returns the path of a program on the PATH or in one of the folders, which may be patterns
// as of [filepath.Glob]. If it is missing, root installs the Debian packages that bring it, which
// are listed with spaces between them.
func Find(pkg, program string, folders ...string) (string, error) {
	look := func() string {
		if path, err := exec.LookPath(program); err == nil {
			return path
		}
		for _, folder := range folders {
			found, _ := filepath.Glob(filepath.Join(folder, program))
			for _, path := range found {
				if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
					return path
				}
			}
		}
		return ""
	}
	if path := look(); path != "" {
		return path, nil
	}
	err := install(pkg, func() bool { return look() != "" })
	if path := look(); err == nil && path != "" {
		return path, nil
	}
	if err == nil {
		err = fmt.Errorf("the package brings no such program")
	}
	return "", fmt.Errorf("cluster: no %s on the PATH or in %q; apt-get: %w; install %s", program, folders, err, pkg)
}

// policyFile, when it exists and exits with 101, keeps packages from starting their
// services.
const policyFile = "/usr/sbin/policy-rc.d"

// install installs Debian packages with apt-get, without starting a service. It
// returns nil when they are installed, or when have reports that it already is.
// Only root can install. What apt-get says goes to standard error.
func install(list string, have func() bool) error {
	if os.Geteuid() != 0 {
		return errors.New("not root")
	}
	// The tests of several packages may run at once, each in its own process.
	unlock, err := lockFile(filepath.Join(os.TempDir(), "uid-cluster-apt.lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if have() {
		return nil // installed by the previous holder of the lock
	}
	if f, err := os.OpenFile(policyFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755); err == nil {
		_, err = f.WriteString("#!/bin/sh\nexit 101\n")
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
		defer os.Remove(policyFile)
	} else if !errors.Is(err, fs.ErrExist) {
		return err
	}
	fmt.Fprintf(os.Stderr, "cluster: installing %s with apt-get, as root; no service is started\n", list)
	quietly := "DEBIAN_FRONTEND=noninteractive"
	_ = run(os.Stderr, quietly, "apt-get", "update", "-q") // an old list may still do
	options := []string{"install", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"}
	return run(os.Stderr, quietly, "apt-get", append(options, strings.Fields(list)...)...)
}

// run runs a program with one more variable in its environment.
func run(out io.Writer, variable, program string, args ...string) error {
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), variable)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", program, args[0], err)
	}
	return nil
}

// lockFile makes the file if need be, and waits until it holds its lock. The lock ends with the process at the latest.
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
	data := s.Path("data")
	args := strings.ReplaceAll(strings.Join(prepare.Args, "\x00"), s.Path(), "")
	key := sha256.Sum256(fmt.Append(nil, prepare.Path, program.ModTime(), args))
	made, err := kept("data-"+hex.EncodeToString(key[:8]), func(dir string) error {
		if _, err := s.Do(prepare); err != nil {
			return err
		}
		_ = os.Remove(filepath.Join(data, "auto.cnf")) // which makes a MySQL one of a kind
		return errors.Join(os.CopyFS(dir, os.DirFS(data)), os.RemoveAll(data))
	})
	if err == nil {
		err = os.CopyFS(data, os.DirFS(made))
	}
	if err == nil {
		err = os.Chmod(data, 0o700) // or PostgreSQL refuses it
	}
	return err
}

// sidPackages are the servers that stable Debian has not, or only old ones of.
var sidPackages = []string{"mysql-server-core", "valkey-server"}

// FromSid returns a server of Debian's unstable release, sid: the Path and the first Args of a
// [Program], to which the server's own arguments are added. The first call downloads the servers
// of sid and the libraries that they need, some 70 MB, into a folder of the cache, where they
// stay; remove it to get newer ones. They are unpacked, not installed: nothing on the machine
// changes, and it needs no rights. The packages' signatures are checked by apt-get.
//
// Root is the folder that they are unpacked in, for options that name files.
func FromSid(program string) (p Program, root string, err error) {
	dir, err := kept("sid", download)
	root = filepath.Join(dir, "root")
	// The program needs the C library that came with it, so its loader, too.
	loaders, _ := filepath.Glob(filepath.Join(root, "usr/lib/*/ld-linux*.so.*"))
	paths, _ := filepath.Glob(filepath.Join(root, "usr/*bin", program))
	if err == nil && (len(loaders) == 0 || len(paths) == 0) {
		err = errors.New("there is none in " + root)
	}
	if err != nil {
		return p, "", fmt.Errorf("cluster: no %s of Debian sid: %w", program, err)
	}
	args := []string{"--library-path", filepath.Dir(loaders[0]), paths[0]}
	return Program{Path: loaders[0], Args: args}, root, nil
}

// download unpacks the packages into a folder's subfolder root. apt-get has lists and a status
// of its own there, by which no package is installed: so it takes all that they depend on.
func download(dir string) error {
	fmt.Fprintln(os.Stderr, "cluster: downloading", strings.Join(sidPackages, " and "), "of Debian sid into", dir)
	for _, sub := range []string{"lists/partial", "cache/archives/partial", "root"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	const key = "/usr/share/keyrings/debian-archive-keyring.gpg"
	for name, text := range map[string]string{
		"status":       "",
		"sources.list": "deb [signed-by=" + key + "] http://deb.debian.org/debian sid main\n",
		"apt.conf": fmt.Sprintf(`Dir::Etc::SourceList "%[1]s/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State::Lists "%[1]s/lists";
Dir::State::status "%[1]s/status";
Dir::Cache "%[1]s/cache";
APT::Sandbox::User "root";
APT::Install-Recommends "false";
Acquire::Languages "none";
Acquire::Retries "3";
Debug::NoLocking "true";
`, dir),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	var said strings.Builder
	failed := func(err error) error { return fmt.Errorf("%w: %s", err, said.String()[max(0, said.Len()-1000):]) }
	get := append([]string{"install", "-q", "-y", "--download-only"}, sidPackages...)
	for _, args := range [][]string{{"update", "-q"}, get} {
		if err := run(&said, "APT_CONFIG="+filepath.Join(dir, "apt.conf"), "apt-get", args...); err != nil {
			return failed(err)
		}
	}
	packages, _ := filepath.Glob(filepath.Join(dir, "cache/archives/*.deb"))
	if len(packages) == 0 {
		return failed(errors.New("apt-get has downloaded nothing"))
	}
	for _, p := range packages {
		if err := run(&said, "LC_ALL=C", "dpkg-deb", "-x", p, filepath.Join(dir, "root")); err != nil {
			return failed(err)
		}
	}
	return errors.Join(os.RemoveAll(filepath.Join(dir, "cache")), os.RemoveAll(filepath.Join(dir, "lists")))
}
