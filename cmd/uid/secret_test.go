package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSecrets looks for a password in all that the command says when something is
// wrong with a DSN, or with where it was put. What a server denies is tried in test/command.
func TestSecrets(t *testing.T) {
	const canary, user = "c4n4ry-passw0rd", "kestrel"
	dsn := func(rest string) string { return user + ":" + canary + "@" + rest }
	here := "tcp(127.0.0.1:1)/"

	for name, tt := range map[string]struct {
		args []string
		env  string
		url  string
		code int
	}{
		"refused":        {args: []string{"gen", "--timeout", "1ms", "--mysql", dsn("tcp(127.0.0.1:1)/x")}, code: exitFailure},
		"no such host":   {args: []string{"gen", "--timeout", "1ms"}, env: dsn("tcp(host.invalid:3306)/x"), code: exitFailure},
		"no database":    {args: []string{"gen"}, env: dsn(here), code: exitBadInput},
		"unreadable":     {args: []string{"gen", "--mysql", dsn("tcp(127.0.0.1:1")}, code: exitBadInput},
		"odd parameter":  {args: []string{"gen"}, env: dsn(here + "x?timeout=" + canary), code: exitBadInput},
		"odd TLS":        {args: []string{"gen"}, env: dsn(here + "x?tls=" + canary), code: exitBadInput},
		"other network":  {args: []string{"gen", "--timeout", "1ms"}, env: dsn("unix(/nowhere/" + canary + ")/x"), code: exitFailure},
		"no flag":        {args: []string{"gen", dsn(here)}, code: exitBadInput},
		"no command":     {args: []string{dsn(here)}, code: exitBadInput},
		"one dash":       {args: []string{"gen", "-mysql=" + dsn(here)}, code: exitBadInput},
		"misspelled":     {args: []string{"gen", "--mysq=" + dsn(here)}, code: exitBadInput},
		"no equals sign": {args: []string{"gen", "--mysql" + dsn(here)}, code: exitBadInput},
		"bad flag":       {args: []string{"gen", "--=" + dsn(here)}, code: exitBadInput},
		"as a file":      {args: []string{"gen", "--store", dsn(here)}, code: exitBadInput},
		"ls refused":     {args: []string{"worker", "ls", "--timeout", "1ms", "--mysql", dsn("tcp(127.0.0.1:1)/x")}, code: exitFailure},
		"ls unreadable":  {args: []string{"worker", "ls", "--mysql", dsn("tcp(127.0.0.1:1")}, code: exitBadInput},
		"release of DSN": {args: []string{"worker", "release", dsn(here + "x")}, code: exitBadInput},
		"odd namespace":  {args: []string{"worker", "release", dsn(here + "7"), "--store", storeWithLease(t)}, code: exitFailure},
		"worker no flag": {args: []string{"worker", dsn(here)}, code: exitBadInput},
		"as a URL":       {args: []string{"gen", "--timeout", "1ms", "--store", "mysql://" + dsn("127.0.0.1:1/x")}, code: exitFailure},
		"tags refused":   {args: []string{"segment", "ls", "--timeout", "1ms", "--mysql", dsn("tcp(127.0.0.1:1)/x")}, code: exitFailure},
		"next refused":   {args: []string{"segment", "next", "x", "--lossy-store", "--timeout", "1ms", "--mysql", dsn("tcp(127.0.0.1:1)/x")}, code: exitFailure},
		"DSN as a tag":   {args: []string{"gen", "--segment", dsn(here)}, code: exitBadInput},
		"tag of a DSN":   {args: []string{"segment", "set", dsn(here), "--create"}, code: exitBadInput},
		"tags of DSNs":   {args: []string{"segment", "ls", "x", dsn(here)}, code: exitBadInput},
		"DSN as a zone":  {args: []string{"gen", "--segment", "x", "--daily", "--zone", dsn(here)}, code: exitBadInput},
		"no such tag":    {args: []string{"segment", dsn(here)}, code: exitBadInput},
		"odd URL":        {args: []string{"worker", "ls"}, url: "mysql://" + dsn("127.0.0.1/x?tls="+canary), code: exitBadInput},
	} {
		for _, verbose := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				args := tt.args
				if verbose {
					args = append([]string{"-v"}, args...)
				}
				o := call{args: args, env: map[string]string{dsnEnv: tt.env, storeEnv: tt.url}}.run()
				require.Equal(t, tt.code, o.code, o.err)
				said := o.out + o.err
				require.NotEmpty(t, said)
				require.NotContains(t, said, canary)
				require.NotContains(t, said, user)
				last := said[strings.LastIndex(strings.TrimSpace(said), "\n")+1:]
				require.True(t, strings.HasPrefix(last, "uid: "), said)
			})
		}
	}
}
