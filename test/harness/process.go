package harness

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// A Program says how to start a process. It does not outlive this one.
type Program struct {
	// Path is the program's file, and Args are its arguments. Without a Path it is the running
	// program.
	Path string
	Args []string
	// Dir is its working folder; this process's if empty.
	Dir string
	// Account is the user that it runs as, if not this process's. Only root may set it.
	Account *syscall.Credential
	// Env is added to this process's environment.
	Env []string
	// Files are open in the process, the first as descriptor 3.
	Files []*os.File
	// Output gets its standard output and error; nil discards them.
	Output io.Writer
}

// A Process was started by Start. All methods may be called by any number of goroutines at
// once.
type Process struct {
	cmd   *exec.Cmd
	quit  io.WriteCloser // its standard input
	began time.Time
	done  chan struct{} // closed when it has ended and what follows is set
	ended time.Time
}

// Start starts a program. It tells this one, once more, by the environment what to do.
func Start(c Program) (_ *Process, err error) {
	if c.Path == "" {
		if c.Path, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	p := &Process{cmd: exec.Command(c.Path, c.Args...), began: time.Now(), done: make(chan struct{})}
	p.cmd.Dir = c.Dir
	p.cmd.Env = append(os.Environ(), c.Env...)
	p.cmd.ExtraFiles = c.Files
	p.cmd.Stdout, p.cmd.Stderr = c.Output, c.Output
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.Account}
	dieWithParent(p.cmd.SysProcAttr)
	if p.quit, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	begun := make(chan error, 1)
	go func() {
		// On Linux the kernel kills the process when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(p.done)
		err := p.cmd.Start()
		begun <- err
		if err == nil {
			_ = p.cmd.Wait()
			p.ended = time.Now()
		}
	}()
	if err := <-begun; err != nil {
		return nil, err
	}
	return p, nil
}

// PID returns the process's ID.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Began returns when it was started.
func (p *Process) Began() time.Time { return p.began }

// Done is closed when it has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// HasEnded reports whether Done is closed.
func (p *Process) HasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Ended returns when it ended. It must have ended.
func (p *Process) Ended() time.Time { return p.ended }

// State returns how it ended. It must have ended.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// Kill ends it with a signal that it cannot handle, and waits for its end.
func (p *Process) Kill() {
	p.Signal(syscall.SIGKILL)
	<-p.done
}

// Quit asks it to end, see [AwaitQuit].
func (p *Process) Quit() { _, _ = io.WriteString(p.quit, "quit\n") }

// Signal sends it a signal, by which a program that knows nothing of Quit may end.
func (p *Process) Signal(s os.Signal) { _ = p.cmd.Process.Signal(s) }

// Pause stops it until Resume. On Linux it stands still when Pause returns.
func (p *Process) Pause() {
	p.Signal(syscall.SIGSTOP)
	for ; !p.HasEnded(); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.PID()))
		if err != nil || bytes.Contains(stat, []byte(") T ")) {
			return
		}
	}
}

// Resume continues it.
func (p *Process) Resume() { p.Signal(syscall.SIGCONT) }

// AwaitQuit is for the started process. It returns when that is asked to end. If the
// process that started it is gone, it exits at once with the status orphan.
func AwaitQuit(orphan int) {
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		os.Exit(orphan)
	}
}
