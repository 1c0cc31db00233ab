// Share runs a command, a go test of several packages, with one MariaDB for all of them: else each
// package starts its own. It does nothing but run it if the environment has a server.
//
//	go run ./test/share COMMAND...
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/uidgen/uid/test/engines/cluster"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: share COMMAND...")
		os.Exit(2)
	}
	err := share(exec.Command(os.Args[1], os.Args[2:]...))
	if ended, is := errors.AsType[*exec.ExitError](err); is {
		os.Exit(ended.ExitCode())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func share(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if os.Getenv(cluster.Env) == "" {
		m, err := cluster.StartShared()
		if err != nil {
			return err
		}
		defer m.Close()
		cmd.Env = append(os.Environ(), cluster.Env+"="+m.DSN(""))
	}
	return cmd.Run()
}
