// Need sees to it that a gate has a program which is not of this repository: it installs the
// Debian packages, as root, if the command is not there, and starts no service of them. It exits
// with status 1 if that fails, and says what to do.
//
//	go run ./test/need COMMAND PACKAGE...
package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/uidgen/uid/test/engines/cluster"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: need COMMAND PACKAGE...")
		os.Exit(2)
	}
	if _, err := cluster.Find(strings.Join(os.Args[2:], " "), os.Args[1], "/usr/sbin", "/usr/local/sbin"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
