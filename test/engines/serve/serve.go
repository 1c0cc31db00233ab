package serve

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/uidgen/uid/test/engines/cluster"
)

// Tag is the tag whose numbers are drawn.
const Tag = "invoice"

// Start starts a process of uid serve, and waits until it is ready. Its ports are those of HTTP and of the Redis
// protocol.
func Start(name, command, store string, args ...string) (*cluster.Server, error) {
	s, err := cluster.New(name, 2)
	if err != nil {
		return nil, err
	}
	p := cluster.Program{
		Path: command,
		Args: append([]string{"serve", "--listen", s.Addr(0), "--resp-listen", s.Addr(1),
			"--timeout", "1m", "--request-timeout", "1s"}, args...),
		Env:   []string{"UID_STORE=" + store, "UID_SERVE_TOKEN=", "HOME=" + s.Path()},
		Ready: func(ctx context.Context) error { return cluster.Answers(ctx, s.Addr(0), "/readyz", "") },
	}
	if err := s.Start(p); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// CreateTag makes the tag's row.
func CreateTag(command, store string) error {
	cmd := exec.Command(command, "segment", "set", Tag, "--create", "--timeout", "1m")
	cmd.Env = []string{"UID_STORE=" + store}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make the tag: %w\n%s", err, out)
	}
	return nil
}

// Dial returns a client library's client with so many connections.
func Dial(addr string, connections int) *redis.Client {
	silent := &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(&redis.Options{Addr: addr, PoolSize: connections, MaintNotificationsConfig: silent})
}
