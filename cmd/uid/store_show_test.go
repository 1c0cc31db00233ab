package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStoreIsShown(t *testing.T) {
	data := t.TempDir()
	env := map[string]string{"XDG_DATA_HOME": data}
	file := filepath.Join(data, "uid", "workers.db")
	show := func(args ...string) outcome { return call{args: append([]string{"store"}, args...), env: env}.run() }

	o := show()
	require.Equal(t, outcome{0, "store                " + file + "\ngiven by             nobody: it is the default\n", "uid: there is no such file; uid gen makes it\n"}, o)
	o = show("--json")
	require.JSONEq(t, `{"store":"`+file+`","given_by":"default","bytes":null,"disposable_ids":null,"namespaces":null,"live_leases":null,"tags":null}`, o.out)
	require.NoDirExists(t, filepath.Join(data, "uid"), "showing creates nothing")

	used := storeWithLease(t)
	ok(t, "segment", "set", "x", "--create", "--store", used)
	env[storeEnv] = used
	o = show()
	require.Zero(t, o.code, o.err)
	require.Regexp(t, `^store                `+used+`
given by             UID_STORE
bytes                [1-9][\d,]+
disposable IDs used  1
namespaces           1
live leases          1
tags of numbers      1
$`, o.out)
	o = show("--format", "plain", "--store", used)
	require.Regexp(t, `^`+used+`	--store	\d+	1	1	1	1\n$`, o.out)

	// Of servers it names the kind, and not more; these cannot be reached.
	for _, args := range [][]string{
		{"--store", "mysql://kestrel:hunter2@127.0.0.1:1/x"}, {"--mysql", "kestrel:hunter2@tcp(127.0.0.1:1)/x"}, {"--store", "redis://:hunter2@127.0.0.1:1/0"},
	} {
		o = show(append(args, "--timeout", "1ms")...)
		require.Equal(t, exitFailure, o.code)
		require.NotContains(t, o.out+o.err, "hunter2")
		require.NotContains(t, o.out+o.err, "kestrel")
	}
	for want, place := range map[string]choice{
		"a server of mysql://":      {url: storeAt(t, "mariadb://me:hunter2@h/x"), source: "--store"},
		"a server of redis://":      {url: storeAt(t, "rediss://me:hunter2@h/0"), source: "--store"},
		"a MySQL or MariaDB server": {dsn: "me:hunter2@tcp(h)/x", source: "--mysql"},
	} {
		name, _, there := describePlace(place)
		require.Equal(t, want, name)
		require.True(t, there)
	}
}

func TestStoreMove(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "a.db"), filepath.Join(folder, "b.db")
	require.NoError(t, os.WriteFile(from, nil, 0o600))
	ok(t, "gen", "-n", "1", "--store", from)
	require.NoError(t, os.WriteFile(to, nil, 0o600))
	require.Contains(t, call{args: []string{"store", "move", to, "--store", from}}.fails(t, exitFailure), "there is something at "+to+" already")
	require.NoError(t, os.Remove(to))

	require.Equal(t, "moved "+from+" to "+to+"\nname it from now on, with UID_STORE or --store\n", ok(t, "store", "move", to, "--store", from))
	require.NoFileExists(t, from)
	require.Contains(t, ok(t, "gen", "-n", "1", "--json", "--store", to), `"worker_id":2`, "it goes on where it was")

	require.NoError(t, os.Symlink(to, from))
	require.Equal(t, `{"from":"`+to+`","to":"`+from+`2"}`+"\n", ok(t, "store", "move", from+"2", "--store", from, "--json"), "what the link leads to")
	require.Contains(t, call{args: []string{"store", "move", to, "--store", from}}.fails(t, exitFailure), "no store: ")
	require.Contains(t, call{args: []string{"store", "move", filepath.Join(folder, "none", "c.db"), "--store", from + "2"}}.fails(t, exitFailure), "c.db")
	require.FileExists(t, from+"2")
}

func TestLiveLeasesStay(t *testing.T) {
	from := storeWithLease(t)
	to := missingStore(t)
	require.Equal(t, from+" has 1 live lease, whose holders would fail: --force moves it all the same",
		call{args: []string{"store", "move", to, "--store", from}}.fails(t, exitFailure))
	require.NoFileExists(t, to)
	ok(t, "store", "move", to, "--store", from, "--force")
	require.Contains(t, ok(t, "worker", "ls", "--json", "--store", to), `"state":"live"`)
}

func TestStoreRemove(t *testing.T) {
	file := storeWithLease(t)
	ok(t, "segment", "set", "x", "--create", "--store", file)
	require.Equal(t, file+" holds 1 disposable ID, 1 namespace, 1 lease, 1 tag, which could come again in a new one: --force removes it all the same",
		call{args: []string{"store", "remove", "--store", file}}.fails(t, exitFailure))
	require.FileExists(t, file)
	require.Equal(t, "removed "+file+"\n", ok(t, "store", "remove", "--store", file, "--force"))
	require.NoFileExists(t, file)
	require.Contains(t, call{args: []string{"store", "remove", "--store", file, "--force"}}.fails(t, exitFailure), "no store: ")

	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Equal(t, `{"removed":"`+file+`"}`+"\n", ok(t, "store", "remove", "--store", file, "--json"), "nothing is in it")
}

// A file that somebody is writing to stays where it is, and so does one with a journal.
func TestStoreInUseStays(t *testing.T) {
	file, to := newStore(t), missingStore(t)
	ok(t, "gen", "-n", "1", "--store", file)
	db := openStore(t, file)
	tx, err := db.Beginx()
	require.NoError(t, err)
	for _, args := range [][]string{{"move", to}, {"remove", "--force"}} {
		o := call{args: append([]string{"store", "--store", file, "--timeout", "100ms"}, args...)}.run()
		require.Equal(t, exitFailure, o.code)
		require.True(t, strings.HasPrefix(o.err, "uid: ") || strings.HasPrefix(o.err, "level=WARN"), o.err)
		require.FileExists(t, file)
	}
	p := &program{getenv: noEnv}
	r := p.newTables()
	r.store.timeout = spanFlag(100 * time.Millisecond)
	require.Error(t, r.alone(t.Context(), file, func() error { return os.Remove(file) }))
	require.FileExists(t, file)
	require.NoError(t, tx.Rollback())

	_, err = db.Exec("PRAGMA journal_mode = WAL")
	require.NoError(t, err)
	_, err = db.Exec("CREATE TABLE x (id INTEGER)")
	require.NoError(t, err)
	require.Contains(t, call{args: []string{"store", "remove", "--force", "--store", file}}.fails(t, exitFailure), file+"-wal holds a part of the data")
	require.FileExists(t, file)
	require.NoError(t, db.Close())
	ok(t, "store", "remove", "--force", "--store", file)
}
