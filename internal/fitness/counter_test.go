package fitness

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/uidgen/uid/internal/database"
	"github.com/uidgen/uid/internal/doctor"
	"github.com/uidgen/uid/internal/registry"
)

func TestCounter(t *testing.T) {
	for _, tt := range []struct {
		n       registry.NodeInfo
		dialect database.Dialect
		want    doctor.Level
		says    string
	}{
		{registry.NodeInfo{Next: 1}, database.MySQL, ok, "next ID 1, largest ID 0"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 10}, database.MySQL, ok, "next ID 10"},
		{registry.NodeInfo{Rows: 9, Last: 9}, database.MySQL, ok, "not told"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 9}, database.MySQL, bad, "ALTER TABLE NODES AUTO_INCREMENT = 10"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 5}, database.MySQL, bad, "where the row of ID 5 is gone"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 9}, database.SQLite, bad,
			"UPDATE sqlite_sequence SET seq = 9 WHERE name = 'NODES'"},
		{registry.NodeInfo{Rows: 9, Last: 9, Next: 9}, database.Postgres, bad,
			"ALTER TABLE NODES ALTER COLUMN ID RESTART WITH 10"},
		{registry.NodeInfo{Rows: 1, Last: math.MaxInt64, Next: math.MaxInt64}, database.MySQL, bad, "not above"},
	} {
		e := &exam{dialect: tt.dialect, Tables: Tables{Nodes: "NODES"}, Config: doctor.Config{Disposable: &tt.n}}
		require.NoError(t, e.counter(t.Context()))
		require.Len(t, e.findings, 1)
		f := e.findings[0]
		checkRows(t, []row{{Is: true, Level: f.Level, What: f.What, Value: f.Value, Why: f.Why, Do: f.Do}},
			"counter of disposable IDs", tt.want, tt.says)
	}
}
