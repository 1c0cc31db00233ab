package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

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
	folder := must(filepath.Abs("testdata"))
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "scripts"), UpdateScripts: *update, ContinueOnError: true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", "")
			return nil
		},
		Cmds: map[string]scriptCommand{
			"uid": func(ts *testscript.TestScript, neg bool, args []string) {
				o := inScript(ts, args...)
				holds(ts, neg && o.code != exitOK || !neg && o.code == exitOK && o.err == "", o)
			},
			"tells": func(ts *testscript.TestScript, _ bool, args []string) {
				o := inScript(ts, args...)
				holds(ts, o.code == exitOK && o.err != "", o)
			},
			"refuses": ending(exitBadInput),
			"fails":   ending(exitFailure),
			"badstore": func(ts *testscript.TestScript, _ bool, args []string) {
				says, place := args[0], args[1]
				refuses := ending(exitBadInput)
				refuses(ts, false, []string{says, "worker", "ls", "--timeout", "1ms", "--store", place})
				refuses(ts, false, []string{"--store", "worker", "ls", "--timeout", "1ms", "--store", place})
				ts.Setenv(storeEnv, place)
				refuses(ts, false, []string{says, "gen", "--timeout", "1ms"})
				refuses(ts, false, []string{storeEnv, "gen", "--timeout", "1ms"})
				ts.Setenv(storeEnv, "")
			},
			"golden": func(ts *testscript.TestScript, _ bool, args []string) {
				o := inScript(ts, args[1:]...)
				file := filepath.Join(folder, args[0]+".txt")
				if *update {
					ts.Check(os.WriteFile(file, []byte(o.text()), 0o644))
				}
				holds(ts, o.text() == ts.ReadFile(file), o)
			},
			"newstore": func(ts *testscript.TestScript, _ bool, _ []string) {
				dir, err := os.MkdirTemp(ts.Getenv("WORK"), "")
				ts.Check(err)
				ts.Setenv(storeEnv, filepath.Join(dir, "workers.db"))
				ts.Check(os.WriteFile(ts.Getenv(storeEnv), nil, 0o600))
			},
			"lease": func(ts *testscript.TestScript, _ bool, _ []string) {
				newLease(t, openStore(t, ts.Getenv(storeEnv)))
				ts.Setenv("HOLDER", holder)
			},
			"sql": func(ts *testscript.TestScript, _ bool, args []string) {
				_, err := openStore(t, ts.Getenv(storeEnv)).Exec(args[0])
				ts.Check(err)
			},
		},
	})
}

// inScript runs the command as a line of a script says.
func inScript(ts *testscript.TestScript, args ...string) outcome {
	c := call{args: args, getenv: ts.Getenv}
	if n := len(args); n > 1 && args[n-2] == "<" {
		c.args, c.stdin = args[:n-2], ts.ReadFile(args[n-1])
	}
	o := c.run()
	for word := range strings.FieldsSeq(ts.Getenv("SECRET")) {
		holds(ts, !strings.Contains(strings.ToLower(o.out+o.err), word), o)
	}
	fmt.Fprint(ts.Stdout(), o.out)
	fmt.Fprint(ts.Stderr(), o.err)
	return o
}

// ending is for lines with a text, and the arguments with which the command has to end with a code. With -v it may say
// more before.
func ending(code int) scriptCommand {
	return func(ts *testscript.TestScript, _ bool, args []string) {
		for _, more := range [][]string{{"-v"}, nil} {
			o := inScript(ts, append(more, args[1:]...)...)
			last := o.err[strings.LastIndex(strings.TrimSuffix(o.err, "\n"), "\n")+1:]
			holds(ts, o.code == code && o.out == "", o)
			holds(ts, strings.HasPrefix(last, "uid: ") && strings.Contains(last, args[0]), o)
			holds(ts, more != nil || last == o.err, o)
		}
	}
}

func holds(ts *testscript.TestScript, is bool, o outcome) {
	if !is {
		ts.Fatalf("%s", o.text())
	}
}

// golden compares the outcome of a part of a command with the one in testdata.
func golden(t *testing.T, name string, f format, do func(tables) error) {
	t.Run(name, func(t *testing.T) {
		o := inProcess(f, do)
		file := filepath.Join("testdata", name+".txt")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(o.text()), 0o644))
		}
		require.Equal(t, string(must(os.ReadFile(file))), o.text())
	})
}

// What a line of a script cannot hold.
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
		require.Contains(t, call{args: tt.args, getenv: withKey}.fails(t, exitBadInput), tt.says)
	}
	store := newStore(t)
	ok(t, "segment", "set", "x", "--create", "--description", strings.Repeat("ü", 256), "--store", store)
}
