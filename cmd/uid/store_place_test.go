package main

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/cmd/uid/internal/cli"
	"github.com/uidgen/uid/cmd/uid/internal/clitest"
	"github.com/uidgen/uid/cmd/uid/internal/places"
)

// notStores are addresses of servers with a character wrong, DSNs, and variables that nobody has
// expanded. hunter2 is the password.
var notStores = []string{
	"mysql:/me:hunter2@h/db", "mysql:me:hunter2@h", "mysql//me:hunter2@h/db", "mysql/me:hunter2@h/db",
	"me:hunter2@tcp(127.0.0.1:1)/db", "/srv/hunter2@h.db", "redis:6379", "etcd//host/prefix", "127.0.0.1:2379",
	"$UID_STORE", "${DIR}.db", "%UID_STORE%", "hunter2", "workers.db ", "workers.db\n", ":memory:", "file:x.db",
	"sqlite://workers.db", "mysql://me:hunter 2@h/db", "mysqll://me:hunter2@h/db", "mysql://me:hunter2/x@h/db",
	"mysql://me:12/hunter2@h/db", "postgres://me:12?hunter2@h/db", "zookeeper://me:12/hunter2@h/0",
	"user=me password=hunter2/x dbname=db", "me%3Ahunter2%40h/db", "./hunter2.db?mode=ro", "workers.db/",
}

// storeCommands returns the words of each command that takes a store.
func storeCommands(t *testing.T) (all [][]string) {
	args := map[string]string{ // that come before the store is looked at
		"segment next": "x", "segment set": "x --create", "worker release": "1",
		"serve": "--listen 127.0.0.1:0 --resp-listen 127.0.0.1:0",
	}
	known := commands()
	// In order, so that serve is not the first: where a wrong store is not refused it goes on for ever.
	for _, words := range slices.Sorted(maps.Keys(known)) {
		if known[words].Flags().Lookup("store") != nil {
			all = append(all, strings.Fields(words+" "+args[words]))
			delete(args, words)
		}
	}
	require.Empty(t, args, "there are no such commands")
	require.Greater(t, len(all), 7)
	return append(all, []string{"gen", "--segment", "x", "--create"})
}

// Without a store no command does anything, nor makes a file in the home folder.
func TestNoStore(t *testing.T) {
	home := t.TempDir()
	for _, args := range storeCommands(t) {
		says := call{args: args, env: map[string]string{"HOME": home, "XDG_DATA_HOME": home}}.fails(t, cli.ExitBadInput)
		require.Equal(t, "no store is named: give --store, or set UID_STORE or UID_MYSQL_DSN (uid help stores)", says)
	}
	require.Empty(t, clitest.Must(os.ReadDir(home)))
}

// Every command refuses a text that names no store, leaves no file, and does not repeat the text.
func TestWhatIsNoStore(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range storeCommands(t) {
		for _, text := range notStores {
			for source, c := range map[string]call{
				"--store":       {args: append(args[:len(args):len(args)], "--store", text)},
				places.StoreEnv: {args: args, env: map[string]string{places.StoreEnv: text}},
			} {
				says := c.fails(t, cli.ExitBadInput)
				require.Contains(t, says, source, "%s of %s", text, args)
				require.Regexp(t, `a URL such as mysql://user:password@host:3306/database, .* `+
					`a path such as \./workers\.db, |: it has to be [a-z]+://user:password@host:|`+
					`none of .*:// \(a file needs no scheme\)`, says)
				require.NotContains(t, says, "hunter", text)
			}
		}
	}
	require.Empty(t, clitest.Must(os.ReadDir(".")))
}
