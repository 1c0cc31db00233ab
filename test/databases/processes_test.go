package databases_test

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/numberstore"
	"github.com/uidgen/uid/internal/retry"
	"github.com/uidgen/uid/test/crew"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/kit"
	"github.com/uidgen/uid/worker/sqlstore"
)

// A job is what the test binary does as a process of its own, with a store.
type job struct {
	Do    string // a key of jobs
	Store store
	To    string // where it is mounted
}

var jobs = map[string]func(job) error{"a number": takeNumber, "hot": writeHalf, "start": tryAll}

func TestMain(m *testing.M) {
	crew.Ordered(func(j job, _ *os.File) error { return jobs[j.Do](j) })
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // they wait more than they work
		panic(err)
	}
	cluster.Main(m)
}

// takeNumber says that it runs, waits for the start, that is the end of its input, and
// prints its ID.
func takeNumber(j job) error {
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	db, err := j.Store.Connect(context.Background(), cluster.Quiet)
	if err != nil {
		return err
	}
	defer db.Close()
	tables, err := sqlstore.New(db, sqlstore.Config{})
	if err != nil {
		return err
	}
	var id int64
	err = retry.Do(context.Background(), retry.DefaultTimeout, slog.New(slog.DiscardHandler), func(ctx context.Context) (err error) {
		id, err = tables.Numbers().Next(ctx, numberstore.Host{Name: "h"}, 1<<22-1)
		return err
	})
	if err != nil {
		return err
	}
	fmt.Println(id)
	return nil
}

// Processes that start at once on a store without file or table get an ID each.
func TestProcessesAtOnce(t *testing.T) {
	t.Parallel()
	for kind, fresh := range kit.Kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel() // they wait more than they work
			for range 6 {
				startTogether(t, fresh(t), 8)
			}
		})
	}
}

func startTogether(t *testing.T, s store, processes int) {
	t.Helper()
	startLine, start, err := os.Pipe()
	require.NoError(t, err)
	defer start.Close()
	var outs []*bufio.Reader
	var cmds []*exec.Cmd
	for range processes {
		cmd := crew.Command(job{Do: "a number", Store: s})
		cmd.Stdin, cmd.Stderr = startLine, os.Stderr
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		outs, cmds = append(outs, bufio.NewReader(out)), append(cmds, cmd)
	}
	startLine.Close()
	for _, out := range outs {
		line, err := out.ReadString('\n')
		require.NoError(t, err)
		require.Equal(t, "ready\n", line)
	}
	start.Close()
	ids := map[int64]bool{}
	for i, out := range outs {
		line, err := io.ReadAll(out)
		require.NoError(t, err)
		require.NoError(t, cmds[i].Wait(), "%s", line)
		id, err := strconv.ParseInt(strings.TrimSpace(string(line)), 10, 64)
		require.NoError(t, err)
		ids[id] = true
	}
	require.Len(t, ids, processes)
	for _, row := range nodes(t, s.Open(t)) {
		delete(ids, row.ID)
	}
	require.Empty(t, ids, "each has a row")
}
