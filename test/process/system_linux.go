package process

import "syscall"

// dieWithParent has the kernel kill a process, even a paused one, when its parent dies.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
