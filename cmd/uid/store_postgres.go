package main

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
)

// postgres has URLs as libpq knows them, with its parameters, its environment variables and its
// password file.
var postgres = engine{
	schemes: []string{"postgres", "postgresql"},
	form:    "postgres://user:password@host:5432/database",
	secure:  "?sslmode=verify-full",
	port:    "5432",
	sql:     true,
	open: func(_ context.Context, u *storeURL, s settings) (*workerStore, error) {
		if u.path == "" {
			return nil, u.bad("names no database")
		}
		cfg, err := postgresConfig(u.raw)
		if err != nil {
			return nil, u.bad("cannot be read, or has a parameter that cannot be used") // pgx quotes it
		}
		return sqlStore(pooled(sqlx.NewDb(stdlib.OpenDB(*cfg), "pgx")), s)
	},
}

// postgresConfig reads a URL. By default pgx prepares each query whose text is new to a connection, which
// is a round trip more, and fails behind a pooler that does not track what is prepared.
func postgresConfig(url string) (*pgx.ConnConfig, error) {
	cfg, err := pgx.ParseConfig(url)
	if err == nil && !strings.Contains(url, "default_query_exec_mode") {
		cfg.DefaultQueryExecMode = pgx.QueryExecModeExec
	}
	return cfg, err
}
