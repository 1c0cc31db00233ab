// Look prints which database server tests will use on this machine, and installs one if
// there is none. It exits with status 1 if that fails.
package main

import (
	"fmt"
	"os"

	"github.com/uidgen/uid/internal/testserver"
)

func main() {
	what, err := testserver.Describe()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println("testserver: tests use", what)
}
