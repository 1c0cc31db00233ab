package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
)

const testToken = "correct-horse-battery"

// A served is a process of uid serve.
type served struct {
	*exec.Cmd
	web, redis string // host and port
	stderr     *bufio.Reader
	said       string // at its start
}

// startServe starts uid serve on ports that are free.
func startServe(t *testing.T, env []string, args ...string) *served {
	t.Helper()
	args = append([]string{"serve", "--listen", "127.0.0.1:0", "--resp-listen", "127.0.0.1:0"}, args...)
	cmd := command(append(env, places.StoreEnv+"="), args...)
	stderr := clitest.Must(cmd.StderrPipe())
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // if it has not ended
	s := &served{Cmd: cmd, stderr: bufio.NewReader(stderr)}
	line := ""
	for !strings.HasPrefix(line, "uid: listening on ") {
		s.said += line
		line = s.line(t)
	}
	addresses := regexp.MustCompile("(http|redis)s?://").ReplaceAllString(line, "")
	_, err := fmt.Sscanf(addresses, "uid: listening on %s and %s\n", &s.web, &s.redis)
	require.NoError(t, err, line)
	return s
}

func (s *served) line(t *testing.T) string {
	t.Helper()
	line, err := s.stderr.ReadString('\n')
	require.NoError(t, err, line)
	return line
}

// ends waits for the end of the process, and returns what it still said.
func (s *served) ends(t *testing.T, code int) string {
	t.Helper()
	rest, err := io.ReadAll(s.stderr)
	require.NoError(t, err)
	require.Equal(t, code, exitCode(t, s.Wait()), string(rest))
	return string(rest)
}

// get returns the body of an answer, which has to have the status.
func (s *served) get(t *testing.T, target, token string, status int) (body string) {
	t.Helper()
	r := clitest.Must(http.NewRequest(http.MethodGet, "http://"+s.web+target, nil))
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, status, answer.StatusCode, "%s: %s", target, all)
	return string(all)
}

// A client library of Redis draws, and what is left is given back at the end.
func TestServe(t *testing.T) {
	store := newStore(t)
	ok(t, "segment", "set", "invoice", "--create", "--store", store)
	ok(t, "gen", "-n", "1", "--store", store) // takes the worker ID 1
	s := startServe(t, nil, "--store", store)
	require.Equal(t, "uid: worker ID 3; the store is "+store+", given by --store\n", s.said)
	client := redis.NewClient(&redis.Options{Addr: s.redis, ClientName: "test"})
	defer client.Close()
	first, err := client.Incr(t.Context(), "uid").Result()
	require.NoError(t, err)
	pipe := client.Pipeline()
	for range 1000 {
		pipe.Incr(t.Context(), "uid")
	}
	answers, err := pipe.Exec(t.Context())
	require.NoError(t, err)
	for _, a := range answers {
		next := a.(*redis.IntCmd).Val()
		require.Greater(t, next, first)
		first = next
	}
	some, err := client.Do(t.Context(), "UIDS", 3).StringSlice()
	require.NoError(t, err)
	require.Len(t, some, 3)
	require.Greater(t, int64(uid.MustParse(some[0])), first)
	for i, want := range []int64{1, 11, 12} {
		last, err := client.IncrBy(t.Context(), "invoice", []int64{1, 10, 1}[i]).Result()
		require.NoError(t, err)
		require.Equal(t, want, last)
	}
	require.ErrorContains(t, client.IncrBy(t.Context(), "uid", 2).Err(), "UIDs are no 2 numbers in a row")
	require.ErrorContains(t, client.Get(t.Context(), "invoice").Err(), "is no Redis")
	require.NoError(t, client.Ping(t.Context()).Err())

	for path, says := range map[string]string{
		"/api/segment/get/invoice": `^13$`, "/v1/uid": `{"uid":"`, "/readyz": "^{\"ready\":true}\n$",
		"/metrics": `(?s)\nuid_ready{generator="uid"} 1\n.*\nuid_serve_`,
		"/page/":   "<title>Unique IDs</title>", "/page/state": `"title":"uid serve".*"name":"uid"`,
	} {
		require.Regexp(t, says, s.get(t, path, "", 200), path)
	}
	require.NoError(t, s.Process.Signal(syscall.SIGTERM))
	require.Empty(t, s.ends(t, cli.ExitOK))
	require.Equal(t, "14\n", ok(t, "segment", "next", "invoice", "--store", store), "none was skipped")
}

// The token and the certificate can change while the server runs, and the log never has the token.
func TestServeToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte(testToken+"\n"), 0o600))
	s := startServe(t, nil, "--store", newStore(t), "--token-file", file, "--access-log")
	s.get(t, "/v1/uid", testToken, 200)
	require.Contains(t, s.get(t, "/v1/uid", "", 401), "Authorization: Bearer")
	client := redis.NewClient(&redis.Options{Addr: s.redis, Password: testToken})
	require.NoError(t, client.Incr(t.Context(), "uid").Err())
	require.NoError(t, client.Close())

	said := s.line(t) + s.line(t) + s.line(t)
	require.Contains(t, said, `"path":"/v1/uid","status":401,`)
	change := func(text, want string) {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, s.Process.Signal(syscall.SIGHUP))
		said = s.line(t)
		require.Contains(t, said, want)
		require.NotContains(t, said, testToken)
	}
	change("short", "uid: nothing has changed by SIGHUP: unusable configuration: the token has 5 bytes, want 16 to 512")
	change("", "the file is empty")
	change("another-horse-battery", "were read again")
	s.get(t, "/v1/uid", testToken, 401)
	s.get(t, "/v1/uid", "another-horse-battery", 200)
	require.NoError(t, s.Process.Signal(os.Interrupt))
	said = s.ends(t, cli.ExitOK)
	require.NotContains(t, said, "horse")
}

// With a worker ID of its own, a server that was killed begins above what it had issued.
func TestServeStateFile(t *testing.T) {
	store, state := newStore(t), filepath.Join(t.TempDir(), "state")
	var last uid.UID
	for range 3 {
		s := startServe(t, nil, "--store", store, "--worker-id", "7", "--state", state)
		require.Equal(t, "uid: worker ID 7 of --worker-id; the store is "+store+", given by --store\n", s.said)
		u := uid.MustParse(s.get(t, "/api/snowflake/get/x", "", 200))
		require.Greater(t, u, last)
		last = u
		require.EqualValues(t, 7, clitest.Must(bits.Default().Parse(u)).WorkerID)
		require.NoError(t, s.Process.Kill())
		require.Equal(t, -1, exitCode(t, s.Wait()))
	}
}

// A port in use costs no worker ID.
func TestServePortInUse(t *testing.T) {
	l := clitest.Must(net.Listen("tcp", "127.0.0.1:0"))
	defer l.Close()
	store := filepath.Join(t.TempDir(), "workers.db")
	taken, free := l.Addr().String(), "127.0.0.1:0"
	for _, at := range [][2]string{{taken, "off"}, {free, taken}} {
		o := call{args: []string{"serve", "--store", store, "--listen", at[0], "--resp-listen", at[1]}}.run()
		require.Equal(t, cli.ExitFailure, o.Code)
		require.Contains(t, o.Err, "address already in use")
		require.NoFileExists(t, store)
	}
}
