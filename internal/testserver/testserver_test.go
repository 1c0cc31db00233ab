package testserver

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// childEnv makes the test binary a process that starts a server and waits to be
// killed.
const childEnv = "UID_TESTSERVER_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		child()
	}
	Main(m)
}

func child() {
	s, err := private(Config{})
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println(s.DSN(""), s.run.dir)
	_, _ = io.Copy(io.Discard, os.Stdin)
	os.Exit(0) // without discard, as a crash
}

func query(t *testing.T, s *Server, what string) (answer string) {
	t.Helper()
	require.NoError(t, s.Open(t, "").Get(&answer, what))
	return answer
}

func TestDatabasesOfTests(t *testing.T) {
	s := Shared(t)
	var name string
	t.Run("one", func(t *testing.T) {
		name = s.NewDatabase(t)
		require.NotEqual(t, name, s.NewDatabase(t))
		_, err := s.Open(t, name).Exec("CREATE TABLE x (id INT)")
		require.NoError(t, err)
	})
	var count int
	require.NoError(t, s.Open(t, "").Get(&count, "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?", name))
	require.Zero(t, count, "the database is dropped after its test")
	require.Same(t, s, Shared(t))
}

func TestStopKillStart(t *testing.T) {
	s := New(t, Config{Durable: true, Args: []string{"--auto-increment-increment=7", "--log-bin=bin", "--server-id=3"}})
	require.Equal(t, "7", query(t, s, "SELECT @@auto_increment_increment"))
	require.Equal(t, "1", query(t, s, "SELECT @@innodb_flush_log_at_trx_commit"))
	require.Equal(t, "1", query(t, s, "SELECT @@log_bin"))

	addr := s.Addr()
	db := s.NewDatabase(t)
	_, err := s.Open(t, db).Exec("CREATE TABLE x (id INT)")
	require.NoError(t, err)
	for id, end := range []func(testing.TB){s.Stop, s.Kill} {
		_, err := s.Open(t, db).Exec("INSERT INTO x VALUES (?)", id)
		require.NoError(t, err)
		end(t)
		require.Error(t, s.ping())
		s.Start(t)
		require.Equal(t, addr, s.Addr())
		require.Equal(t, fmt.Sprint(id), query(t, s, "SELECT MAX(id) FROM "+db+".x"))
	}
}

// A test process that dies takes its server along, and the next one its folder.
func TestCrash(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=1")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	dsn, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
	db, err := Connect(dsn, Log(t))
	require.NoError(t, err)
	defer db.Close()
	conn, err := db.Conn(t.Context())
	require.NoError(t, err, line)
	defer conn.Close()

	RemoveLeftovers()
	require.DirExists(t, dir, "the folder of a living process stays")

	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	_, err = conn.ExecContext(t.Context(), "DO SLEEP(60)")
	require.Error(t, err, "the server was killed")
	require.Error(t, db.PingContext(t.Context()))
	RemoveLeftovers()
	require.NoDirExists(t, dir)
}

// Where there is no server, one line says where was looked and what to do.
func TestNoServer(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	folders := usualFolders
	t.Cleanup(func() { usualFolders = folders })
	usualFolders = []string{t.TempDir()}
	_, err := searchEngine()
	require.ErrorContains(t, err, Env+" is not set; no mariadbd or mysqld on the PATH or in "+usualFolders[0]+"; docker: not on the PATH; apt-get: not ")
	require.ErrorContains(t, err, "install mariadb-server")
	require.NotContains(t, err.Error(), "\n")
}

// What tests get is said before they run.
func TestDescribe(t *testing.T) {
	eng, err := findEngine()
	if os.Getenv(Env) == "" {
		require.NoError(t, err)
		what, err := Describe()
		require.NoError(t, err)
		require.Equal(t, eng.String(), what)
	}
	t.Setenv(Env, "root:secret@tcp(127.0.0.1:1)/")
	what, err := Describe()
	require.NoError(t, err)
	require.Equal(t, "the one in "+Env, what)
}

// A writer that tells the first time.
type first chan string

func (f first) Write(line []byte) (int, error) {
	select {
	case f <- string(line):
	default:
	}
	return len(line), nil
}

// An installation says what it is at while it runs.
func TestInstallSaysWhatItDoes(t *testing.T) {
	stop := filepath.Join(t.TempDir(), "stop")
	require.NoError(t, exec.Command("mkfifo", stop).Run())
	said := make(first, 1)
	ended := make(chan error, 1)
	go func() {
		out, err := aptGet(said, time.Millisecond, "sh", "-c", "echo one; echo unpacking two; cat '"+stop+"'; exit 7")
		if err == nil || !strings.HasPrefix(out, "one\nunpacking two\n") {
			err = fmt.Errorf("%w: %s", err, out)
		}
		ended <- err
	}()
	require.Regexp(t, "^testserver: apt-get -c: ", <-said)
	for !strings.HasSuffix(<-said, ": unpacking two\n") { // what it printed may come later
	}
	require.NoError(t, os.WriteFile(stop, nil, 0o600))
	require.ErrorContains(t, <-ended, "exit status 7")
}

func TestEnvironment(t *testing.T) {
	s, err := external(Shared(t).DSN("some_database"))
	require.NoError(t, err)
	require.NotEmpty(t, query(t, s, "SELECT VERSION()"))

	for _, dsn := range []string{"root:secret@nonsense", "secret:secret@tcp(127.0.0.1:1)/secret"} {
		_, err := external(dsn)
		require.ErrorContains(t, err, Env)
		require.NotContains(t, err.Error(), "secret")
	}
}

func TestFoldersAreRemoved(t *testing.T) {
	s, err := private(Config{})
	require.NoError(t, err)
	require.FileExists(t, filepath.Join(s.run.dir, "lock"))
	s.run.discard()
	require.NoDirExists(t, s.run.dir)
	require.False(t, s.run.running())
}
