package databases_test

import (
	"context"
	"errors"
	"log"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
	"github.com/uidgen/uid/test/engines"
	"github.com/uidgen/uid/test/harness"
)

// canary is a password that turns up wherever one may stand by mistake.
const canary = "hunter2"

// Whatever part of a DSN fails, no text tells any of it.
func TestNoSecretsInTexts(t *testing.T) {
	t.Setenv("MYSQL_PWD", canary)
	t.Setenv("UID_MYSQL_DSN", "user:"+canary+"@tcp(db)/x")
	var drivers logtest.Records
	driverLog := log.New(&drivers, "", 0)
	mysql.RegisterDialContext("leaky", func(_ context.Context, addr string) (net.Conn, error) {
		return nil, errors.New("cannot dial user:" + canary + "@" + addr)
	})
	t.Cleanup(func() { mysql.DeregisterDialContext("leaky") })

	all := engines.NewMySQL(t)
	admin := all.Open(t)
	acquire(t, admin, asked{})
	known, err := mysql.ParseDSN(all.Source)
	require.NoError(t, err)
	account := "u_" + canary + "_" + known.DBName[len(known.DBName)-6:]
	engines.Do(t, admin, "CREATE USER '"+account+"'@'%' IDENTIFIED BY '"+canary+"'", "GRANT SELECT ON "+known.DBName+".* TO '"+account+"'@'%'")
	t.Cleanup(func() { engines.Do(t, admin, "DROP USER '"+account+"'@'%'") })

	for _, c := range []struct {
		name   string
		change func(*mysql.Config)
	}{
		{"user", func(c *mysql.Config) { c.User, c.Passwd = canary, canary }},
		{"password", func(c *mysql.Config) { c.User, c.Passwd = account, canary+"x" }},
		{"host name", func(c *mysql.Config) { c.Addr = canary + ".invalid:3306" }},
		{"port", func(c *mysql.Config) { c.Addr = "127.0.0.1:" + canary }},
		{"socket", func(c *mysql.Config) { c.Net, c.Addr = "unix", "/"+canary }},
		{"network", func(c *mysql.Config) { c.Net = canary }},
		{"refused", func(c *mysql.Config) { c.Addr = "127.0.0.1:1" }},
		{"dialer", func(c *mysql.Config) { c.Net = "leaky" }},
		{"database", func(c *mysql.Config) { c.DBName = canary }},
		{"database denied", func(c *mysql.Config) { c.User, c.Passwd, c.DBName = account, canary, canary }},
		{"right denied", func(c *mysql.Config) { c.User, c.Passwd = account, canary }},
		{"parameter", func(c *mysql.Config) { c.Params = map[string]string{canary: "1"} }},
		{"parameter's value", func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "'" + canary + "'"} }},
		{"parameter's syntax", func(c *mysql.Config) { c.Params = map[string]string{"sql_mode": "'" + canary} }},
		{"TLS name", func(c *mysql.Config) {
			c.TLSConfig = "true"
			c.Addr = "localhost" + c.Addr[strings.Index(c.Addr, ":"):]
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var logged logtest.Records
			db := all.With(t, func(cfg *mysql.Config) {
				cfg.Passwd = canary
				c.change(cfg)
			}).OpenLogged(t, driverLog)
			d := newAsker(t, db, asked{Timeout: 200 * time.Millisecond, Logger: logged.Logger()})
			_, err := d.acquire(t.Context(), 1023)
			require.Error(t, err)
			said := logtest.Texts(err) + logged.String() + drivers.String()
			require.NotContains(t, strings.ToLower(said), canary)
		})
	}
	t.Run("trigger's text", func(t *testing.T) {
		engines.Do(t, admin, "CREATE TRIGGER teller BEFORE INSERT ON WORKER_NODE FOR EACH ROW SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = '"+canary+"'")
		defer engines.Do(t, admin, "DROP TRIGGER teller")
		_, err := newAsker(t, admin, asked{}).acquire(t.Context(), 1023)
		require.ErrorContains(t, err, "1644")
		require.NotContains(t, logtest.Texts(err), canary)
	})
	t.Run("success", func(t *testing.T) {
		var logged logtest.Records
		p := harness.NewProxy(t, serverOf(t, all))
		engines.Do(t, admin, "GRANT INSERT ON "+known.DBName+".* TO '"+account+"'@'%'")
		db := all.With(t, func(c *mysql.Config) { c.User, c.Passwd, c.Addr = account, canary, p.Addr() }).OpenLogged(t, driverLog)
		defer db.Close()
		p.SwallowReply("COMMIT")
		acquire(t, db, asked{Logger: logged.Logger()})
		require.Equal(t, 1, p.Swallowed())
		require.Equal(t, 1, logged.Count("trying again"))
		require.NotContains(t, logged.String()+drivers.String(), canary)
	})
}
