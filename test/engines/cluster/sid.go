package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

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
	dir, err := sid()
	if err != nil {
		return Program{}, "", fmt.Errorf("cluster: no %s of Debian sid: %w", program, err)
	}
	root = filepath.Join(dir, "root")
	loader, err := one(filepath.Join(root, "usr/lib/*/ld-linux*.so.*"))
	if err != nil {
		return Program{}, "", fmt.Errorf("cluster: %w", err)
	}
	path, err := one(filepath.Join(root, "usr/*bin", program))
	if err != nil {
		return Program{}, "", fmt.Errorf("cluster: %w", err)
	}
	// The program needs the C library that came with it, so its loader, too.
	return Program{Path: loader, Args: []string{"--library-path", filepath.Dir(loader), path}}, root, nil
}

func one(pattern string) (string, error) {
	found, _ := filepath.Glob(pattern)
	if len(found) == 0 {
		return "", fmt.Errorf("no file %s", pattern)
	}
	return found[0], nil
}

var sid = sync.OnceValues(func() (dir string, err error) { return kept("sid", download) })

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
	files := map[string]string{
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
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	run := func(name string, args ...string) error {
		cmd := exec.Command(name, args...)
		cmd.Env = append(os.Environ(), "APT_CONFIG="+filepath.Join(dir, "apt.conf"))
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s %s: %w: %s", name, args[0], err, out[max(0, len(out)-1000):])
		}
		return nil
	}
	if err := run("apt-get", "update", "-q"); err != nil {
		return err
	}
	args := append([]string{"install", "-q", "-y", "--download-only"}, sidPackages...)
	if err := run("apt-get", args...); err != nil {
		return err
	}
	packages, err := filepath.Glob(filepath.Join(dir, "cache/archives/*.deb"))
	if err != nil || len(packages) == 0 {
		return errors.Join(err, errors.New("apt-get has downloaded nothing"))
	}
	for _, p := range packages {
		if err := run("dpkg-deb", "-x", p, filepath.Join(dir, "root")); err != nil {
			return err
		}
	}
	return errors.Join(os.RemoveAll(filepath.Join(dir, "cache")), os.RemoveAll(filepath.Join(dir, "lists")))
}
