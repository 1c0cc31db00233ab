// Package command_test runs the command on a real MariaDB.
package command_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/test/harness"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlstore"
)

func TestMain(m *testing.M) { cluster.MainWithCommand(m, &file) }

// file is the built command.
var file string

// dsn names a database of MariaDB.
func dsn(cfg *mysql.Config) string { return "UID_MYSQL_DSN=" + cfg.FormatDSN() }

// said is what a run wrote, and its exit code.
type said struct {
	out, err string
	code     int
}

// run runs the command with a store, by the variable of the environment that names it.
func run(t *testing.T, store string, args ...string) said {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), file, args...)
	cmd.Env = []string{store, "HOME=" + t.TempDir()}
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return said{out.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// Exit codes.
const (
	exitOK = iota
	exitFailure
	exitBadInput
)

const canary = "c4n4ry"

// account makes an account and a database for it, whose names and password are not to be told.
func account(t *testing.T, s *cluster.MySQL) *mysql.Config {
	t.Helper()
	cfg := s.Config(s.NewDatabase(t))
	admin, user := s.Open(t, ""), canary+cfg.DBName[8:20]
	engines.Do(t, admin, "CREATE USER '"+user+"'@'%' IDENTIFIED BY '"+canary+"'",
		"GRANT CREATE, INSERT, SELECT, UPDATE, DELETE ON "+cfg.DBName+".* TO '"+user+"'@'%'")
	t.Cleanup(func() { engines.Do(t, admin, "DROP USER '"+user+"'@'%'") })
	cfg.User, cfg.Passwd = user, canary
	return cfg
}

// Each process has a worker ID of its own, though all begin at once on an empty database. What they
// print is read back.
func TestProcessesAtOnce(t *testing.T) {
	for range 4 {
		var all sync.WaitGroup
		var outs [8]said
		store := dsn(account(t, cluster.Shared(t)))
		for i := range outs {
			all.Go(func() { outs[i] = run(t, store, "gen", "-v", "-n", "3", "--format", "json") })
		}
		all.Wait()
		ids := map[int64]bool{}
		for _, o := range outs {
			require.Zero(t, o.code, o.err)
			require.NotContains(t, o.err, canary)
			var parts uid.Parts
			require.NoError(t, json.Unmarshal([]byte(strings.SplitN(o.out, "\n", 2)[0]), &parts))
			ids[parts.WorkerID] = true
		}
		require.Len(t, ids, len(outs))
	}
}

// The commands on a server that can lose what it has acknowledged, with an account whose name,
// password and database are not to be told.
func TestLossyServer(t *testing.T) {
	s := cluster.NewMariaDB(t, "--innodb-flush-log-at-trx-commit=2")
	cfg := account(t, s)
	tables, err := sqlstore.New(s.Open(t, cfg.DBName), sqlstore.Config{})
	require.NoError(t, err)
	leases, err := tables.Leases("shop")
	require.NoError(t, err)
	l, err := lease.New(leases, lease.Config{Losses: lease.NeverUnchecked, Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	harness.SetHolder(l, "till/42")
	terms := bits.Default().Terms()
	terms.Revoke = func() {}
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{Layout: bits.Default()}))
	_, err = l.Acquire(t.Context(), terms)
	require.NoError(t, err)
	floor, err := bits.Default().First(time.Now().Add(time.Minute))
	require.NoError(t, err)
	for _, tt := range []struct {
		args string
		code int
		says string
	}{
		{"gen -n 1", exitFailure, "give them out again: innodb_flush_log_at_trx_commit is 2, not 1"},
		{"gen -n 1", exitFailure, "accept it with LossyStore, here with --lossy-store"},
		{"gen -n 1 --lossy-store", exitOK, ""},
		{"worker init --namespace till", exitOK, `namespace "till" is in`},
		{"worker init --namespace till --layout twitter", exitFailure, "another layout"},
		{"worker init --namespace floored --after 9223372036854775807", exitBadInput, "no tick of the layout"},
		{"worker init --namespace floored --after 1", exitOK, "floored"},
		{"worker init --namespace floored --after " + floor.String(), exitOK, "floored"}, // raises it
		{"worker init --namespace bücher", exitBadInput, "0xc3"},
		{"worker ls", exitOK, "till/42"},
		{"worker ls --json", exitOK, `"kind":"disposable"`},
		{"worker check", exitFailure, "innodb_flush_log_at_trx_commit"},
		{"worker check --json", exitFailure, "CREATE on the whole database"},
		{"worker release shop/0", exitFailure, "--force ends it"},
		{"worker release shop/0 --force", exitOK, "is released"},
		{"segment ls", exitOK, ""},
		{"segment set order --create", exitOK, "tag \"order\": the next number is "},
		{"segment next order", exitFailure, "--lossy-store accepts that"},
		{"gen --segment order", exitFailure, "--lossy-store accepts that"},
		{"gen --segment order --daily", exitFailure, "--lossy-store accepts that"},
		{"segment next order --lossy-store", exitOK, "\n"},
		{"gen --segment order --lossy-store", exitOK, "\n"},
		{"gen --segment order --daily --lossy-store", exitOK, time.Now().UTC().Format("2006")},
		{"segment set order --next 1", exitFailure, "and 1 is below"},
		{"segment ls order", exitOK, "order"},
	} {
		for _, verbose := range []bool{false, true} {
			args := strings.Fields(tt.args)
			if verbose {
				args = append(args, "-v")
			}
			o := run(t, dsn(cfg), args...)
			require.Equal(t, tt.code, o.code, "%s: %s%s", tt.args, o.out, o.err)
			require.Contains(t, o.out+o.err, tt.says)
			require.NotContains(t, strings.ToLower(o.out+o.err), canary, tt.args)
		}
	}
	var high int64
	const query = "SELECT HIGH FROM WORKER_LEASE WHERE NAMESPACE = 'floored' AND WORKER_ID = -1"
	require.NoError(t, s.Open(t, cfg.DBName).Get(&high, query))
	tick, err := bits.Default().Tick(floor)
	require.NoError(t, err)
	require.Equal(t, tick, high)
}

// What a server says of its store at its start holds no secret.
func TestServeTellsNoSecret(t *testing.T) {
	const free = "127.0.0.1:0"
	cmd := exec.CommandContext(t.Context(), file, "serve", "--listen", free, "--resp-listen", free)
	cmd.Env = []string{dsn(account(t, cluster.Shared(t))), "HOME=" + t.TempDir()}
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	const want = "uid: worker ID 1; the store is a server of mysql://, given by UID_MYSQL_DSN\n"
	got := make([]byte, len(want))
	_, err = stderr.Read(got)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
	require.NoError(t, cmd.Process.Kill())
	require.Error(t, cmd.Wait())
}
