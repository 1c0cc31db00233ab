package main

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// TestPostgresMode: a run is short, and so prepares nothing unless it is told to.
func TestPostgresMode(t *testing.T) {
	for parameter, mode := range map[string]pgx.QueryExecMode{
		"": pgx.QueryExecModeExec, "?default_query_exec_mode=cache_statement": pgx.QueryExecModeCacheStatement,
		"?default_query_exec_mode=simple_protocol": pgx.QueryExecModeSimpleProtocol,
	} {
		cfg, err := postgresConfig("postgres://uid@127.0.0.1/app" + parameter)
		require.NoError(t, err)
		require.Equal(t, mode, cfg.DefaultQueryExecMode)
	}
}
