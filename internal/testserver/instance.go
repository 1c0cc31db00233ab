package testserver

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// startLimit bounds the start of a server. It allows for a slow disk and for pulling an
// image.
const startLimit = 5 * time.Minute

// An instance is a private server: a folder, a port, and now and then a process.
type instance struct {
	engine engine
	cfg    Config
	dir    string
	unlock func() // unlocks the folder
	port   int
	log    *serverLog

	mu   sync.Mutex
	cmd  *exec.Cmd     // guarded by mu
	done chan struct{} // guarded by mu; closed when cmd has ended
}

func newInstance(eng engine, cfg Config) (*instance, error) {
	dir, unlock, err := NewFolder()
	if err != nil {
		return nil, fmt.Errorf("testserver: %w", err)
	}
	i := &instance{engine: eng, cfg: cfg, dir: dir, unlock: unlock, log: &serverLog{}}
	if err := eng.prepare(i.data()); err != nil {
		i.discard()
		return nil, err
	}
	// Another process may take a port between our finding it free and using it.
	for range 5 {
		if i.port, err = FreePort(); err != nil {
			break
		}
		if err = i.start(); err == nil {
			return i, nil
		}
		if !strings.Contains(err.Error(), "in use") && !strings.Contains(err.Error(), "already allocated") {
			break
		}
	}
	i.discard()
	return nil, err
}

func (i *instance) addr() string { return fmt.Sprintf("127.0.0.1:%d", i.port) }

func (i *instance) data() string { return filepath.Join(i.dir, "data") }

// start returns when the server has said that it accepts connections.
func (i *instance) start() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	cmd, marker := i.engine.command(i.data(), i.port, append(baseArgs(i.cfg.Durable), i.cfg.Args...))
	ready := i.log.expect(marker)
	cmd.Stdout, cmd.Stderr = i.log, i.log
	cmd.WaitDelay = 5 * time.Second
	cmd.SysProcAttr = dieWithParent()
	done := make(chan struct{})
	started := make(chan error, 1)
	go func() {
		// On Linux the server is killed when the thread that started it ends.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(done)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("testserver: %w", err)
	}
	i.cmd, i.done = cmd, done
	select {
	case <-ready:
		return nil
	case <-done:
		return fmt.Errorf("testserver: %s ended at its start:\n%s", cmd.Path, i.log.tail())
	case <-time.After(startLimit):
		_ = i.engine.kill(cmd)
		return fmt.Errorf("testserver: %s was not ready after %v:\n%s", cmd.Path, startLimit, i.log.tail())
	}
}

func (i *instance) terminate() error { return i.signal(i.engine.terminate) }
func (i *instance) kill() error      { return i.signal(i.engine.kill) }

func (i *instance) signal(send func(*exec.Cmd) error) error {
	if !i.running() {
		return errors.New("testserver: the server is not running")
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	return send(i.cmd)
}

// exited returns a channel that is closed when the process has ended or never started.
func (i *instance) exited() <-chan struct{} {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.done == nil {
		none := make(chan struct{})
		close(none)
		return none
	}
	return i.done
}

func (i *instance) running() bool {
	select {
	case <-i.exited():
		return false
	default:
		return true
	}
}

// discard ends the server and removes its data.
func (i *instance) discard() {
	if i.running() {
		_ = i.kill()
		<-i.exited()
	}
	_ = os.RemoveAll(i.dir)
	i.unlock()
}

// A serverLog keeps the server's output, and signals when an awaited line comes.
type serverLog struct {
	mu     sync.Mutex
	text   []byte
	from   int // where the output of this start begins
	marker []byte
	ready  chan struct{} // nil once the marker was seen
}

func (l *serverLog) expect(marker string) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.from = len(l.text)
	l.marker = []byte(marker)
	ready := make(chan struct{})
	l.ready = ready
	return ready
}

func (l *serverLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if l.ready != nil && bytes.Contains(l.text[l.from:], l.marker) {
		close(l.ready)
		l.ready = nil
	}
	return len(p), nil
}

func (l *serverLog) tail() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text[max(0, len(l.text)-4000):])
}
