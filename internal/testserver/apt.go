package testserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
)

// policyFile, when it is there and exits with 101, keeps packages from starting
// the services that they bring.
const policyFile = "/usr/sbin/policy-rc.d"

// Install installs a Debian package with apt-get without starting the service that it
// brings. It returns nil when that is done or the package is there by now, as have
// tells, and why not else: only root can do it.
func Install(pkg string, have func() bool) error {
	if os.Geteuid() != 0 {
		return errors.New("not root")
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("not on the PATH")
	}
	// The tests of several packages may run at once, each in its own process.
	unlock, err := lockFile(os.TempDir() + "/uid-testserver-apt.lock")
	if err != nil {
		return err
	}
	defer unlock()
	if have() {
		return nil // by the one that had the lock before
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
	fmt.Fprintln(os.Stderr, "testserver: installing "+pkg+" with apt-get")
	// A list that cannot be updated may still do.
	_, _ = aptGet(apt, "update", "-q")
	if out, err := aptGet(apt, "install", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", pkg); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n", out)
		return fmt.Errorf("install %s: %w", pkg, err)
	}
	return nil
}

func aptGet(path string, args ...string) ([]byte, error) {
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	return cmd.CombinedOutput()
}
