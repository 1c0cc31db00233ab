package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// No error repeats any of what was typed.
func TestBadStoreURLs(t *testing.T) {
	const canary = "hunter2"
	for text, says := range map[string]string{
		"oracle://hunter2@h/x":                          "begins with none of etcd://, mysql://, mariadb://, postgres://, postgresql://, redis://",
		"://hunter2":                                    "begins with none of",
		"hunter2://":                                    "begins with none of",
		"mysql://me:hunter2 x@h/x":                      "has a space",
		"mysql://me:hunter2\n@h/x":                      "has a space or a control character",
		"mysql://me:hunter2#@h/x":                       "has a #, which is written as %23",
		"mysql://me:hunter2@x@h/x":                      "unreadable user or password",
		"mysql://me:hunter2%@h/x":                       "unreadable user or password",
		"mysql://me:hunter2%zz@h/x":                     "written as %2F %3A %40 %23 %3F %25",
		"mysql://me:hunter2/@h/x":                       "unreadable user or password",
		"mysql://me:hunter2?@h/x":                       "unreadable user or password",
		"mysql://me:12/hunter2@h/x":                     "unreadable user or password",
		"mysql://hunter2/x:y@h/x":                       "unreadable user or password",
		"redis://hunter2?x:y@h/x":                       "unreadable user or password",
		"mysql://me:hunter2@h:0/x":                      "unreadable host or port",
		"mysql://me:hunter2@h:65536/x":                  "unreadable host or port",
		"mysql://me:hunter2@h:x/x":                      "unreadable host or port",
		"mysql://me:hunter2@::1/x":                      "unreadable host or port",
		"mysql://me:hunter2@/x":                         "unreadable host or port",
		"mysql://me:hunter2@h/%zz":                      "unreadable path",
		"mysql://me:hunter2@h/x?a=%zz":                  "unreadable parameters",
		"mysql://me:hunter2@h/x?tls=true&tls=false":     "has a parameter twice",
		"mysql://me:hunter2@h/x?tls=hunter2":            "",
		"mysql://me:hunter2@h/x?timeout=hunter2":        "parameter that the driver",
		"mysql://me:hunter2@h/":                         "names no database",
		"mysql://me:hunter2@h":                          "it has to be mysql://user:password@host:3306/database",
		"mysql://me:hunter2@h,i/x":                      "names several hosts",
		"postgres://me:hunter2@h":                       "names no database",
		"postgres://me:hunter2@h/x?sslmode=hunter2":     "cannot be read",
		"postgres://me:hunter2@h/x?sslrootcert=hunter2": "cannot be read",
		"etcd://me:hunter2@h/x?hunter2=1":               "has an unknown parameter; known are clockerror, tls, cacert, cert, key",
		"etcd://me:hunter2@h/x?tls=hunter2":             "neither true nor false",
		"etcd://me:hunter2@h/x?clockerror=hunter2":      "no duration above 0",
		"etcd://me:hunter2@h/x?cacert=hunter2":          "names no PEM file",
		"etcd://me:hunter2@h/x?cert=hunter2":            "only one of cert and key",
		"etcd://me:hunter2@h/x?cert=hunter2&key=b":      "name no PEM files of a pair",
		"etcd://me:hunter2@h/x?tls=false&cacert=b":      "tls=false and a certificate",
		"etcd://127.0.0.1:1/hunter2%20b":                "has a path that cannot be used",
		"zookeeper://me:hunter2@h/x?prefix=hunter2":     "has an unknown parameter",
		"zookeeper://127.0.0.1:1/a/../hunter2":          "has a path that cannot be used",
		"redis://me:hunter2@h/hunter2":                  "cannot read",
		"redis://me:hunter2@h/0?hunter2=1":              "does not know",
		"redis://me:hunter2@h/0?prefix=hunter2%20b":     "has a prefix that cannot be used",
		"redis://me:hunter2@h,i/1":                      "a database other than 0",
		"me:hunter2@tcp(127.0.0.1:1)/x":                 "a DSN is for --mysql or UID_MYSQL_DSN",
	} {
		for _, c := range []call{
			{args: []string{"worker", "ls", "--timeout", "1ms", "--store", text}},
			{args: []string{"gen", "-v", "--timeout", "1ms"}, env: map[string]string{storeEnv: text}},
		} {
			o := c.run()
			require.Equal(t, exitBadInput, o.code, "%s: %s", text, o.err)
			require.Contains(t, o.err, says, text)
			require.NotContains(t, o.out+o.err, canary)
			source := "--store"
			if c.env != nil {
				source = storeEnv
			}
			require.Contains(t, o.err, source)
		}
	}
}

// What is given first counts.
func TestStorePrecedence(t *testing.T) {
	file, other := newStore(t), missingStore(t)
	env := func(pairs ...string) map[string]string {
		m := map[string]string{}
		for i := 0; i < len(pairs); i += 2 {
			m[pairs[i]] = pairs[i+1]
		}
		return m
	}
	for _, c := range []call{
		{args: []string{"gen", "--store", file}, env: env(storeEnv, other, dsnEnv, "nonsense")},
		{args: []string{"gen"}, env: env(storeEnv, file, dsnEnv, "nonsense")},
	} {
		o := c.run()
		require.Zero(t, o.code, o.err)
	}
	require.Contains(t, ok(t, "worker", "ls", "--json", "--store", file), `"used":3`) // one is a mark
	require.NoFileExists(t, other)
	require.Contains(t, call{args: []string{"gen"}, env: env(dsnEnv, "nonsense")}.fails(t, exitBadInput), dsnEnv+": the DSN cannot be read")
	require.Contains(t, call{args: []string{"gen", "--store", file, "--mysql", "x"}}.fails(t, exitBadInput), "exclude each other")
	require.Contains(t, call{args: []string{"gen", "--namespace", "x", "--store", file}}.fails(t, exitBadInput), "--namespace is for stores that lease IDs")
}

func TestRanges(t *testing.T) {
	file := missingStore(t)
	for text, says := range map[string]string{
		"5": "such as 0-1023", "a-b": "such as 0-1023", "-1-5": "such as 0-1023", "5-": "such as 0-1023", "7-5": "7 is above 5", "0-0": "worker ID 0 alone",
		"0-4194304": "the worker IDs 0 to 4194303", "9223372036854775808-9223372036854775809": "such as",
	} {
		require.Contains(t, call{args: []string{"worker", "init", "--store", file, "--ids=" + text}}.fails(t, exitBadInput), says)
	}
	require.NoFileExists(t, file)
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.Equal(t, "namespace \"eu\" is in "+file+", for the layout 41/10/12 unit=1ms epoch=2010-11-04T01:42:54.657Z, with the worker IDs 512 to 1023\n",
		ok(t, "worker", "init", "--store", file, "--namespace", "eu", "--ids", "512-1023", "--layout", "twitter"))
	require.Contains(t, ok(t, "worker", "init", "--json", "--store", file, "--namespace", "one", "--ids", "7-7"), `"range":"7-7"`)
	all := lines(t, ok(t, "worker", "ls", "--json", "--store", file))
	require.Len(t, all, 2)
	require.Equal(t, "512-1023", all[0]["range"])
	require.EqualValues(t, 512, all[0]["worker_ids"])
	require.EqualValues(t, 512, all[0]["left"])
	require.EqualValues(t, 1, all[1]["left"])
	require.Contains(t, ok(t, "worker", "check", "--json", "--store", file), "512 can be had, of 512 (the worker IDs 512 to 1023)")
	require.Contains(t, call{args: []string{"worker", "init", "--store", file, "--namespace", "eu", "--ids", "0-511", "--layout", "twitter"}}.fails(t, exitFailure), "512 to 1023")
}

// A URL that names a namespace has the commands lease there.
func TestNamespaceOfURL(t *testing.T) {
	url := "sqlite:" + newStore(t) + "?namespace=eu"
	require.Contains(t, ok(t, "worker", "init", "--store", url), `namespace "eu" is in `)
	require.Contains(t, call{args: []string{"gen", "--store", url, "--lossy-store"}}.fails(t, exitBadInput), "what this store loses is made up for")
	ok(t, "gen", "-n", "1", "--store", url)
	require.Contains(t, ok(t, "worker", "ls", "--json", "--store", url), `"namespace":"eu"`)
	require.NotContains(t, ok(t, "worker", "ls", "--json", "--store", url), `"namespace":"default"`)
	require.Contains(t, ok(t, "backfill", "--store", url, "--format", "json", "2026-01-02"), `"worker_id":`)
}

// A store is named without the account and the password that its DSN has.
func TestStoreTellsNoSecret(t *testing.T) {
	require.Equal(t, "a MySQL or MariaDB server", choice{dsn: "me:hunter2@tcp(db:3306)/shop"}.String())
}
