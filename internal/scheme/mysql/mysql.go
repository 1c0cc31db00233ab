// Package mysql opens MySQL and MariaDB, for package connect by URL, and for the command by DSN.
package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"net"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/uidgen/uid"
	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/scheme/tables"
)

func init() {
	scheme.Register(scheme.Driver{
		Schemes: []string{"mysql", "mariadb"},
		Form:    "mysql://user:password@host:3306/database",
		Secure:  "?tls=true",
		Port:    "3306",
		SQL:     true,
		Open:    openURL,
	})
}

func openURL(_ context.Context, u *scheme.URL, o scheme.Options) (*scheme.Store, error) {
	if len(u.Hosts) != 1 {
		return nil, u.Bad("names several hosts")
	}
	if u.Path == "" {
		return nil, u.Bad("names no database")
	}
	cfg, err := config(u)
	if err != nil {
		return nil, u.Bad("has a parameter that the driver does not know or cannot read")
	}
	return open(cfg, u.Bad, o)
}

func config(u *scheme.URL) (*mysql.Config, error) {
	// The driver reads a list of charsets as it stands, and most other values unescaped.
	params := strings.ReplaceAll(u.Params.Encode(), "%2C", ",")
	cfg, err := mysql.ParseDSN("tcp(" + u.Hosts[0] + ")/?" + params)
	if err == nil {
		cfg.User, cfg.Passwd, cfg.DBName = u.User, u.Password, u.Path
	}
	return cfg, err
}

// OpenDSN opens what a DSN of the driver names, user:password@tcp(host:3306)/database. It returns an error
// that wraps [uid.ErrConfig] where the DSN cannot be used. It hides the driver's texts, its errors as well as
// what it would print on standard error: they may quote the DSN. The caller closes the store.
func OpenDSN(dsn string, o scheme.Options) (*scheme.Store, error) {
	bad := func(why string) error {
		return fmt.Errorf("%w: the DSN %s: it has to be user:password@tcp(host:3306)/database", uid.ErrConfig, why)
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
	return open(cfg, bad, o)
}

// namesHost reports whether a DSN, of which cfg is what the driver has read, says where the
// server is. The driver takes localhost where it does not, and $HOST means another.
func namesHost(dsn string, cfg *mysql.Config) bool {
	address := dsn[:strings.LastIndexByte(dsn, '/')] // the driver has found one
	if !strings.HasSuffix(address, ")") || strings.HasSuffix(address, "()") {
		return false
	}
	host, _, err := net.SplitHostPort(cfg.Addr)
	return cfg.Net != "tcp" || err != nil || host != ""
}

func open(cfg *mysql.Config, bad func(why string) error, o scheme.Options) (*scheme.Store, error) {
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, bad("cannot be used")
	}
	return tables.OfServer(sql.OpenDB(connector), o)
}
