// Need sees to it that a gate has a program which is not of this repository: it installs the
// Debian packages, as root, if the command is not there, and starts no service of them. It exits
// with status 1 if that fails, and says what to do.
//
//	go run ./internal/testserver/need COMMAND PACKAGE...
package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/uidgen/uid/internal/testserver"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: need COMMAND PACKAGE...")
		os.Exit(2)
	}
	command, packages := os.Args[1], os.Args[2:]
	if err := need(command, packages); err != nil {
		fmt.Fprintf(os.Stderr, "%s is needed: on Debian, apt-get install %s: %v\n", command, strings.Join(packages, " "), err)
		os.Exit(1)
	}
}

func need(command string, packages []string) error {
	if _, err := exec.LookPath(command); err == nil {
		return nil
	}
	for _, pkg := range packages {
		if err := testserver.Install(pkg, func() bool { return false }); err != nil {
			return err
		}
	}
	_, err := exec.LookPath(command)
	return err
}
