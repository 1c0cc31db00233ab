// Package postgres lets package connect open postgres:// and postgresql:// URLs, by pgx. They are as libpq knows them,
// with its parameters, environment variables and password file, and the parameters namespace and ids.
package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/uidgen/uid/internal/scheme"
	"github.com/uidgen/uid/internal/scheme/tables"
)

func init() {
	scheme.Register(scheme.Driver{
		Schemes: []string{"postgres", "postgresql"},
		Form:    "postgres://user:password@host:5432/database",
		Secure:  "?sslmode=verify-full",
		Port:    "5432",
		SQL:     true,
		Open:    open,
	})
}

func open(_ context.Context, u *scheme.URL, o scheme.Options) (*scheme.Store, error) {
	if u.Path == "" {
		return nil, u.Bad("names no database")
	}
	cfg, err := config(u)
	if err != nil {
		return nil, u.Bad("cannot be read, or has a parameter that cannot be used") // pgx quotes it
	}
	return tables.OfServer(stdlib.OpenDB(*cfg), o)
}

// config reads a URL. By default pgx prepares each query whose text is new to a connection, which
// is a round trip more, and fails behind a pooler that does not track what is prepared.
func config(u *scheme.URL) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(u.String())
	if err == nil && !u.Params.Has("default_query_exec_mode") {
		cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	return cfg, err
}
