package cluster

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

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
