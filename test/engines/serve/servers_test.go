package serve

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/test/engines/cluster"
)

// tag is the tag whose numbers are drawn.
const tag = "invoice"

// build returns the path of the command.
func build(t *testing.T) string {
	t.Helper()
	command, err := cluster.BuildCommand(t.TempDir())
	require.NoError(t, err)
	return command
}

// startServer starts a process of uid serve until the test ends, and waits until it is ready.
func startServer(t *testing.T, name, command, store string, args ...string) *cluster.Server {
	t.Helper()
	s, err := cluster.New(name, 2)
	cluster.For(t, s, err)
	p := cluster.Program{
		Path: command,
		Args: append([]string{"serve", "--listen", s.Addr(0), "--resp-listen", s.Addr(1),
			"--timeout", "1m", "--request-timeout", "1s"}, args...),
		Env:   []string{"UID_STORE=" + store, "UID_SERVE_TOKEN=", "HOME=" + s.Path()},
		Ready: func(ctx context.Context) error { return cluster.Answers(ctx, s.Addr(0), "/readyz", "") },
	}
	require.NoError(t, s.Start(p), s.Output())
	return s
}

// createTag makes the tag's row.
func createTag(t *testing.T, command, store string) {
	t.Helper()
	cmd := exec.Command(command, "segment", "set", tag, "--create", "--timeout", "1m")
	cmd.Env = []string{"UID_STORE=" + store}
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}

// How often what is killed.
const (
	serversKilled, databasesKilled = 20, 5
	between                        = time.Second
)

// disturb kills the servers in turn, and now and then the database first, so that servers start while it
// is down.
func disturb(all []*cluster.Server, db *cluster.MySQL) error {
	every := serversKilled / databasesKilled
	for i := range serversKilled {
		time.Sleep(between)
		down := i%every == every-1
		if down {
			db.Kill()
		}
		s := all[i%len(all)]
		s.Kill()
		started := make(chan error, 1)
		go func() { started <- s.Restart() }()
		if down {
			time.Sleep(between / 2)
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
