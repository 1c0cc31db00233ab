package harness

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithParent has the kernel kill a process, even a paused one, when its parent dies.
func dieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// noReserve has the kernel promise no memory to what is never used.
const noReserve = unix.MAP_NORESERVE

// anonymousFile returns a file in memory. Unlike one in /dev/shm it is bounded by nothing
// but the memory, containers included, and leaves nothing behind.
func anonymousFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("uid-record", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "uid-record"), nil
}
