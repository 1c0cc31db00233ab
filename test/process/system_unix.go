//go:build unix

package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func (c Config) attributes() (*syscall.SysProcAttr, error) {
	a := &syscall.SysProcAttr{}
	if c.Account != nil {
		a.Credential = &syscall.Credential{Uid: c.Account.UID, Gid: c.Account.GID}
	}
	dieWithParent(a)
	return a, nil
}

const (
	kill   = unix.SIGKILL
	pause  = unix.SIGSTOP
	resume = unix.SIGCONT
)

func (p *Process) signal(s os.Signal) error { return p.cmd.Process.Signal(s) }
