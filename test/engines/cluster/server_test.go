package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// script is a "server" that writes who it is, has a child, and ends when asked to.
func script(s *Server, first string) Program {
	return Program{
		Path: "/bin/sh",
		Args: []string{"-c", `echo "$1 of $2 in $(pwd)"; sleep 1000 & echo $! >child
		trap 'echo ends; kill %1; exit 0' TERM; touch up; wait`, "sh", first, s.Name()},
		Ready: func(context.Context) error {
			_, err := os.Stat(s.Path("up"))
			return err
		},
	}
}

func TestServer(t *testing.T) {
	s, err := New("one", 2)
	For(t, s, err)
	require.NotEqual(t, s.Port(0), s.Port(1))
	require.NoError(t, must(net.Listen("tcp", s.Addr(1))).Close())

	require.False(t, s.Running())
	require.NoError(t, s.Start(script(s, "start")))
	require.True(t, s.Running())
	require.Error(t, s.Restart(), "it runs")
	require.Contains(t, s.Output(), "start of one in "+s.Path())

	var pid int
	_, err = fmt.Sscan(string(must(os.ReadFile(s.Path("child")))), &pid)
	require.NoError(t, err)
	require.True(t, alive(pid))
	require.NoError(t, s.Pause())
	stopped := func() bool {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return strings.Contains(string(stat), ") T ")
	}
	require.Eventually(t, stopped, time.Minute, time.Millisecond)
	require.NoError(t, s.Resume())
	require.Eventually(t, func() bool { return !stopped() }, time.Minute, time.Millisecond)

	require.NoError(t, s.Pause(), "even then it can be killed")
	s.Kill()
	require.False(t, s.Running())
	require.False(t, alive(pid), "the child is killed, too")
	require.Error(t, s.Stop())

	require.NoError(t, os.Remove(s.Path("up")))
	require.NoError(t, s.Restart())
	require.NoError(t, s.Stop())
	require.Contains(t, s.Output(), "ends")

	dir := s.Path()
	s.Close()
	require.NoDirExists(t, dir)
}

func TestServerEndsEarly(t *testing.T) {
	s, err := New("two", 0)
	For(t, s, err)
	err = s.Start(Program{
		Path: "/bin/sh", Args: []string{"-c", "echo what went wrong; exit 3"},
		Ready: func(context.Context) error { return os.ErrNotExist },
	})
	require.ErrorContains(t, err, "two ended before it was ready:\nwhat went wrong")
	_, err = s.Do(Program{Path: "/bin/sh", Args: []string{"-c", "echo no; exit 3"}})
	require.ErrorContains(t, err, "exit status 3\nno")
	require.Equal(t, "yes\n", must(s.Do(Program{Path: "/bin/sh", Args: []string{"-c", "echo yes"}})))
}

func TestFindSays(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Find("some-package", "some-server", t.TempDir())
	require.ErrorContains(t, err, "no some-server on the PATH")
	require.ErrorContains(t, err, "install some-package")
}
