package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/bits"
	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
	"github.com/uidgen/uid/worker/lease"
	"github.com/uidgen/uid/worker/sqlite"
	"github.com/uidgen/uid/worker/sqlstore"
)

type scriptCommand = func(ts *testscript.TestScript, neg bool, args []string)

// TestScripts runs the scripts of testdata/scripts. These lines run the command in this process, as of today:
//
//	uid ARGS             succeeds without a word on standard error; with ! it fails, whatever it says
//	tells ARGS           succeeds with words on standard error
//	refuses TEXT ARGS    is bad input: no output, and one line on standard error that has the text
//	fails TEXT ARGS      likewise a failure
//	badstore TEXT STORE  is refused by what --store is given, and by what the environment is
//	golden NAME ARGS     says all that testdata/NAME.txt has: output, standard error and exit code
//	newstore             makes an empty file the store
//	lease                leases an ID of the namespace shop, as a process that lives on would
//	sql STATEMENT        changes the store behind the command's back
//
// "< FILE" at the end is the input. Of $SECRET no word may show. All else is testscript's own.
func TestScripts(t *testing.T) {
	folder := clitest.Must(filepath.Abs("testdata"))
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "scripts"), UpdateScripts: *clitest.Update, ContinueOnError: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", "")
			return nil
		},
		Cmds: map[string]scriptCommand{
			"uid": func(ts *testscript.TestScript, neg bool, args []string) {
				o := inScript(ts, args...)
				holds(ts, neg && o.Code != cli.ExitOK || !neg && o.Code == cli.ExitOK && o.Err == "", o)
			},
			"tells": func(ts *testscript.TestScript, _ bool, args []string) {
				o := inScript(ts, args...)
				holds(ts, o.Code == cli.ExitOK && o.Err != "", o)
			},
			"refuses": ending(cli.ExitBadInput),
			"fails":   ending(cli.ExitFailure),
			"badstore": func(ts *testscript.TestScript, _ bool, args []string) {
				says, place := args[0], args[1]
				refuses := ending(cli.ExitBadInput)
				refuses(ts, false, []string{says, "worker", "ls", "--timeout", "1ms", "--store", place})
				refuses(ts, false, []string{"--store", "worker", "ls", "--timeout", "1ms", "--store", place})
				ts.Setenv(places.StoreEnv, place)
				refuses(ts, false, []string{says, "gen", "--timeout", "1ms"})
				refuses(ts, false, []string{places.StoreEnv, "gen", "--timeout", "1ms"})
				ts.Setenv(places.StoreEnv, "")
			},
			"golden": func(ts *testscript.TestScript, _ bool, args []string) {
				o := inScript(ts, args[1:]...)
				file := filepath.Join(folder, args[0]+".txt")
				if *clitest.Update {
					ts.Check(os.WriteFile(file, []byte(o.Text()), 0o644))
				}
				holds(ts, o.Text() == ts.ReadFile(file), o)
			},
			"newstore": func(ts *testscript.TestScript, _ bool, _ []string) {
				dir, err := os.MkdirTemp(ts.Getenv("WORK"), "")
				ts.Check(err)
				ts.Setenv(places.StoreEnv, filepath.Join(dir, "workers.db"))
				ts.Check(os.WriteFile(ts.Getenv(places.StoreEnv), nil, 0o600))
			},
			"lease": func(ts *testscript.TestScript, _ bool, _ []string) {
				newLease(t, openStore(t, ts.Getenv(places.StoreEnv)))
				ts.Setenv("HOLDER", holder)
			},
			"sql": func(ts *testscript.TestScript, _ bool, args []string) {
				_, err := openStore(t, ts.Getenv(places.StoreEnv)).Exec(args[0])
				ts.Check(err)
			},
		},
	})
}

// inScript runs the command as a line of a script says.
func inScript(ts *testscript.TestScript, args ...string) clitest.Outcome {
	c := call{args: args, getenv: ts.Getenv}
	if n := len(args); n > 1 && args[n-2] == "<" {
		c.args, c.stdin = args[:n-2], ts.ReadFile(args[n-1])
	}
	o := c.run()
	for word := range strings.FieldsSeq(ts.Getenv("SECRET")) {
		holds(ts, !strings.Contains(strings.ToLower(o.Out+o.Err), word), o)
	}
	fmt.Fprint(ts.Stdout(), o.Out)
	fmt.Fprint(ts.Stderr(), o.Err)
	return o
}

// ending is for lines with a text, and the arguments with which the command has to end with a code. With -v it may say
// more before.
func ending(code int) scriptCommand {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		for _, more := range [][]string{{"-v"}, nil} {
			o := inScript(ts, append(more, args[1:]...)...)
			last := o.Err[strings.LastIndex(strings.TrimSuffix(o.Err, "\n"), "\n")+1:]
			holds(ts, o.Code == code && o.Out == "", o)
			holds(ts, strings.HasPrefix(last, "uid: ") && strings.Contains(last, args[0]), o)
			holds(ts, more != nil || last == o.Err, o)
		}
	}
}

func holds(ts *testscript.TestScript, is bool, o clitest.Outcome) {
	if !is {
		ts.Fatalf("%s", o.Text())
	}
}

// Bytes and lengths that a line of a script cannot hold.
func TestOddBytes(t *testing.T) {
	for _, tt := range []struct {
		says string
		args []string
	}{
		{"control character", []string{"segment", "set", "x", "--description", "a\x00b"}},
		{"control character", []string{"segment", "set", "x", "--description", "a\nb"}},
		{"not UTF-8", []string{"segment", "set", "x", "--description", "a\xff"}},
		{"has 257 characters, want 256 at most",
			[]string{"segment", "set", "x", "--description", strings.Repeat("ü", 257)}},
		{"these 129 bytes are no tag", []string{"gen", "--segment", strings.Repeat("x", 129)}},
		{"has 129 bytes, want 1 to 128",
			[]string{"gen", "--daily", "--segment", strings.Repeat("x", 120), "--store", newStore(t)}},
		{"has a space or a control character", []string{"gen", "--store", "mysql://me:x\n@h/x"}},
		{"a tweak of 256 bytes", []string{"seal", "--tweak", strings.Repeat("x", 256), "1"}},
	} {
		require.Contains(t, call{args: tt.args, getenv: withKey}.fails(t, cli.ExitBadInput), tt.says)
	}
	store := newStore(t)
	ok(t, "segment", "set", "x", "--create", "--description", strings.Repeat("ü", 256), "--store", store)
}

// holder is what rows say of this process.
var holder = fmt.Sprintf("%s/%d", clitest.Must(os.Hostname()), os.Getpid())

// newLease acquires a lease in the namespace shop.
func newLease(t *testing.T, db *sqlx.DB) {
	t.Helper()
	tables := clitest.Must(sqlstore.New(db, sqlstore.Config{}))
	leases := clitest.Must(tables.Leases("shop"))
	quiet := slog.New(slog.DiscardHandler)
	l := clitest.Must(lease.New(leases, lease.Config{Losses: lease.NeverUnchecked, Logger: quiet}))
	terms := bits.Default().Terms()
	terms.Revoke = func() {}
	require.NoError(t, lease.Found(t.Context(), leases, lease.Founding{}))
	_, err := l.Acquire(t.Context(), terms)
	require.NoError(t, err)
}

func openStore(t *testing.T, file string) *sqlx.DB {
	t.Helper()
	db := clitest.Must(sqlite.Open(t.Context(), file))
	t.Cleanup(func() { db.Close() })
	return db
}

// storeWithLease returns a store with a disposable ID, and a lease that is live.
func storeWithLease(t *testing.T) string {
	t.Helper()
	file := newStore(t)
	ok(t, "gen", "-n", "1", "--store", file)
	newLease(t, openStore(t, file))
	return file
}
