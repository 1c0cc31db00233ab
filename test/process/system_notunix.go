//go:build !unix

package process

import (
	"errors"
	"os"
	"syscall"
)

var errSystem = errors.New("process: this system has no accounts or signals as on a Unix")

func (c Config) attributes() (*syscall.SysProcAttr, error) {
	if c.Account != nil {
		return nil, errSystem
	}
	return nil, nil
}

type signal int

const (
	kill signal = iota
	pause
	resume
)

func (p *Process) signal(s signal) error {
	if s == kill {
		return p.cmd.Process.Signal(os.Kill)
	}
	return errSystem
}
