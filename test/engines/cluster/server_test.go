package cluster

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childEnv makes the test binary a process that starts a server and waits to be killed.
const childEnv = "UID_CLUSTER_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
	}
	Main(m)
}

func child() {
	m, err := StartMariaDB("child")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(m.DSN(""), m.Path())
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // without an end of the server, as a crash
}

func must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func TestDatabasesOfTests(t *testing.T) {
	s := Shared(t)
	var name string
	t.Run("one", func(t *testing.T) {
		name = s.NewDatabase(t)
		require.NotEqual(t, name, s.NewDatabase(t))
		s.Open(t, name).MustExec("CREATE TABLE x (id INT)")
	})
	var count int
	query := "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?"
	require.NoError(t, s.Open(t, "").Get(&count, query, name))
	require.Zero(t, count, "the database is dropped after its test")
	require.Same(t, s, Shared(t))

	_, err := must(external(s.DSN("some_database"))).Version()
	require.NoError(t, err)
	for _, dsn := range []string{"root:secret@nonsense", "secret:secret@tcp(127.0.0.1:1)/secret"} {
		_, err := external(dsn)
		require.ErrorContains(t, err, Env)
		require.NotContains(t, err.Error(), "secret")
	}
}

// A test process that dies takes its server along, and the next one its folder.
func TestCrash(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1")
	stdin := must(cmd.StdinPipe())
	defer stdin.Close()
	stdout := bufio.NewReader(must(cmd.StdoutPipe()))
	require.NoError(t, cmd.Start())
	line := must(stdout.ReadString('\n'))
	dsn, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
	db, err := Connect(dsn, Log(t))
	require.NoError(t, err, line)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err, line)
	defer conn.Close()

	removeLeftovers()
	require.DirExists(t, dir, "the folder of a living process stays")

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_, err = conn.ExecContext(t.Context(), "DO SLEEP(60)")
	require.Error(t, err, "the server was killed")
	require.Error(t, db.PingContext(t.Context()))
	removeLeftovers()
	require.NoDirExists(t, dir)
}

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
	require.False(t, s.Running())
	require.NoError(t, s.Start(script(s, "start")))
	require.True(t, s.Running())
	require.Error(t, s.Restart(), "it runs")
	require.Contains(t, s.Output(), "start of one in "+s.Path())

	var pid int
	_, err = fmt.Sscan(string(must(os.ReadFile(s.Path("child")))), &pid)
	require.NoError(t, err)
	stopped := func() bool { return state(pid) == 'T' }
	require.False(t, stopped())
	require.NoError(t, s.Pause())
	require.Eventually(t, stopped, time.Minute, time.Millisecond)
	require.NoError(t, s.Resume())
	require.Eventually(t, func() bool { return !stopped() }, time.Minute, time.Millisecond)

	require.NoError(t, s.Pause(), "even then it can be killed")
	s.Kill()
	require.False(t, s.Running())
	require.Contains(t, "\x00ZX", string(state(pid)), "the child is killed, too")
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
	require.ErrorContains(t, err, "two: ended before it was ready:\nwhat went wrong")
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

func TestPlaces(t *testing.T) {
	seen := map[int]bool{}
	for range 3 * portBlock {
		s, err := New("three", 1)
		For(t, s, err)
		port := s.Port(0)
		require.False(t, seen[port], "%d a second time", port)
		seen[port] = true
		require.False(t, seen[port-port%portBlock], "%d of a block that is not kept", port)
		_, err = listen(port - port%portBlock)
		require.Error(t, err, "another process can take the block of %d", port)
		require.NoError(t, must(net.Listen("tcp", s.Addr(0))).Close())
	}
}
