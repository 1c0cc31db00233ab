package main

import (
	"context"
	"database/sql"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
)

// mySQL stands for MariaDB, Galera and TiDB, too. The parameters of its URLs are those of the
// driver's DSNs.
var mySQL = engine{
	schemes: []string{"mysql", "mariadb"},
	form:    "mysql://user:password@host:3306/database",
	secure:  "?tls=true",
	port:    "3306",
	sql:     true,
	open: func(_ context.Context, u *storeURL, s settings) (*workerStore, error) {
		if len(u.hosts) != 1 {
			return nil, u.bad("names several hosts")
		}
		if u.path == "" {
			return nil, u.bad("names no database")
		}
		cfg, err := mysql.ParseDSN("tcp(" + u.hosts[0] + ")/?" + u.params.Encode())
		if err != nil {
			return nil, u.bad("has a parameter that the driver does not know or cannot read")
		}
		cfg.User, cfg.Passwd, cfg.DBName = u.user, u.password, u.path
		return openMySQL(cfg, u.bad, s)
	},
}

// openDSN opens what a DSN of the driver names. It hides the driver's texts, its errors as well
// as what it would print on standard error: they may quote the DSN.
func openDSN(dsn, source string, s settings) (*workerStore, error) {
	bad := func(why string) error {
		return badInput("the DSN of %s %s: it has to be user:password@tcp(host:3306)/database", source, why)
	}
	cfg, err := mysql.ParseDSN(dsn)
	if err != nil {
		return nil, bad("cannot be read")
	}
	if cfg.DBName == "" {
		return nil, bad("names no database")
	}
	if !namesHost(dsn, cfg) {
		return nil, bad("names no host")
	}
	return openMySQL(cfg, bad, s)
}

// namesHost reports whether a DSN, of which cfg is what the driver has read, says where the
// server is. The driver takes localhost where it does not, and whoever wrote $HOST meant another.
func namesHost(dsn string, cfg *mysql.Config) bool {
	address := dsn[:strings.LastIndexByte(dsn, '/')] // the driver has found one
	if !strings.HasSuffix(address, ")") || strings.HasSuffix(address, "()") {
		return false
	}
	host, _, err := net.SplitHostPort(cfg.Addr)
	return cfg.Net != "tcp" || err != nil || host != ""
}

func openMySQL(cfg *mysql.Config, bad func(why string) error, s settings) (*workerStore, error) {
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, bad("cannot be used")
	}
	return sqlStore(pooled(sqlx.NewDb(sql.OpenDB(connector), "mysql")), s)
}
