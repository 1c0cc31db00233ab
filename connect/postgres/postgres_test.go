package postgres

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/scheme"
)

// TestMode: what a worker asks is short, and so nothing is prepared unless the URL says so.
func TestMode(t *testing.T) {
	for parameter, mode := range map[string]pgx.QueryExecMode{
		"": pgx.QueryExecModeExec, "?default_query_exec_mode=cache_statement": pgx.QueryExecModeCacheStatement,
		"?namespace=orders&default_query_exec_mode=simple_protocol": pgx.QueryExecModeSimpleProtocol,
	} {
		u, err := scheme.Parse("postgres://uid@127.0.0.1/app" + parameter)
		require.NoError(t, err)
		cfg, err := config(u)
		require.NoError(t, err)
		require.Equal(t, mode, cfg.DefaultQueryExecMode)
		require.Equal(t, "127.0.0.1", cfg.Host)
	}
}
