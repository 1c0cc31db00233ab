// Look says which database server tests get on this machine, and installs one if need be.
// It ends with status 1 where none can be had.
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
