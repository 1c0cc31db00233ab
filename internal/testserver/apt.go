package testserver

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"time"
)

// policyFile, when it exists and exits with 101, keeps packages from starting their
// services.
const policyFile = "/usr/sbin/policy-rc.d"

// Install installs a Debian package with apt-get, without starting its service. It
// returns nil when the package is installed, or when have reports that it already is.
// Only root can install. Progress goes to standard error.
func Install(pkg string, have func() bool) error {
	if os.Geteuid() != 0 {
		return errors.New("not root")
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("not on the PATH")
	}
	// The tests of several packages may run at once, each in its own process.
	unlock, err := LockFile(os.TempDir() + "/uid-testserver-apt.lock")
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
	fmt.Fprintf(os.Stderr, "testserver: installing %s with apt-get, as root; its service is not started\n", pkg)
	began := time.Now()
	// An old list may still do.
	_, _ = aptGet(os.Stderr, aptSilence, apt, "update", "-q")
	if out, err := aptGet(os.Stderr, aptSilence, apt, "install", "-q", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", pkg); err != nil {
		fmt.Fprintf(os.Stderr, "%s\n", out)
		return fmt.Errorf("install %s: %w", pkg, err)
	}
	fmt.Fprintf(os.Stderr, "testserver: installed %s in %.0f s\n", pkg, time.Since(began).Seconds())
	return nil
}

// aptSilence is how often an installation reports progress.
const aptSilence = 10 * time.Second

// aptGet runs apt-get, reports its last line to say at each interval, and returns the end
// of its output.
func aptGet(say io.Writer, every time.Duration, path string, args ...string) (output string, err error) {
	var log serverLog
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
	cmd.Stdout, cmd.Stderr = &log, &log
	done := make(chan error)
	go func() { done <- cmd.Run() }()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return log.tail(), err
		case <-tick.C:
			lines := strings.Split(strings.TrimSpace(log.tail()), "\n")
			fmt.Fprintf(say, "testserver: apt-get %s: %s\n", args[0], lines[len(lines)-1])
		}
	}
}
