//go:build unix

package process

import (
	"os"

	"golang.org/x/sys/unix"
)

func pause(p *os.Process) error  { return p.Signal(unix.SIGSTOP) }
func resume(p *os.Process) error { return p.Signal(unix.SIGCONT) }
