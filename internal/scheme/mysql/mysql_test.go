package mysql

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/scheme"
)

// The driver gets parameters as the URL has them.
func TestParams(t *testing.T) {
	for in, want := range map[string]string{
		"charset=utf8mb4,utf8":         "charset=utf8mb4,utf8",
		"charset=utf8mb4%2Cutf8":       "charset=utf8mb4,utf8",
		"connectionAttributes=a:b,c:d": "connectionAttributes=a%3Ab%2Cc%3Ad",
		"sql_mode=%27A,B%27":           "sql_mode=%27A%2CB%27",
		"sql_mode=%252C":               "sql_mode=%252C",
	} {
		u, err := scheme.Parse("mysql://h/x?" + in)
		require.NoError(t, err)
		cfg, err := config(u)
		require.NoError(t, err)
		require.Equal(t, "tcp(h:3306)/x?"+want, cfg.FormatDSN())
	}
}
