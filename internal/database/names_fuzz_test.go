package database

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/logtest"
)

// FuzzNames reads what becomes part of a statement, and of a row.
func FuzzNames(f *testing.F) {
	f.Add("WORKER_NODE", "mysql", "sqlite")
	f.Add("a`; DROP TABLE x", "", "postgres")
	f.Add(strings.Repeat("T", 65), "oracle", "")
	f.Fuzz(func(t *testing.T, table, dialect, driver string) {
		name, err := TableName(table, NodeTable)
		if !logtest.Refused(t, err) {
			require.True(t, name == table || table == "" && name == NodeTable)
			require.LessOrEqual(t, len(name), 64)
			require.NotContains(t, name, "`")
		}
		d, err := Dialect(dialect).Resolve(driver)
		if !logtest.Refused(t, err) {
			require.True(t, d == MySQL || d == Postgres || d == SQLite)
			if name != "" {
				statement, err := Schema(NodeTable, name, d)
				require.NoError(t, err)
				require.Contains(t, statement, d.SQL("`"+name+"`"))
			}
		}
	})
}
