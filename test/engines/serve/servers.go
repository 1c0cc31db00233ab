package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strings"
	"time"

	"github.com/uidgen/uid/test/engines/cluster"
)

// tag is the tag whose numbers are drawn.
const tag = "invoice"

// startServer starts a process of uid serve, and waits until it is ready.
func startServer(name, command, store string, args ...string) (*cluster.Server, error) {
	s, err := cluster.New(name, 2)
	if err != nil {
		return nil, err
	}
	p := cluster.Program{
		Path: command,
		Args: append([]string{"serve", "--listen", s.Addr(0), "--resp-listen", s.Addr(1), "--timeout", "1m", "--request-timeout", "1s"}, args...),
		Env:  []string{"UID_STORE=" + store, "UID_SERVE_TOKEN=", "HOME=" + s.Path()},
		Ready: func(ctx context.Context) error {
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Addr(0)+"/readyz", nil)
			if err != nil {
				return err
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				return err
			}
			defer answer.Body.Close()
			if _, err := io.Copy(io.Discard, answer.Body); err != nil || answer.StatusCode != http.StatusOK {
				return fmt.Errorf("/readyz: %s: %w", answer.Status, err)
			}
			return nil
		},
	}
	if err := s.Start(p); err != nil {
		err = fmt.Errorf("%w\n%s", err, s.Output())
		s.Close()
		return nil, err
	}
	return s, nil
}

// startServers starts a server for each list of further arguments.
func startServers(command, store string, args ...[]string) (all []*cluster.Server, err error) {
	for i, a := range args {
		s, err := startServer(fmt.Sprintf("uid serve %d", i+1), command, store, a...)
		if err != nil {
			closeAll(all)
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func closeAll(all []*cluster.Server) {
	for _, s := range all {
		s.Close()
	}
}

// createTag makes the tag's row.
func createTag(command, store string) error {
	cmd := exec.Command(command, "segment", "set", tag, "--create", "--timeout", "1m")
	cmd.Env = []string{"UID_STORE=" + store}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// A plan is how often what is killed.
type plan struct {
	servers, databases int
	between            time.Duration
}

// disturb kills the servers in turn, and now and then the database first, so that servers start while it
// is down.
func disturb(p plan, all []*cluster.Server, db *cluster.MySQL) error {
	every := p.servers / p.databases
	for i := range p.servers {
		time.Sleep(p.between)
		down := i%every == every-1
		if down {
			db.Kill()
		}
		s := all[i%len(all)]
		s.Kill()
		started := make(chan error, 1)
		go func() { started <- s.Restart() }()
		if down {
			time.Sleep(p.between / 2)
			if err := db.Restart(); err != nil {
				return errors.Join(err, <-started)
			}
		}
		if err := <-started; err != nil {
			return fmt.Errorf("%w\n%s", err, s.Output())
		}
	}
	return nil
}

// stop ends servers in good order.
func stop(all []*cluster.Server) error {
	for _, s := range all {
		if err := s.Stop(); err != nil {
			return err
		}
		if said := s.Output(); strings.Contains(said, "panic") {
			return fmt.Errorf("%s said:\n%s", s.Name(), said)
		}
	}
	return nil
}
