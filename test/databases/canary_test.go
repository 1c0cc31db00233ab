package databases_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/internal/registry"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/engines/cluster"
	"github.com/uidgen/uid/worker/lease"
)

// canary is a password that turns up wherever one may stand by mistake.
const canary = "hunter2"

// tells requires that nothing that is told of a database, by any call, has the canary. It returns the errors of all
// calls but the doctor's.
func tells(t *testing.T, db *sqlx.DB) []error {
	t.Helper()
	var logged logtest.Records
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	const limit = 100 * time.Millisecond
	logger := logged.Logger()
	r := must(registry.New(examined(db), registry.Config{Timeout: limit, Logger: logger}))
	cfg := doctor.Config{Terms: layoutTerms, Timeout: limit, Logger: logger}
	findings, checked := doctor.Check(ctx, examined(db), cfg)
	n := strangerOf(db, "")
	_, acquired := newAsker(db, asked{Timeout: limit, Logger: logger}).acquire(ctx, 1023)
	_, overview := r.Overview(ctx, 0)
	_, released := r.Release(ctx, "", 0, true)
	_, taken := n.tryTake(ctx)
	errs := []error{acquired, taken, lease.Found(ctx, n, lease.Founding{Layout: milliseconds}), overview, released}
	said := fmt.Sprintf("%+v", findings) + logged.String()
	for _, err := range append(errs, checked) {
		said += logtest.Texts(err)
	}
	require.NotContains(t, strings.ToLower(said), canary)
	require.NotRegexp(t, `\*[0-9A-F]{8}`, said, "a password's hash")
	return errs
}

// Whatever part of a DSN fails, no text tells any of it, nor any name or password that a server knows.
func TestNoSecretsInTexts(t *testing.T) {
	engines.Needs(t, "mysql")
	t.Setenv("MYSQL_PWD", canary)
	t.Setenv("UID_MYSQL_DSN", "user:"+canary+"@tcp(db)/x")
	var drivers logtest.Records
	mysql.RegisterDialContext("leaky", func(_ context.Context, addr string) (net.Conn, error) {
		return nil, errors.New("cannot dial user:" + canary + "@" + addr)
	})
	t.Cleanup(func() { mysql.DeregisterDialContext("leaky") })

	server := cluster.Shared(t)
	name := func() string { return canary + "_" + strings.ToLower(rand.Text()[:8]) }
	database, account, role := name(), name(), name()
	root := server.Open(t, "")
	engines.Do(t, root, "CREATE DATABASE "+database)
	all := store{Driver: "mysql", Source: server.DSN(database)}
	admin := all.Open(t)
	both(t, admin)
	engines.Do(t, admin, "CREATE USER '"+account+"'@'%' IDENTIFIED BY '"+canary+"'",
		"CREATE ROLE "+role, "GRANT "+role+" TO '"+account+"'@'%'",
		"GRANT SELECT, UPDATE (HOLDER), DROP ON "+database+".WORKER_LEASE TO '"+account+"'@'%' WITH GRANT OPTION",
		"GRANT SELECT ON "+database+".* TO '"+account+"'@'%'")
	t.Cleanup(func() {
		engines.Do(t, root, "DROP DATABASE "+database, "DROP USER '"+account+"'@'%'", "DROP ROLE "+role)
	})

	for name, change := range map[string]func(*mysql.Config){
		"as it is":  func(*mysql.Config) {},
		"user":      func(c *mysql.Config) { c.User = canary },
		"password":  func(c *mysql.Config) { c.Passwd = canary + "x" },
		"host name": func(c *mysql.Config) { c.Addr = canary + ".invalid:3306" },
		"port":      func(c *mysql.Config) { c.Addr = "127.0.0.1:" + canary },
		"socket":    func(c *mysql.Config) { c.Net, c.Addr = "unix", "/"+canary },
		"network":   func(c *mysql.Config) { c.Net = canary },
		"refused":   func(c *mysql.Config) { c.Addr = "127.0.0.1:1" },
		"dialer":    func(c *mysql.Config) { c.Net = "leaky" },
		"database": func(c *mysql.Config) {
			c.User, c.Passwd, c.DBName = server.Config("").User, server.Config("").Passwd, canary
		},
		"database denied":    func(c *mysql.Config) { c.DBName = canary },
		"parameter":          func(c *mysql.Config) { c.Params = map[string]string{"namspace": canary} },
		"parameter's value":  func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "'" + canary + "'"} },
		"parameter's syntax": func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "'" + canary} },
		"TLS name": func(c *mysql.Config) {
			c.TLSConfig = "true"
			c.Addr = "localhost" + c.Addr[strings.Index(c.Addr, ":"):]
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := all.With(t, func(c *mysql.Config) {
				c.User, c.Passwd = account, canary
				change(c)
			}).OpenLogged(t, log.New(&drivers, "", 0))
			errs := tells(t, db)
			require.Error(t, errs[0])
			require.NotContains(t, strings.ToLower(drivers.String()), canary)
			if name == "parameter" {
				require.ErrorContains(t, errs[0], "Unknown system variable 'namspace'")
			}
			if name == "refused" {
				for _, err := range errs {
					require.ErrorContains(t, err, "dial 127.0.0.1:1: ")
				}
			}
		})
	}
	t.Run("root", func(t *testing.T) { tells(t, admin) })
	t.Run("trigger's text", func(t *testing.T) {
		engines.Do(t, admin, "CREATE TRIGGER teller BEFORE INSERT ON WORKER_NODE FOR EACH ROW "+
			"SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '"+canary+"'")
		defer engines.Do(t, admin, "DROP TRIGGER teller")
		require.ErrorContains(t, tells(t, admin)[0], "1644")
	})
	t.Run("success", func(t *testing.T) {
		var logged logtest.Records
		p, through := all.Proxied(t)
		engines.Do(t, admin, "GRANT INSERT ON "+database+".* TO '"+account+"'@'%'")
		cut := through.With(t, func(c *mysql.Config) { c.User, c.Passwd = account, canary })
		db := cut.OpenLogged(t, log.New(&drivers, "", 0))
		defer db.Close()
		p.SwallowReply("COMMIT")
		acquire(t, db, asked{Logger: logged.Logger()})
		require.Equal(t, 1, p.Swallowed())
		require.Equal(t, 1, logged.Count("trying again"))
		require.NotContains(t, logged.String()+drivers.String(), canary)
	})
}
