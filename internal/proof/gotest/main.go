// Gotest runs go test and shows its progress. By itself, go test prints nothing about a
// package until the last of its tests has ended, which may take minutes.
//
//	go run ./internal/proof/gotest [arguments of go test]
//
// It prints go test's line for each package when the package ends, and the output of failing
// tests and builds. After 10 silent seconds it prints which tests are running and for how
// long. Its exit status is that of go test.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code, err := run(ctx, "", os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
	}
	os.Exit(code)
}

// run runs go test in a folder, and returns its exit status.
func run(ctx context.Context, dir string, args []string, out io.Writer) (code int, err error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"test", "-json"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		for in := bufio.NewReader(stdout); ; {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	r := newReport(out, time.Now)
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for open := true; open; {
		var line []byte
		select {
		case line, open = <-lines:
			r.line(line)
		case <-second.C:
			r.tick()
		}
	}
	if err := cmd.Wait(); cmd.ProcessState == nil {
		return 1, err
	}
	r.end()
	if code = cmd.ProcessState.ExitCode(); code < 0 {
		code = 1 // ended by a signal
	}
	return code, nil
}

// line reads a line of the output of go test -json.
func (r *report) line(line []byte) {
	var e event
	if len(line) > 0 && line[0] == '{' && json.Unmarshal(line, &e) == nil {
		r.event(e)
	} else {
		r.print(string(line))
	}
}
