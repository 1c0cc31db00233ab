package statefile_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/state"
	"github.com/uidgen/uid/worker"
	"github.com/uidgen/uid/worker/statefile"
)

// childEnv makes the test binary a process that issues UIDs on a state file until
// it is killed: the kind of generator, by how much its clock is back, and the path.
const childEnv = "UID_STATEFILE_TEST_CHILD"

func TestMain(m *testing.M) {
	if s := os.Getenv(childEnv); s != "" {
		child(s)
	}
	os.Exit(m.Run())
}

// child prints every tick of which it has a UID, the first one at once. It ends only by a panic, or a kill.
func child(text string) {
	fields := strings.SplitN(text, " ", 3)
	back := must(time.ParseDuration(fields[1]))
	now := func() time.Time { return time.Now().Add(-back) }
	w := must(statefile.New(fields[2], worker.FixedID(7),
		statefile.Config{Now: now, Window: 20 * time.Millisecond, Logger: (&logtest.Records{}).Logger()}))
	layout := childLayout()
	g := must(generators[fields[0]](w, layout, now))
	for last := int64(-1); ; {
		if tick := must(layout.Tick(must(g.GetUID()))); tick != last {
			must(fmt.Println(tick))
			last = tick
		}
	}
}

func startChild(t *testing.T, kind string, back time.Duration, path string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %v %s", childEnv, kind, back, path), "GORACE=atexit_sleep_ms=0")
	out := must(cmd.StdoutPipe())
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewReader(out)
}

// Processes that are killed while they issue UIDs and renew their reservation, one
// after the other, each with a clock that is behind what the one before issued, issue
// no tick twice, though the newer record of every other one is damaged. Sequences
// begin anew with each, so that this would be a UID twice.
func TestFileKills(t *testing.T) {
	for kind := range generators {
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			path := tempPath(t)
			newest, back := int64(-1), time.Duration(0)
			read := func(line string) {
				tick, err := strconv.ParseInt(strings.TrimSuffix(line, "\n"), 10, 64)
				require.NoError(t, err, "the process says: %s", line)
				require.Greater(t, tick, newest)
				newest = tick
			}
			for n := range 30 {
				cmd, out := startChild(t, kind, back, path)
				// It is killed at another point each time, between renewals and in them.
				for range 1 + n*n%83 {
					line, err := out.ReadString('\n')
					require.NoError(t, err, line)
					read(line)
				}
				require.NoError(t, cmd.Process.Kill())
				for { // what it had issued until it died
					line, err := out.ReadString('\n')
					if err == io.EOF {
						break
					}
					require.NoError(t, err)
					read(line)
				}
				require.Error(t, cmd.Wait())
				if n%2 == 1 {
					require.NoError(t, state.Damage(path, 1000))
				}
				back = time.Since(childLayout().TimeOf(newest)) + 5*time.Second
			}
		})
	}
}

// A second process is refused while the first one lives, and told who that is; it is
// not refused any more when the first one has been killed.
func TestFileSecondProcess(t *testing.T) {
	path := tempPath(t)
	cmd, out := startChild(t, "cached", 0, path)
	firstTick, err := out.ReadString('\n')
	require.NoError(t, err, firstTick)
	for kind := range generators {
		second, says := startChild(t, kind, 0, path)
		text := must(io.ReadAll(says))
		require.Error(t, second.Wait())
		host := must(os.Hostname())
		require.Contains(t, string(text), uid.ErrWorkerInUse.Error())
		require.Contains(t, string(text), path)
		require.Contains(t, string(text), fmt.Sprintf("process %d on host %q", cmd.Process.Pid, host))
	}
	_, err = out.ReadString('\n')
	require.NoError(t, err, "the first one has not noticed")
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())

	f := must(statefile.New(path, worker.FixedID(7), statefile.Config{Logger: (&logtest.Records{}).Logger()}))
	acquired(t, f, childLayout().Terms())
	require.NoError(t, f.Release(t.Context(), -1))
}
