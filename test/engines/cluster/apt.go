package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("not on the PATH")
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
	packages := strings.Fields(list)
	get := func(args ...string) error {
		cmd := exec.Command(apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		return cmd.Run()
	}
	fmt.Fprintf(os.Stderr, "cluster: installing %s with apt-get, as root; no service is started\n", list)
	_ = get("update", "-q") // an old list may still do
	install := []string{"install", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300"}
	return get(append(install, packages...)...)
}
