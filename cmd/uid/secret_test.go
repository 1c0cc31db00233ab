package main

import (
	"crypto/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/testserver"
)

// TestSecrets looks for a password in all that the command says when something is
// wrong with a DSN, or with where it was put.
func TestSecrets(t *testing.T) {
	const canary, user = "c4n4ry-passw0rd", "kestrel"
	s := testserver.Shared(t)
	database := s.NewDatabase(t)
	dsn := func(rest string) string { return user + ":" + canary + "@" + rest }
	here := "tcp(" + s.Addr() + ")/"

	for name, tt := range map[string]struct {
		args []string
		env  string
		url  string
		code int
	}{
		"refused":        {args: []string{"gen", "--timeout", "1ms", "--mysql", dsn("tcp(127.0.0.1:1)/x")}, code: exitFailure},
		"no such host":   {args: []string{"gen", "--timeout", "1ms"}, env: dsn("tcp(host.invalid:3306)/x"), code: exitFailure},
		"access denied":  {args: []string{"gen"}, env: dsn(here + database), code: exitFailure},
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
		"check denied":   {args: []string{"worker", "check"}, env: dsn(here + database), code: exitFailure},
		"ls unreadable":  {args: []string{"worker", "ls", "--mysql", dsn("tcp(127.0.0.1:1")}, code: exitBadInput},
		"release of DSN": {args: []string{"worker", "release", dsn(here + database)}, code: exitBadInput},
		"odd namespace":  {args: []string{"worker", "release", dsn(here + "7"), "--store", storeWithLease(t)}, code: exitFailure},
		"worker no flag": {args: []string{"worker", dsn(here)}, code: exitBadInput},
		"as a URL":       {args: []string{"gen", "--timeout", "1ms", "--store", "mysql://" + dsn("127.0.0.1:1/x")}, code: exitFailure},
		"URL denied":     {args: []string{"worker", "ls"}, url: "mysql://" + dsn(s.Addr()+"/"+database), code: exitFailure},
		"tags refused":   {args: []string{"segment", "ls", "--timeout", "1ms", "--mysql", dsn("tcp(127.0.0.1:1)/x")}, code: exitFailure},
		"tags denied":    {args: []string{"segment", "ls"}, env: dsn(here + database), code: exitFailure},
		"next denied":    {args: []string{"segment", "next", "x"}, env: dsn(here + database), code: exitFailure},
		"next unchecked": {args: []string{"segment", "next", "x", "--lossy-store", "--timeout", "1s"}, env: dsn(here + database), code: exitFailure},
		"next refused":   {args: []string{"segment", "next", "x", "--lossy-store", "--timeout", "1ms", "--mysql", dsn("tcp(127.0.0.1:1)/x")}, code: exitFailure},
		"set denied":     {args: []string{"segment", "set", "x", "--create"}, url: "mysql://" + dsn(s.Addr()+"/"+database), code: exitFailure},
		"gen of a tag":   {args: []string{"gen", "--segment", "x", "--lossy-store", "--timeout", "1s"}, env: dsn(here + database), code: exitFailure},
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

// TestMySQLGen is the main job, with an account of its own.
func TestMySQLGen(t *testing.T) {
	s := testserver.Shared(t)
	database := s.NewDatabase(t)
	user, password := "gen_"+strings.ToLower(rand.Text()[:12]), rand.Text()
	db := s.Open(t, database)
	db.MustExec("CREATE USER '" + user + "'@'%' IDENTIFIED BY '" + password + "'")
	t.Cleanup(func() { db.MustExec("DROP USER '" + user + "'@'%'") })
	db.MustExec("GRANT CREATE, INSERT, SELECT, UPDATE ON " + database + ".* TO '" + user + "'@'%'")

	cfg := s.Config(database)
	cfg.User, cfg.Passwd = user, password
	for _, workerID := range []string{"\t1\t", "\t2\t"} {
		made := call{args: []string{"gen", "-v"}, env: map[string]string{dsnEnv: cfg.FormatDSN()}}.run()
		require.Zero(t, made.code, made.err)
		require.NotContains(t, made.out+made.err, password)
		read := call{args: []string{"parse", "--format", "plain"}, stdin: made.out}.run()
		require.Zero(t, read.code, read.err)
		require.Equal(t, 5, strings.Count(read.out, workerID), read.out)
	}
}
