package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/uidgen/uid/internal/testserver"
)

// startLimit bounds the start of a server.
const startLimit = time.Minute

// Redis returns a client of the server. It first installs a missing server, if apt-get can
// be used. It may be called by any number of goroutines at once.
func (s *Set) Redis() (*redis.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.redis != nil {
		return s.redis, nil
	}
	path, err := findRedis()
	if err != nil {
		return nil, err
	}
	port, err := testserver.FreePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "uid-bench-redis-")
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, "--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", dir, "--save", "", "--appendonly", "no")
	cmd.SysProcAttr = dieWithParent()
	done, err := start(cmd)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", path, err), os.RemoveAll(dir))
	}
	s.stops = append(s.stops, func() {
		_ = cmd.Process.Kill()
		<-done
		_ = os.RemoveAll(dir)
	})
	client := redis.NewClient(&redis.Options{
		Addr: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), PoolSize: connections,
		DialTimeout: time.Second, DialerRetries: 1, MaxRetries: -1, DisableIdentity: true,
	})
	s.stops = append(s.stops, func() { _ = client.Close() })
	if err := await(client.Options().Addr, done); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if err := client.Ping(context.Background()).Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.redis = client
	return client, nil
}

// start starts the command from a thread that lives as long as the command: on Linux the
// kernel kills the command when that thread ends.
func start(cmd *exec.Cmd) (done <-chan struct{}, err error) {
	ended, started := make(chan struct{}), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	return ended, <-started
}

// await returns when the server accepts connections.
func await(addr string, done <-chan struct{}) error {
	limit := time.After(startLimit)
	for {
		c, err := net.Dial("tcp", addr)
		if err == nil {
			return c.Close()
		}
		select {
		case <-done:
			return errors.New("ended at its start")
		case <-limit:
			return fmt.Errorf("takes no connections: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func findRedis() (path string, err error) {
	have := func() bool { path, err = exec.LookPath("redis-server"); return err == nil }
	if have() {
		return path, nil
	}
	if err := testserver.Install("redis-server", have); err != nil {
		return "", fmt.Errorf("no redis-server on the PATH; apt-get: %w; install redis-server (on Debian: apt-get install redis-server)", err)
	}
	have()
	return path, err
}
