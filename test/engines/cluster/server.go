package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/uidgen/uid/test/harness"
)

// patience bounds the wait for a server to be ready, or to end.
const patience = 2 * time.Minute

// A Server is a private server: a folder, some ports, and now and then a process. Make it with
// [New]. One goroutine at a time may call Start, Restart, Stop, Kill and Close; all other methods
// may be called by any number at once.
type Server struct {
	name  string
	dir   string
	ports []int

	mu      sync.Mutex
	program Program          // of the last Start
	process *harness.Process // nil before the first
}

// A Program says how to run a server.
type Program struct {
	// Path is its file; see [Find].
	Path string
	Args []string
	// Env is added to this process's environment, after TMPDIR, which names a folder of the
	// server's own.
	Env []string
	// User is the account to run as, if this process is root's; empty for this process's own.
	// The server's folder is then given to it.
	User string
	// End is the signal by which Stop asks it to end; the zero value stands for SIGTERM.
	End syscall.Signal
	// Ready is called until it returns nil: the server can be used then. nil means at once.
	Ready func(context.Context) error
}

// with returns the program with more arguments.
func (p Program) with(args ...string) Program {
	p.Args = append(p.Args[:len(p.Args):len(p.Args)], args...)
	return p
}

// New makes the folder of a server, and finds it free ports. The name is for people; it stands
// in errors.
func New(name string, ports int) (*Server, error) {
	s := &Server{name: name}
	var err error
	if s.dir, s.ports, err = takePlace(ports); err == nil {
		err = os.Mkdir(s.Path("tmp"), 0o700)
	}
	return orClosed(s, s.failed(err))
}

// failed says whose error it is.
func (s *Server) failed(err error) error {
	if err != nil {
		err = fmt.Errorf("cluster: %s: %w", s.name, err)
	}
	return err
}

// Name returns the server's name.
func (s *Server) Name() string { return s.name }

// Port returns a port, by its number from 0; Addr the address that it is on, "127.0.0.1:port".
func (s *Server) Port(i int) int    { return s.ports[i] }
func (s *Server) Addr(i int) string { return "127.0.0.1:" + strconv.Itoa(s.ports[i]) }

// Path returns the path of a file in the server's folder, or of the folder itself.
func (s *Server) Path(name ...string) string {
	return filepath.Join(append([]string{s.dir}, name...)...)
}

// Start runs the server, and returns when it is ready. After a Stop or Kill it may run another
// program, or the same one with other arguments, on the same folder.
func (s *Server) Start(p Program) error { return startAll(map[*Server]Program{s: p}) }

// Restart runs the program of the last Start again, on the same data and ports.
func (s *Server) Restart() error {
	s.mu.Lock()
	p := s.program
	s.mu.Unlock()
	return s.Start(p)
}

// startAll starts servers that wait for one another, and returns when all are ready.
func startAll(programs map[*Server]Program) error {
	var all []error
	for s, p := range programs {
		all = append(all, s.failed(s.launch(p)))
	}
	if err := errors.Join(all...); err != nil {
		return err
	}
	for s := range programs {
		all = append(all, s.failed(s.await()))
	}
	return errors.Join(all...)
}

// launch runs the server, and does not wait for it.
func (s *Server) launch(p Program) error {
	if s.Running() {
		return errors.New("runs already")
	}
	out, err := os.OpenFile(s.Path("output"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	run, err := s.run(p, out)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.program, s.process = p, run
	return nil
}

func (s *Server) run(p Program, out io.Writer) (*harness.Process, error) {
	env := append([]string{"TMPDIR=" + s.Path("tmp")}, p.Env...)
	c := harness.Program{Path: p.Path, Args: p.Args, Dir: s.dir, Env: env, Output: out}
	if p.User != "" && os.Geteuid() == 0 {
		u, err := user.Lookup(p.User)
		if err != nil {
			return nil, err
		}
		c.Account = new(syscall.Credential)
		if _, err = fmt.Sscan(u.Uid+" "+u.Gid, &c.Account.Uid, &c.Account.Gid); err == nil {
			err = exec.Command("chown", "-R", u.Uid+":"+u.Gid, s.dir).Run()
		}
		if err != nil {
			return nil, err
		}
	}
	return harness.Start(c)
}

// await returns when the server is ready, or has ended.
func (s *Server) await() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for s.program.Ready != nil {
		once, done := context.WithTimeout(ctx, 2*time.Second)
		err := s.program.Ready(once)
		done()
		if err == nil {
			break
		}
		select {
		case <-s.process.Done():
			return fmt.Errorf("ended before it was ready:\n%s", s.Output())
		case <-ctx.Done():
			return fmt.Errorf("is not ready after %v: %w\n%s", patience, err, s.Output())
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

// Do runs a program in the server's folder, as Start would, to its end; one that makes the
// folder of the data, say. Its Ready is not used. It returns the end of the program's output,
// which is in the error, too.
func (s *Server) Do(p Program) (output string, err error) {
	var said harness.Tail
	run, err := s.run(p, &said)
	if err != nil {
		return "", s.failed(err)
	}
	if !ends(run) {
		run.Kill()
	}
	if !run.State().Success() {
		err = s.failed(fmt.Errorf("%s: %v\n%s", filepath.Base(p.Path), run.State(), said.String()))
	}
	return said.String(), err
}

// ends reports whether a process ends in time.
func ends(run *harness.Process) bool {
	select {
	case <-run.Done():
		return true
	case <-time.After(patience):
		return false
	}
}

// Running reports whether the process is there, even paused.
func (s *Server) Running() bool { return s.running() != nil }

// running returns the process that runs, or nil.
func (s *Server) running() *harness.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == nil || s.process.HasEnded() {
		return nil
	}
	return s.process
}

// Kill ends the server, and all processes that it has started, with SIGKILL, and returns when
// they are gone. It does nothing to one that has ended.
func (s *Server) Kill() {
	run := s.running()
	if run == nil {
		return
	}
	all := signal(run.PID(), syscall.SIGSTOP)
	run.Kill()
	for _, pid := range all[1:] {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, pid := range all[1:] {
		for began := time.Now(); strings.IndexByte("\x00ZX", state(pid)) < 0 && time.Since(began) < patience; {
			time.Sleep(time.Millisecond)
		}
	}
}

// Stop asks the server to end, with its program's signal, and returns when it has.
func (s *Server) Stop() error {
	run := s.running()
	if run == nil {
		return s.failed(errNotRunning)
	}
	run.Signal(cmp.Or(s.program.End, syscall.SIGTERM))
	if !ends(run) {
		return s.failed(fmt.Errorf("does not end within %v:\n%s", patience, s.Output()))
	}
	return nil
}

var errNotRunning = errors.New("is not running")

// Pause stops the server and all processes that it has started, with SIGSTOP, until Resume: as
// one whose machine stands still, it keeps its connections and answers nothing.
func (s *Server) Pause() error { return s.signalAll(syscall.SIGSTOP) }

// Resume undoes Pause.
func (s *Server) Resume() error { return s.signalAll(syscall.SIGCONT) }

func (s *Server) signalAll(sig syscall.Signal) error {
	run := s.running()
	if run == nil {
		return s.failed(errNotRunning)
	}
	signal(run.PID(), sig)
	return nil
}

// signal sends a signal to a process and to its descendants, and returns all of them. Each gets it before its children
// are looked for: so none is missed that is to stop.
func signal(pid int, sig syscall.Signal) []int {
	_ = syscall.Kill(pid, sig)
	all := []int{pid}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(all, signal(child, sig)...)
			}
		}
	}
	return all
}

// state returns what the system says of a process: T if it is stopped, Z or X if it has ended, and 0 if there is none.
func state(pid int) byte {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if i := bytes.LastIndex(stat, []byte(") ")); i >= 0 { // the name before it may hold anything
		return stat[i+2]
	}
	return 0
}

// Output returns the end of what the server has said, at all its starts.
func (s *Server) Output() string {
	const most = 8 << 10
	text, err := os.ReadFile(s.Path("output"))
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}

// Close kills the server and removes its folder. It may be called more than once.
func (s *Server) Close() {
	s.Kill()
	if s.dir != "" {
		_ = os.RemoveAll(s.dir)
	}
}

// Nodes are servers that make one store. Port 0 of each is that of clients.
type Nodes []*Server

// newNodes makes n of them, whose names end with their numbers.
func newNodes(name string, n, ports int) (all Nodes, err error) {
	for i := range n {
		s, err := New(fmt.Sprint(name, i+1), ports)
		if err != nil {
			return orClosed(all, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Addrs returns the addresses for clients.
func (all Nodes) Addrs() (addrs []string) {
	for _, s := range all {
		addrs = append(addrs, s.Addr(0))
	}
	return addrs
}

// Close kills all of them and removes their folders.
func (all Nodes) Close() {
	for _, s := range all {
		s.Close()
	}
}

// await tries until it succeeds, or for as long as patience.
func await(try func() error) (err error) {
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if err = try(); err == nil || time.Since(began) > patience {
			return err
		}
	}
}
