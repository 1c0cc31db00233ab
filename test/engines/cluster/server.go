package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
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
	name   string
	dir    string
	unlock func()
	ports  []int

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

// New makes the folder of a server, and finds it free ports. The name is for people; it stands
// in errors.
func New(name string, ports int) (*Server, error) {
	removeLeftovers()
	s := &Server{name: name}
	for range ports {
		port, err := freePort()
		if err != nil {
			return nil, fmt.Errorf("cluster: %s: %w", name, err)
		}
		s.ports = append(s.ports, port)
	}
	var err error
	if s.dir, s.unlock, err = newFolder(); err == nil {
		err = os.Mkdir(s.Path("tmp"), 0o700)
	}
	if err != nil {
		return orClosed(s, fmt.Errorf("cluster: %s: %w", name, err))
	}
	return s, nil
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
func (s *Server) Start(p Program) error {
	if err := s.launch(p); err != nil {
		return err
	}
	return s.Await()
}

// Restart runs the program of the last Start again, on the same data and ports.
func (s *Server) Restart() error {
	s.mu.Lock()
	p := s.program
	s.mu.Unlock()
	return s.Start(p)
}

// launch runs the server, and does not wait for it.
func (s *Server) launch(p Program) error {
	if s.Running() {
		return fmt.Errorf("cluster: %s runs already", s.name)
	}
	out, err := os.OpenFile(s.Path("output"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("cluster: %s: %w", s.name, err)
	}
	defer out.Close()
	c, err := s.config(p)
	if err != nil {
		return err
	}
	c.Output = out
	run, err := harness.Start(c)
	if err != nil {
		return fmt.Errorf("cluster: %s: %w", s.name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.program, s.process = p, run
	return nil
}

func (s *Server) config(p Program) (c harness.Program, err error) {
	env := append([]string{"TMPDIR=" + s.Path("tmp")}, p.Env...)
	c = harness.Program{Path: p.Path, Args: p.Args, Dir: s.dir, Env: env}
	if p.User != "" && os.Geteuid() == 0 {
		if c.Account, err = account(p.User); err == nil {
			err = give(s.dir, c.Account)
		}
		if err != nil {
			return c, fmt.Errorf("cluster: %s: %w", s.name, err)
		}
	}
	return c, nil
}

// Await returns when the server is ready, or has ended.
func (s *Server) Await() error {
	s.mu.Lock()
	p, run := s.program, s.process
	s.mu.Unlock()
	if run == nil {
		return fmt.Errorf("cluster: %s was never started", s.name)
	}
	if p.Ready == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	for {
		once, done := context.WithTimeout(ctx, 2*time.Second)
		err = p.Ready(once)
		done()
		if err == nil {
			return nil
		}
		select {
		case <-run.Done():
			return fmt.Errorf("cluster: %s ended before it was ready:\n%s", s.name, s.Output())
		case <-ctx.Done():
			return fmt.Errorf("cluster: %s is not ready after %v: %w\n%s", s.name, patience, err, s.Output())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Do runs a program in the server's folder, as Start would, to its end; one that makes the
// folder of the data, say. Its Ready is not used. It returns the end of the program's output,
// which is in the error, too.
func (s *Server) Do(p Program) (output string, err error) {
	c, err := s.config(p)
	if err != nil {
		return "", err
	}
	var said harness.Tail
	c.Output = &said
	run, err := harness.Start(c)
	if err != nil {
		return "", fmt.Errorf("cluster: %s: %w", s.name, err)
	}
	select {
	case <-run.Done():
	case <-time.After(patience):
		run.Kill()
	}
	if !run.State().Success() {
		program := filepath.Base(p.Path)
		return said.String(), fmt.Errorf("cluster: %s: %s: %v\n%s", s.name, program, run.State(), said.String())
	}
	return said.String(), nil
}

// Running reports whether the process is there, even paused.
func (s *Server) Running() bool {
	run := s.current()
	return run != nil && !run.HasEnded()
}

func (s *Server) current() *harness.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// Kill ends the server, and all processes that it has started, with SIGKILL, and returns when
// they are gone. It does nothing to one that has ended.
func (s *Server) Kill() {
	run := s.current()
	if run == nil || run.HasEnded() {
		return
	}
	all := tree(run.PID(), true)
	run.Kill()
	all.kill()
}

// Stop asks the server to end, with its program's signal, and returns when it has.
func (s *Server) Stop() error {
	run := s.current()
	if run == nil || run.HasEnded() {
		return fmt.Errorf("cluster: %s is not running", s.name)
	}
	run.Signal(cmp.Or(s.program.End, syscall.SIGTERM))
	select {
	case <-run.Done():
		return nil
	case <-time.After(patience):
		return fmt.Errorf("cluster: %s does not end within %v:\n%s", s.name, patience, s.Output())
	}
}

// Pause stops the server and all processes that it has started, with SIGSTOP, until Resume: as
// one whose machine stands still, it keeps its connections and answers nothing.
func (s *Server) Pause() error {
	run := s.current()
	if run == nil || run.HasEnded() {
		return fmt.Errorf("cluster: %s is not running", s.name)
	}
	tree(run.PID(), true)
	return nil
}

// Resume undoes Pause.
func (s *Server) Resume() error {
	run := s.current()
	if run == nil || run.HasEnded() {
		return fmt.Errorf("cluster: %s is not running", s.name)
	}
	tree(run.PID(), false).signal(syscall.SIGCONT)
	return nil
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
	_ = os.RemoveAll(s.dir)
	if s.unlock != nil {
		s.unlock()
		s.unlock = nil
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

// StartAll starts servers that wait for one another, and returns when all are ready.
func StartAll(programs map[*Server]Program) error {
	var all []error
	for s, p := range programs {
		all = append(all, s.launch(p))
	}
	if err := errors.Join(all...); err != nil {
		return err
	}
	for s := range programs {
		all = append(all, s.Await())
	}
	return errors.Join(all...)
}
