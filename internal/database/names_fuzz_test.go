package database

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
)

// FuzzNames reads names that become part of a statement.
func FuzzNames(f *testing.F) {
	f.Add("WORKER_NODE", "mysql", "sqlite")
	f.Add("a`; DROP TABLE x", "", "postgres")
	f.Add(strings.Repeat("T", 65), "oracle", "")
	f.Fuzz(func(t *testing.T, table, dialect, driver string) {
		if d, err := resolve(dialect, driver); !logtest.Refused(t, err) {
			require.True(t, d == MySQL || d == Postgres || d == SQLite)
			name, err := d.TableName(table, NodeTable)
			if logtest.Refused(t, err) {
				return
			}
			require.True(t, name == table || table == "" && strings.EqualFold(name, NodeTable))
			require.LessOrEqual(t, len(name), 64)
			require.NotContains(t, name, "`")
			statement, err := d.schema(NodeTable, name)
			require.NoError(t, err)
			require.Contains(t, statement, d.SQL("`"+name+"`"))
		}
	})
}
